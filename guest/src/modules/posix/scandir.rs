//! `scandir`: its iterator, and the entries that it gives.

use super::paths::{Accept, Target};
use super::stat_result;
use crate::class_slot;
use crate::files::Stat;
use crate::heap::{self, Payload, Ref, VmCell};
use crate::objects::bytes::Bytes;
use crate::objects::native::{Def, receiver};
use crate::objects::slots::Slots;
use crate::objects::string::Str;
use crate::objects::types::ClassBuilder;
use crate::value::Value;
use crate::vm::args::optional;
use crate::vm::{R, Vm};
use std::cell::{Cell, RefCell};

/// Payload of the iterator.
pub(super) struct Scan {
    entries: RefCell<std::vec::IntoIter<(Vec<u8>, Stat)>>,
    /// What the entries' paths begin with, and whether they are `bytes`.
    prefix: Vec<u8>,
    bytes: bool,
    /// The directory, when it was given as a descriptor.
    fd: Option<i32>,
    open: Cell<bool>,
}

// SAFETY: owns no values.
unsafe impl Payload for Scan {
    class_slot!();
    fn traverse(&self, _: &mut dyn FnMut(&Value)) {}
}

/// Payload of `DirEntry`.
pub(super) struct DirEntry {
    name: Value,
    path: Value,
    raw: Vec<u8>,
    fd: Option<i32>,
    found: Stat,
    /// What `stat` answered, following links and not.
    known: VmCell<[Option<Value>; 2]>,
}

// SAFETY: visits every value held.
unsafe impl Payload for DirEntry {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        visit(&self.name);
        visit(&self.path);
        // SAFETY: the collector runs while no borrow of any payload lives.
        for v in unsafe { self.known.peek() }.iter().flatten() {
            visit(v);
        }
    }
}

/// Builds the classes, unless they exist.
pub(super) fn init(vm: &mut Vm) {
    if Scan::class_slot().with(|slot| slot.is_set()) {
        return;
    }
    let refused: fn(&mut Vm, &Ref<crate::objects::types::Type>, crate::vm::args::Args) -> R =
        crate::objects::struct_seq::not_from_python;
    ClassBuilder::new::<Scan>("ScandirIterator")
        .slots(Slots {
            new: Some(refused),
            iter: Some(|_, v| Ok(v.clone())),
            next: Some(next),
            ..Slots::NONE
        })
        .module(vm, "posix")
        .methods(vm, SCAN)
        .build(vm);
    ClassBuilder::new::<DirEntry>("DirEntry")
        .slots(Slots {
            new: Some(refused),
            repr: Some(|vm, v| {
                let name = receiver::<DirEntry>(v).name.clone();
                let shown = vm.repr(&name)?;
                Ok(Str::value(&format!("<DirEntry {}>", shown.to_text())))
            }),
            ..Slots::NONE
        })
        .module(vm, "posix")
        .methods(vm, ENTRY)
        .getset(
            vm,
            "name",
            |_, v| Ok(receiver::<DirEntry>(v).name.clone()),
            None,
        )
        .getset(
            vm,
            "path",
            |_, v| Ok(receiver::<DirEntry>(v).path.clone()),
            None,
        )
        .build(vm);
}

fn next(vm: &mut Vm, v: &Value) -> R {
    let scan = receiver::<Scan>(v).clone();
    let Some((name, found)) = scan.entries.borrow_mut().next() else {
        scan.open.set(false);
        return Ok(Value::UNDEF);
    };
    let mut raw = scan.prefix.clone();
    raw.extend_from_slice(&name);
    let shown = vm.fs_decode(&name, scan.bytes)?;
    let path = if scan.prefix.is_empty() {
        shown.clone()
    } else {
        vm.fs_decode(&raw, scan.bytes)?
    };
    Ok(Value::from_ref(heap::alloc(DirEntry {
        name: shown,
        path,
        raw,
        fd: scan.fd,
        found,
        known: VmCell::new([None, None]),
    })))
}

fn close(v: &Value) {
    let scan = receiver::<Scan>(v);
    scan.open.set(false);
    scan.entries.replace(Vec::new().into_iter());
}

static SCAN: &[Def] = &[
    Def::method("close", "(self, /)", |_, a| {
        close(&a[0]);
        Ok(Value::NONE)
    }),
    Def::method("__enter__", "(self, /)", |_, a| Ok(a[0].clone())),
    Def::raw_method("__exit__", "(self, /, *args)", |_, a| {
        close(&a.values()[0]);
        Ok(Value::NONE)
    }),
];

fn follow_arg(vm: &mut Vm, a: &[Value]) -> R<bool> {
    optional(a, 1).map_or(Ok(true), |v| vm.truthy(v))
}

/// The kind of what the entry names, `None` when it does not exist (any more, or behind a link).
fn kind(vm: &mut Vm, v: &Value, follow: bool) -> Option<u32> {
    let entry = receiver::<DirEntry>(v).clone();
    let mode = entry.found.mode & 0o170_000;
    if !follow || mode != 0o120_000 {
        return Some(mode);
    }
    let files = vm.files();
    let ino = files.lookup(entry.fd, &entry.raw, true).ok()?;
    Some(files.stat(ino).mode & 0o170_000)
}

static ENTRY: &[Def] = &[
    Def::method("is_dir", "(self, /, *, follow_symlinks=True)", |vm, a| {
        let follow = follow_arg(vm, a)?;
        Ok(Value::bool(kind(vm, &a[0], follow) == Some(0o040_000)))
    }),
    Def::method("is_file", "(self, /, *, follow_symlinks=True)", |vm, a| {
        let follow = follow_arg(vm, a)?;
        Ok(Value::bool(kind(vm, &a[0], follow) == Some(0o100_000)))
    }),
    Def::method("is_symlink", "(self, /)", |vm, a| {
        Ok(Value::bool(kind(vm, &a[0], false) == Some(0o120_000)))
    }),
    Def::method("is_junction", "(self, /)", |_, _| Ok(Value::FALSE)),
    Def::method("inode", "(self, /)", |_, a| {
        Ok(Value::int(receiver::<DirEntry>(&a[0]).found.ino as i64))
    }),
    Def::method("stat", "(self, /, *, follow_symlinks=True)", |vm, a| {
        let follow = follow_arg(vm, a)?;
        let entry = receiver::<DirEntry>(&a[0]).clone();
        if let Some(known) = &entry.known.get(vm)[usize::from(follow)] {
            return Ok(known.clone());
        }
        let ino = vm.files().lookup(entry.fd, &entry.raw, follow);
        let ino = match ino {
            Ok(ino) => ino,
            Err(e) => return Err(vm.os_error_about(e, Some(&entry.path), None)),
        };
        let facts = vm.files().stat(ino);
        let made = stat_result::make(vm, &facts)?;
        entry.known.get_mut(vm)[usize::from(follow)] = Some(made.clone());
        Ok(made)
    }),
    Def::method("__fspath__", "(self, /)", |_, a| {
        Ok(receiver::<DirEntry>(&a[0]).path.clone())
    }),
    Def::class_method("__class_getitem__", "(cls, item, /)", |vm, a| {
        crate::builtins::type_params::alias::generic_alias(vm, &a[0], &a[1])
    }),
];

pub(super) static FUNCTIONS: &[Def] = &[Def::function("scandir", "(path=None)", |vm, a| {
    let path = vm.path_arg(optional(a, 0), "scandir", "path", Accept::Any)?;
    let ino = vm.find_directory(&path)?;
    let list = vm.files().list(ino);
    let list = vm.io_about(list, &path)?;
    let mut prefix = match optional(a, 0) {
        Some(v) if v.is_none() => b"./".to_vec(),
        None => b"./".to_vec(),
        Some(_) => path.path().to_vec(),
    };
    if prefix.last().is_some_and(|b| *b != b'/') {
        prefix.push(b'/');
    }
    let fd = match path.target {
        Target::Descriptor(fd) => Some(fd),
        Target::Path(_) => None,
    };
    Ok(Value::from_ref(heap::alloc(Scan {
        entries: RefCell::new(list.into_iter()),
        prefix,
        bytes: path.bytes || path.shown.is::<Bytes>(),
        fd,
        open: Cell::new(true),
    })))
})];
