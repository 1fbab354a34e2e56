//! Inline caches: what an instruction remembers of the last time.

use crate::heap::Ref;
use crate::objects::native::Getter;
use crate::objects::string::Str;
use crate::value::Value;

/// What a cache knows. Which variants an instruction fills, and what it checks before it believes them, is written where it uses them.
pub enum Known {
    /// Nothing yet.
    Nothing,
    /// A global: keys version of the globals and slot in them.
    Global {
        /// Keys version of the globals.
        version: u32,
        /// Slot of the name.
        slot: u32,
    },
    /// A builtin: keys versions of globals and builtins, and slot in the builtins.
    Builtin {
        /// Keys version of the globals (which do not have the name).
        globals: u32,
        /// Keys version of the builtins.
        version: u32,
        /// Slot of the name in the builtins.
        slot: u32,
    },
    /// An inline attribute of instances: class version, distance of the value from the object's start, index of the value.
    Inline {
        /// Class version.
        version: u32,
        /// Distance in bytes.
        offset: u32,
        /// Index among the inline attributes.
        index: u16,
    },
    /// Something found in the class that binds like a function; valid for instances without a dictionary of their own.
    Method {
        /// Class version.
        version: u32,
        /// The function.
        function: Value,
    },
    /// Something found in the class that does not bind; valid for instances without a dictionary of their own.
    ClassValue {
        /// Class version.
        version: u32,
        /// The value.
        value: Value,
    },
    /// A property whose getter is a plain Python function.
    Property {
        /// Class version.
        version: u32,
        /// The getter.
        getter: Value,
    },
    /// An attribute that native code computes.
    Computed {
        /// Class version.
        version: u32,
        /// What computes it.
        getter: Getter,
    },
    /// A data descriptor of a class made by Rust code.
    Descriptor {
        /// Class version.
        version: u32,
        /// The descriptor.
        descriptor: Value,
    },
    /// Something that binds like a function, found behind a class in the MRO: version of the class whose MRO that is, and address of the class behind
    /// which (it lives as long as it is in that MRO).
    Super {
        /// Class version.
        version: u32,
        /// Address of the class.
        after: usize,
        /// The function.
        function: Value,
    },
    /// An attribute of a module: keys version of its namespace and slot.
    ModuleAttr {
        /// Keys version.
        version: u32,
        /// Slot.
        slot: u32,
    },
    /// An attribute of a class object itself, found in its own MRO, that needs no binding: version of that class.
    TypeAttr {
        /// Version of the class that is the object.
        version: u32,
        /// Version of its metaclass, which does not have the name.
        meta: u32,
        /// The value.
        value: Value,
    },
    /// A class method of a class object, found in its own MRO.
    ClassMethod {
        /// Version of the class that is the object.
        version: u32,
        /// Version of its metaclass, which does not have the name.
        meta: u32,
        /// The function that gets the class first.
        function: Value,
    },
}

/// One inline cache: the name and what is known.
pub struct Cache {
    /// The name.
    pub name: Ref<Str>,
    /// The version of [`Known::Global`] and [`Known::Inline`] once more, [`Cache::NEVER`] for all others: these two are believed after one comparison.
    pub quick_version: u32,
    /// Their slot or distance.
    pub quick_at: u32,
    /// The same for a second class with an inline attribute, believed after a second comparison.
    pub second_version: u32,
    /// Its distance.
    pub second_at: u32,
    /// What is known.
    known: Known,
    /// What is known of other classes, where instances of several pass.
    others: Option<Box<Others>>,
}

/// How many classes a cache knows beside the one that it believes after one comparison.
const WAYS: usize = 3;

struct Others {
    ways: [Known; WAYS],
    /// The next to be overwritten.
    next: usize,
}

impl Known {
    /// Version of the class whose instances it is about, if it is about those.
    fn class_version(&self) -> Option<u32> {
        match *self {
            Known::Inline { version, .. }
            | Known::Method { version, .. }
            | Known::ClassValue { version, .. }
            | Known::Property { version, .. }
            | Known::Computed { version, .. }
            | Known::Descriptor { version, .. }
            | Known::Super { version, .. } => Some(version),
            _ => None,
        }
    }

    fn value(&self) -> Option<&Value> {
        match self {
            Known::Method { function: v, .. }
            | Known::ClassMethod { function: v, .. }
            | Known::Super { function: v, .. }
            | Known::ClassValue { value: v, .. }
            | Known::Property { getter: v, .. }
            | Known::Descriptor { descriptor: v, .. }
            | Known::TypeAttr { value: v, .. } => Some(v),
            _ => None,
        }
    }
}

impl Cache {
    /// An empty cache.
    pub fn new(name: Ref<Str>) -> Cache {
        Cache {
            name,
            quick_version: Cache::NEVER,
            quick_at: 0,
            second_version: Cache::NEVER,
            second_at: 0,
            known: Known::Nothing,
            others: None,
        }
    }

    /// A version that nothing has.
    const NEVER: u32 = u32::MAX;

    /// What is known.
    #[inline(always)]
    pub fn known(&self) -> &Known {
        &self.known
    }

    /// Remembers something new.
    pub fn remember(&mut self, known: Known) {
        (self.quick_version, self.quick_at) = match &known {
            Known::Global { version, slot } => (*version, *slot),
            Known::Inline {
                version, offset, ..
            } => (*version, *offset),
            _ => (Cache::NEVER, 0),
        };
        self.known = known;
    }

    /// Remembers what is so for instances of one class, and keeps what it knows of others.
    pub fn remember_beside(&mut self, known: Known) {
        if let (Some(before), Some(now)) = (self.known.class_version(), known.class_version())
            && before != now
        {
            let others = self.others.get_or_insert_with(|| {
                Box::new(Others {
                    ways: [const { Known::Nothing }; WAYS],
                    next: 0,
                })
            });
            if self.quick_version != Cache::NEVER {
                (self.second_version, self.second_at) = (self.quick_version, self.quick_at);
            }
            let at = others.next;
            others.ways[at] = std::mem::replace(&mut self.known, Known::Nothing);
            others.next = (at + 1) % WAYS;
        }
        self.remember(known);
    }

    /// What is known of instances of the class of this version, which is not the one that comes first.
    #[inline]
    pub fn other(&self, version: u32) -> Option<&Known> {
        let others = self.others.as_ref()?;
        others
            .ways
            .iter()
            .find(|known| known.class_version() == Some(version))
    }

    /// Forgets what keeps an object alive.
    pub fn forget_values(&mut self) {
        if self.known.value().is_some() {
            self.remember(Known::Nothing);
        }
        self.others = None;
        self.second_version = Cache::NEVER;
    }

    /// Visits what the cache owns.
    pub(crate) fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        self.name.with_value(&mut *visit);
        let others = self.others.iter().flat_map(|others| &others.ways);
        std::iter::once(&self.known)
            .chain(others)
            .filter_map(Known::value)
            .for_each(visit);
    }
}
