"""What is known of how modules are found."""

SOURCE_SUFFIXES = ['.py']
BYTECODE_SUFFIXES = ['.pyc']
DEBUG_BYTECODE_SUFFIXES = OPTIMIZED_BYTECODE_SUFFIXES = BYTECODE_SUFFIXES
EXTENSION_SUFFIXES = []


def all_suffixes():
    return SOURCE_SUFFIXES + BYTECODE_SUFFIXES + EXTENSION_SUFFIXES


class ModuleSpec:
    """The specification of a module."""

    def __init__(self, name, loader, *, origin=None, loader_state=None, is_package=None):
        self.name = name
        self.loader = loader
        self.origin = origin
        self.loader_state = loader_state
        self.submodule_search_locations = [] if is_package else None
        self.cached = None
        self.has_location = False

    @property
    def parent(self):
        return self.name.rpartition('.')[0] if self.submodule_search_locations is None else self.name

    def __repr__(self):
        parts = [f'name={self.name!r}', f'loader={self.loader!r}']
        if self.origin is not None:
            parts.append(f'origin={self.origin!r}')
        if self.submodule_search_locations is not None:
            parts.append(f'submodule_search_locations={self.submodule_search_locations}')
        return f'ModuleSpec({", ".join(parts)})'

    def __eq__(self, other):
        if not isinstance(other, ModuleSpec):
            return NotImplemented
        return (self.name == other.name and self.loader == other.loader and self.origin == other.origin
                and self.submodule_search_locations == other.submodule_search_locations)
