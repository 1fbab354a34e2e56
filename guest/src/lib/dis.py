"""Disassembles code objects into this interpreter's own instructions.

The functions are those of CPython's `dis`, what they show is not CPython's bytecode: an instruction names registers
(locals by their names, temporaries as t0, t1, ...), and takes two bytes of `co_code`, which leave the operands out.
"""

import collections
import io
import sys
import types

import _dis_core
from opcode import *
from opcode import __all__ as _opcode_all

__all__ = ['code_info', 'dis', 'disassemble', 'distb', 'disco', 'findlinestarts', 'findlabels', 'show_code',
           'get_instructions', 'Instruction', 'Bytecode', 'Positions', 'COMPILER_FLAG_NAMES', 'pretty_flags'] + _opcode_all
del _opcode_all

COMPILER_FLAG_NAMES = {
    1: 'OPTIMIZED',
    2: 'NEWLOCALS',
    4: 'VARARGS',
    8: 'VARKEYWORDS',
    16: 'NESTED',
    32: 'GENERATOR',
    64: 'NOFREE',
    128: 'COROUTINE',
    256: 'ITERABLE_COROUTINE',
    512: 'ASYNC_GENERATOR',
    0x4000000: 'HAS_DOCSTRING',
    0x8000000: 'METHOD',
}

_have_code = (types.MethodType, types.FunctionType, types.CodeType, classmethod, staticmethod, type)

Positions = collections.namedtuple('Positions', 'lineno end_lineno col_offset end_col_offset', defaults=(None,) * 4)


class Instruction(collections.namedtuple('_Instruction', [
        'opname', 'opcode', 'arg', 'argval', 'argrepr', 'offset', 'start_offset', 'starts_line', 'line_number',
        'label', 'positions', 'cache_info'], defaults=(None, None, None))):
    """One instruction; `argrepr` shows all operands, `argval` is the name, constant or jump target among them."""

    __slots__ = ()

    @property
    def oparg(self):
        return self.arg

    @property
    def baseopcode(self):
        return self.opcode

    @property
    def baseopname(self):
        return self.opname

    @property
    def cache_offset(self):
        return self.offset + 2

    @property
    def end_offset(self):
        return self.offset + 2

    @property
    def jump_target(self):
        return self.argval if self.opcode in hasjump else None

    @property
    def is_jump_target(self):
        return self.label is not None

    def __str__(self):
        return _line(self, 0, False)


def pretty_flags(flags):
    names = []
    for bit in range(32):
        flag = 1 << bit
        if flags & flag:
            names.append(COMPILER_FLAG_NAMES.get(flag, hex(flag)))
            flags ^= flag
            if not flags:
                break
    else:
        names.append(hex(flags))
    return ', '.join(names)


def _try_compile(source, name):
    try:
        return compile(source, name, 'eval')
    except SyntaxError:
        return compile(source, name, 'exec')


def _get_code_object(x):
    for attribute in '__func__', '__code__', 'gi_code', 'ag_code', 'cr_code':
        if attribute != '__func__' or hasattr(x, '__func__'):
            x = getattr(x, attribute, x)
    if isinstance(x, str):
        x = _try_compile(x, '<disassembly>')
    if hasattr(x, 'co_code'):
        return x
    raise TypeError(f"don't know how to disassemble {type(x).__name__} objects")


def get_instructions(x, *, first_line=None, show_caches=None, adaptive=False):
    return _instructions(_get_code_object(x), first_line)


def _instructions(code, first_line=None):
    shift = 0 if first_line is None else first_line - code.co_firstlineno
    positions = list(code.co_positions())
    targets = set(findlabels(code))
    for start, end, target, depth in _dis_core.handlers(code):
        targets.update((start, end, target))
    labels = {offset: number for number, offset in enumerate(sorted(targets), 1)}
    last = None
    for opcode, name, argval, text, offset, line, target in _dis_core.instructions(code):
        line += shift
        yield Instruction(name, opcode, None, argval, text, offset, offset, line != last, line,
                          labels.get(offset), Positions(*positions[offset // 2]))
        last = line


def findlinestarts(code):
    last = False
    for start, end, line in code.co_lines():
        if line is not last:
            last = line
            yield start, line


def findlabels(code):
    if not hasattr(code, 'co_code'):
        raise TypeError('findlabels() needs a code object: the operands are not in co_code')
    found = []
    for row in _dis_core.instructions(code):
        if row[-1] is not None and row[-1] not in found:
            found.append(row[-1])
    return found


def _line(instruction, number_width, current):
    number = ''
    if number_width:
        number = str(instruction.line_number) if instruction.starts_line else ''
        number = number.rjust(number_width)
    label = f'L{instruction.label}:' if instruction.label is not None else ''
    mark = '-->' if current else '   '
    return f'{number} {mark} {label:<5} {instruction.opname:<20} {instruction.argrepr}'.rstrip()


def _print_code(code, lasti, file, first_line=None):
    listed = list(_instructions(code, first_line))
    width = max([len(str(i.line_number)) for i in listed] + [3])
    for instruction in listed:
        if instruction.starts_line and instruction.offset > 0:
            print(file=file)
        print(_line(instruction, width, instruction.offset == lasti), file=file)
    handlers = _dis_core.handlers(code)
    if handlers:
        labels = {i.offset: i.label for i in listed}
        print('ExceptionTable:', file=file)
        for start, end, target, depth in handlers:
            name = lambda offset: f'L{labels[offset]}' if labels.get(offset) else str(offset)
            print(f'  {name(start)} to {name(end)} -> {name(target)} [{depth}]', file=file)


def disassemble(co, lasti=-1, *, file=None, show_caches=False, adaptive=False, show_offsets=False, show_positions=False):
    _print_code(co, lasti, file)


disco = disassemble


def _recursive(code, file, depth):
    _print_code(code, -1, file)
    if depth is None or depth > 0:
        depth = None if depth is None else depth - 1
        for constant in code.co_consts:
            if hasattr(constant, 'co_code'):
                print(file=file)
                print(f'Disassembly of {constant!r}:', file=file)
                _recursive(constant, file, depth)


def dis(x=None, *, file=None, depth=None, show_caches=False, adaptive=False, show_offsets=False, show_positions=False):
    """Disassembles functions, classes, modules, generators, source text or code; the last traceback without an argument."""
    if x is None:
        distb(file=file)
        return
    if hasattr(x, '__func__'):
        x = x.__func__
    for attribute in '__code__', 'gi_code', 'ag_code', 'cr_code':
        if hasattr(x, attribute):
            x = getattr(x, attribute)
            break
    if hasattr(x, '__dict__') and not hasattr(x, 'co_code'):
        for name, member in sorted(x.__dict__.items()):
            if isinstance(member, _have_code):
                print(f'Disassembly of {name}:', file=file)
                try:
                    dis(member, file=file, depth=depth)
                except TypeError as message:
                    print('Sorry:', message, file=file)
                print(file=file)
    elif hasattr(x, 'co_code'):
        _recursive(x, file, depth)
    elif isinstance(x, str):
        _recursive(_try_compile(x, '<dis>'), file, depth)
    elif isinstance(x, (bytes, bytearray)):
        raise TypeError('the operands are not in co_code: disassemble the code object')
    else:
        raise TypeError(f"don't know how to disassemble {type(x).__name__} objects")


def distb(tb=None, *, file=None, show_caches=False, adaptive=False, show_offsets=False, show_positions=False):
    if tb is None:
        try:
            tb = sys.last_exc.__traceback__ if hasattr(sys, 'last_exc') else sys.last_traceback
        except AttributeError:
            raise RuntimeError('no last traceback to disassemble') from None
        while tb.tb_next:
            tb = tb.tb_next
    _print_code(tb.tb_frame.f_code, tb.tb_lasti, file)


def code_info(x):
    """The facts about a code object, as text."""
    code = _get_code_object(x)
    lines = [
        f'Name:              {code.co_name}',
        f'Filename:          {code.co_filename}',
        f'Argument count:    {code.co_argcount}',
        f'Positional-only arguments: {code.co_posonlyargcount}',
        f'Kw-only arguments: {code.co_kwonlyargcount}',
        f'Number of locals:  {code.co_nlocals}',
        f'Stack size:        {code.co_stacksize}',
        f'Flags:             {pretty_flags(code.co_flags)}',
    ]
    for title, items in (('Constants', code.co_consts), ('Names', code.co_names), ('Variable names', code.co_varnames),
                         ('Free variables', code.co_freevars), ('Cell variables', code.co_cellvars)):
        if items:
            lines.append(f'{title}:')
            show = repr if title == 'Constants' else str
            lines.extend(f'{number:4d}: {show(item)}' for number, item in enumerate(items))
    return '\n'.join(lines)


def show_code(co, *, file=None):
    print(code_info(co), file=file)


class Bytecode:
    """The instructions of a piece of code; iterating gives `Instruction`s."""

    def __init__(self, x, *, first_line=None, current_offset=None, show_caches=False, adaptive=False,
                 show_offsets=False, show_positions=False):
        self.codeobj = _get_code_object(x)
        self.first_line = self.codeobj.co_firstlineno if first_line is None else first_line
        self.current_offset = current_offset
        self._original_object = x

    def __iter__(self):
        return _instructions(self.codeobj, self.first_line)

    def __repr__(self):
        return f'{type(self).__name__}({self._original_object!r})'

    @classmethod
    def from_traceback(cls, tb, *, show_caches=False, adaptive=False):
        while tb.tb_next:
            tb = tb.tb_next
        return cls(tb.tb_frame.f_code, current_offset=tb.tb_lasti)

    def info(self):
        return code_info(self.codeobj)

    def dis(self):
        with io.StringIO() as output:
            offset = -1 if self.current_offset is None else self.current_offset
            _print_code(self.codeobj, offset, output, self.first_line)
            return output.getvalue()
