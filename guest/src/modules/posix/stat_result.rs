//! `os.stat_result`: ten items, three of them without a name, and nine more attributes.

use crate::files::Stat;
use crate::heap::Ref;
use crate::objects::struct_seq::{self, Layout};
use crate::objects::types::Type;
use crate::value::Value;
use crate::vm::args::Args;
use crate::vm::{R, Vm};
use std::cell::OnceCell;

thread_local! {
    static CLASS: OnceCell<Ref<Type>> = const { OnceCell::new() };
}

static LAYOUT: Layout = Layout {
    items: &[
        "st_mode", "st_ino", "st_dev", "st_nlink", "st_uid", "st_gid", "st_size", "", "", "",
    ],
    hidden: &[
        "st_atime",
        "st_mtime",
        "st_ctime",
        "st_atime_ns",
        "st_mtime_ns",
        "st_ctime_ns",
        "st_blksize",
        "st_blocks",
        "st_rdev",
    ],
};

/// The owner of all files.
pub(super) const USER: i64 = 1000;
const NANOS: i64 = 1_000_000_000;

/// The class.
pub(super) fn class(vm: &mut Vm) -> Ref<Type> {
    if let Some(class) = CLASS.with(|c| c.get().cloned()) {
        return class;
    }
    let class = struct_seq::with_layout(vm, "os", "stat_result", &LAYOUT, Some(new));
    CLASS.with(|c| c.get_or_init(|| class).clone())
}

/// `stat_result(sequence, dict={})`: times that are not given are the whole seconds among the items.
fn new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    let (items, mut hidden) = struct_seq::parts(vm, class, &LAYOUT, args)?;
    for i in 0..3 {
        if hidden[i].is_none() {
            hidden[i] = items[7 + i].clone();
        }
    }
    struct_seq::instance(vm, class, items, hidden)
}

/// The result for a file.
pub(super) fn make(vm: &mut Vm, s: &Stat) -> R {
    let class = class(vm);
    let seconds = |ns: i64| Value::int(ns.div_euclid(NANOS));
    let int = |n: u64| Value::int(n as i64);
    let items = vec![
        int(u64::from(s.mode)),
        int(s.ino),
        Value::small_int(1),
        int(u64::from(s.links)),
        Value::small_int(USER),
        Value::small_int(USER),
        int(s.size),
        seconds(s.accessed),
        seconds(s.modified),
        seconds(s.changed),
    ];
    let float = |ns: i64| Value::float(ns as f64 * 1e-9);
    let hidden = vec![
        float(s.accessed),
        float(s.modified),
        float(s.changed),
        Value::int(s.accessed),
        Value::int(s.modified),
        Value::int(s.changed),
        Value::small_int(4096),
        int(s.size.div_ceil(4096) * 8),
        int(s.device),
    ];
    struct_seq::instance(vm, &class, items, hidden)
}

static FILE_SYSTEM: Layout = Layout {
    items: &[
        "f_bsize",
        "f_frsize",
        "f_blocks",
        "f_bfree",
        "f_bavail",
        "f_files",
        "f_ffree",
        "f_favail",
        "f_flag",
        "f_namemax",
    ],
    hidden: &["f_fsid"],
};

/// The class of what `statvfs` gives.
pub(super) fn file_system_class(vm: &mut Vm) -> Ref<Type> {
    thread_local! {
        static CLASS: OnceCell<Ref<Type>> = const { OnceCell::new() };
    }
    if let Some(class) = CLASS.with(|c| c.get().cloned()) {
        return class;
    }
    let class = struct_seq::with_layout(vm, "os", "statvfs_result", &FILE_SYSTEM, None);
    CLASS.with(|c| c.get_or_init(|| class).clone())
}

/// What `statvfs` gives: the room for files.
pub(super) fn file_system(vm: &mut Vm) -> R {
    const BLOCK: u64 = 4096;
    let class = file_system_class(vm);
    let (quota, used) = vm.files().usage();
    let free = quota.saturating_sub(used);
    let files = vm.files().node_count() as u64;
    let numbers = [
        BLOCK,
        BLOCK,
        quota / BLOCK,
        free / BLOCK,
        free / BLOCK,
        files + free / 256,
        free / 256,
        free / 256,
        0,
        255,
    ];
    let items = numbers.iter().map(|n| Value::int(*n as i64)).collect();
    struct_seq::instance(vm, &class, items, vec![Value::small_int(0)])
}
