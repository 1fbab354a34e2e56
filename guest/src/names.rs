//! Interned strings: the names that the machine itself looks up, and the table of all interned strings.
//!
//! Names in code are interned, so that most comparisons of names are comparisons of addresses. Interned strings live for ever.

use crate::heap::Ref;
use crate::objects::string::{Str, hash_bytes};
use hashbrown::HashTable;
use std::cell::{OnceCell, RefCell};

thread_local! {
    static TABLE: RefCell<Table> = const { RefCell::new(Table::new()) };
    static NAMES: OnceCell<&'static Names> = const { OnceCell::new() };
}

/// For how many names there is room before the table of new ones grows.
const NEW_NAMES: usize = 200;

/// The interned strings. Those of the image have a table that nobody writes any more, and those that come later another one: a name is put where its hash
/// says, and in the large table each would make a page of the image, or two, one of the session's own.
struct Table {
    image: HashTable<Ref<Str>>,
    new: HashTable<Ref<Str>>,
    is_sealed: bool,
}

impl Table {
    const fn new() -> Table {
        Table {
            image: HashTable::new(),
            new: HashTable::new(),
            is_sealed: false,
        }
    }

    fn find(&self, hash: u64, same: impl Fn(&Ref<Str>) -> bool) -> Option<&Ref<Str>> {
        match self.image.find(hash, &same) {
            None if self.is_sealed => self.new.find(hash, same),
            found => found,
        }
    }

    /// Enters a string that is not there, for ever.
    fn insert(&mut self, hash: u64, s: Ref<Str>) {
        s.set_interned();
        s.header().make_immortal();
        let table = if self.is_sealed {
            &mut self.new
        } else {
            &mut self.image
        };
        table.insert_unique(hash, s, |s| s.hash() as u64);
    }
}

/// The interned string of a text.
pub fn intern(text: &str) -> Ref<Str> {
    intern_wtf8(text.as_bytes())
}

/// The interned string of a WTF-8 text.
pub fn intern_wtf8(text: &[u8]) -> Ref<Str> {
    let hash = hash_bytes(text) as u64;
    TABLE.with_borrow_mut(|table| {
        if let Some(s) = table.find(hash, |s| s.as_bytes() == text) {
            return s.clone();
        }
        let s = Str::from_wtf8(text);
        table.insert(hash, s.clone());
        s
    })
}

/// The interned string with the text of `s`, made from `s` itself when there is none and `s` is an exact `str`.
pub fn intern_ref(s: &Ref<Str>) -> Ref<Str> {
    if s.is_interned() {
        return s.clone();
    }
    if !s.header().is_exact_kind(crate::heap::Kind::Str) {
        return intern_wtf8(s.as_bytes());
    }
    let hash = s.hash() as u64;
    TABLE.with_borrow_mut(|table| {
        if let Some(known) = table.find(hash, |t| t.same_text(s)) {
            return known.clone();
        }
        table.insert(hash, s.clone());
        s.clone()
    })
}

/// Closes the table of the image, which is complete, and moves it to other memory; the old memory is given up for good, as in a dictionary's `relocate`.
pub(crate) fn seal() {
    TABLE.with_borrow_mut(|table| {
        let copy = table.image.clone();
        std::mem::forget(std::mem::replace(&mut table.image, copy));
        table.new.reserve(NEW_NAMES, |s| s.hash() as u64);
        table.is_sealed = true;
    });
}

/// The interned string with the text of `s`, if there is one.
pub fn find_interned(s: &Str) -> Option<Ref<Str>> {
    TABLE.with_borrow(|table| table.find(s.hash() as u64, |t| t.same_text(s)).cloned())
}

macro_rules! names {
    ($($name:ident)*; $($field:ident = $text:literal)*) => {
        /// Names that the machine looks up.
        #[allow(missing_docs)] // each field is the name that it is called
        pub struct Names {
            $(pub $name: Ref<Str>,)*
            $(pub $field: Ref<Str>,)*
            /// The strings of one ASCII character.
            pub ascii: Vec<Ref<Str>>,
        }

        impl Names {
            fn build() -> Names {
                Names {
                    $($name: intern(stringify!($name)),)*
                    $($field: intern($text),)*
                    ascii: (0..128u8).map(|b| intern_wtf8(&[b])).collect(),
                }
            }
        }
    };
}

names! {
    __abs__ __add__ __aenter__ __aexit__ __aiter__ __all__ __and__ __anext__ __annotate__ __annotate_func__ __annotations__ __args__ __await__ __bases__ __bool__
    __build_class__ __builtins__ __bytes__ __call__ __cause__ __ceil__ __class__ __class_getitem__ __classcell__ __classdict__
    __classdictcell__ __code__ __complex__ __contains__ __context__ __copy__ __deepcopy__ __del__ __delattr__ __delete__ __delitem__ __dict__ __dir__
    __divmod__ __doc__ __enter__ __eq__ __exit__ __file__ __firstlineno__ __float__ __floor__ __floordiv__ __format__ __ge__ __get__ __getattr__
    __getattribute__ __getitem__ __getnewargs__ __getstate__ __globals__ __gt__ __hash__ __iadd__ __iand__ __ifloordiv__ __ilshift__ __imatmul__ __imod__
    __import__ __imul__ __index__ __init__ __init_subclass__ __instancecheck__ __int__ __invert__ __ior__ __ipow__ __irshift__ __isub__ __iter__
    __itruediv__ __ixor__ __le__ __len__ __length_hint__ __loader__ __lshift__ __lt__ __main__ __match_args__ __matmul__ __missing__ __mod__
    __module__ __mro__ __mro_entries__ __mul__ __name__ __ne__ __neg__ __new__ __next__ __notes__ __or__ __orig_bases__ __origin__ __package__ __parameters__ __path__ __pos__
    __pow__ __prepare__ __qualname__ __radd__ __rand__ __rdivmod__ __reduce__ __reduce_ex__ __repr__ __reversed__ __rfloordiv__ __rlshift__
    __rmatmul__ __rmod__ __rmul__ __ror__ __round__ __rpow__ __rrshift__ __rshift__ __rsub__ __rtruediv__ __rxor__ __set__ __set_name__
    __setattr__ __setitem__ __setstate__ __sizeof__ __slots__ __spec__ __static_attributes__ __str__ __sub__ __subclasscheck__ __subclasshook__
    __suppress_context__ __traceback__ __trunc__ __truediv__ __type_params__ __weakref__ __wrapped__ __xor__
    append args builtins close copy encoding end errors extend file flush get items join key keys metaclass msg name obj path pop print
    read replace send sep setdefault sort strict sys throw update value values write
    exc_type stdin stdout stderr readline path_hooks fromlist level code errno filename lineno offset text print_file_and_line message exceptions default
    start stop step reverse initial modules cls atexit _run_exitfuncs ;
    empty = "" lambda = "<lambda>" module = "<module>" anonymous = "<unknown>" utf_8 = "utf-8" genexpr = "<genexpr>"
}

impl Names {
    /// The names of this thread.
    #[inline]
    pub fn get() -> &'static Names {
        NAMES.with(|names| *names.get_or_init(|| Box::leak(Box::new(Names::build()))))
    }
}
