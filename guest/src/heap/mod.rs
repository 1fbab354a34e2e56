//! The heap: counted objects, their headers, allocation and release.
//!
//! Every object is a [`Header`] followed by its payload (a Rust type that implements [`Payload`]), perhaps a tail (the bytes of a string, the items of a
//! tuple), and, when its class has instance attributes, an attribute area ([`attrs::Attrs`]).
//!
//! Objects are freed when their count falls to zero. What is part of a cycle is found by [`gc`]; weak references are in [`weak`].
//! Release never runs Python code: objects whose class has `__del__` (and suspended generators that must run `finally` blocks) are queued, and the machine
//! runs the queue soon: at an instruction that asks, or at its next poll. Release is iterative beyond a small depth, so that long chains do not exhaust the stack.
//!
//! One heap lives on each thread (wasm has one thread). This module and its children are, with [`crate::value`], the places where object memory is
//! touched with `unsafe`; the invariant behind all of it: a header address in a `Value` or `Ref` is live as long as that owner exists, and payload
//! state that changes is behind [`VmCell`], whose borrow rules need the machine as the token.

pub mod attrs;
pub mod bootstrap;
pub mod gc;
mod reference;
pub mod weak;

pub use reference::{Ref, VmCell};

#[cfg(target_arch = "wasm32")]
use crate::allocator::allocate;
use crate::objects::types::Type;
use crate::value::Value;
use std::alloc::Layout;
#[cfg(not(target_arch = "wasm32"))]
use std::alloc::alloc as allocate;
use std::any::TypeId;
use std::cell::{Cell, UnsafeCell};
use std::ptr::NonNull;

/// What an object's payload is, for quick tests. Payloads without a kind of their own are `Other`.
#[allow(missing_docs)] // the names are those of the Python types
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Kind {
    Other = 1,
    Instance,
    Int,
    Float,
    Complex,
    Str,
    Bytes,
    ByteArray,
    Tuple,
    List,
    Dict,
    Set,
    FrozenSet,
    Range,
    Slice,
    Cell,
    Code,
    Function,
    Method,
    Native,
    MethodDescriptor,
    SlotWrapper,
    Property,
    StaticMethod,
    ClassMethod,
    Member,
    GetSet,
    Type,
    Module,
    Generator,
    Exception,
    Super,
    RangeIter,
    ListIter,
    TupleIter,
    DictIter,
    StrIter,
    Enumerate,
    Zip,
    Map,
    Filter,
}

/// Header flag: the class has `__del__`, or the payload wants its finaliser run.
pub const HAS_FINALIZER: u8 = 1;
/// Header flag: the finaliser has run (it runs once in an object's life, PEP 442).
pub const FINALIZED: u8 = 2;
/// Header flag: weak references to this object exist.
pub const HAS_WEAKREFS: u8 = 4;
/// Header flag: the attribute area is there.
pub const HAS_ATTRS: u8 = 8;

/// A count at or above this is never changed and its object never freed: objects of the boot image, so that using them
/// does not dirty their pages.
const IMMORTAL: u32 = 1 << 31;

/// What every object begins with.
#[repr(C)]
pub struct Header {
    count: Cell<u32>,
    /// Position in the collector's list, plus one; 0 when not tracked.
    gc_index: Cell<u32>,
    class: Cell<NonNull<Boxed<Type>>>,
    kind: Kind,
    /// `kind` when the object is of exactly the built-in class, 0 for instances of subclasses and for `Kind::Other`.
    exact: u8,
    flags: Cell<u8>,
}

/// A payload with its header.
#[repr(C)]
pub struct Boxed<T> {
    pub(crate) header: Header,
    pub(crate) payload: T,
}

/// Visits everything an object owns.
type Traverse = unsafe fn(*const Header, &mut dyn FnMut(&Value));

/// What the heap must know of a payload type.
pub struct VTable {
    /// Quick kind.
    pub kind: Kind,
    /// Rust type of the payload.
    pub type_id: TypeId,
    /// Size of header and payload without tail.
    pub size: usize,
    /// Whether objects may be part of cycles, and are tracked by the collector.
    pub collectable: bool,
    /// Bytes of the tail of this object, if such objects have one.
    tail: Option<unsafe fn(*const Header) -> usize>,
    traverse: Traverse,
    clear: unsafe fn(*mut Header),
    drop: unsafe fn(*mut Header),
    needs_finalizer: Option<unsafe fn(*const Header) -> bool>,
}

impl VTable {
    /// Where the attribute area of an object is, if it has one, and where the object without it ends: bytes from its start.
    ///
    /// # Safety
    /// The object is live and this is its table.
    #[inline(always)]
    pub(crate) unsafe fn size_with_tail(&self, object: *const Header) -> usize {
        // SAFETY: by contract.
        let tail = self.tail.map_or(0, |f| unsafe { f(object) });
        round_up(self.size + tail)
    }

    /// Whether the machine has to do something before the object dies.
    ///
    /// # Safety
    /// The object is live and this is its table.
    #[inline(always)]
    unsafe fn needs_finalizer(&self, object: *const Header) -> bool {
        // SAFETY: by contract.
        self.needs_finalizer.is_some_and(|f| unsafe { f(object) })
    }
}

/// A Rust type that can be the payload of an object.
///
/// # Safety
/// `traverse` visits every `Value` and `Ref` that the payload (and its tail) owns exactly once, and nothing else; `tail` is constant or as the payload's
/// allocation was made; `class` always answers the same class, whose layout is this payload.
pub unsafe trait Payload: Sized + 'static {
    /// Quick kind.
    const KIND: Kind = Kind::Other;
    /// Whether objects may be part of cycles.
    const COLLECTABLE: bool = true;

    /// Where the built-in class is kept; written with [`class_slot!`](crate::class_slot).
    fn class_slot() -> &'static std::thread::LocalKey<crate::objects::types::ClassSlot>;

    /// The built-in class of this payload.
    #[inline(always)]
    fn class() -> &'static Ref<Type> {
        Self::class_slot().with(|slot| slot.get())
    }

    /// Answers the bytes behind the payload that belong to it. A constant and no method, so that what has none is known without a call: calls are dear
    /// in metered WebAssembly.
    const TAIL: Option<fn(&Self) -> usize> = None;

    /// Visits what the payload owns. Used by the collector only.
    fn traverse(&self, visit: &mut dyn FnMut(&Value));

    /// Drops what may close a cycle. Used by the collector only; the object stays valid.
    fn clear(&mut self) {}

    /// Answers whether the machine has to do something before this object dies (a suspended generator with `finally` blocks).
    const NEEDS_FINALIZER: Option<fn(&Self) -> bool> = None;

    /// Drops what lives in the tail.
    ///
    /// # Safety
    /// Called once, before the payload itself is dropped.
    unsafe fn drop_tail(&mut self) {}
}

struct TableOf<T>(T);

impl<T: Payload> TableOf<T> {
    const TABLE: VTable = VTable {
        kind: T::KIND,
        type_id: TypeId::of::<T>(),
        size: size_of::<Boxed<T>>(),
        collectable: T::COLLECTABLE,
        tail: match T::TAIL {
            Some(_) => {
                Some(|h| unsafe { T::TAIL.map_or(0, |f| f(&(*(h as *const Boxed<T>)).payload)) })
            }
            None => None,
        },
        traverse: |h, visit| unsafe { (*(h as *const Boxed<T>)).payload.traverse(visit) },
        clear: |h| unsafe { (*(h as *mut Boxed<T>)).payload.clear() },
        drop: |h| unsafe {
            let payload = &raw mut (*(h as *mut Boxed<T>)).payload;
            (*payload).drop_tail();
            std::ptr::drop_in_place(payload);
        },
        needs_finalizer: match T::NEEDS_FINALIZER {
            Some(_) => Some(|h| unsafe {
                T::NEEDS_FINALIZER.is_some_and(|f| f(&(*(h as *const Boxed<T>)).payload))
            }),
            None => None,
        },
    };
}

/// The table of a payload type.
pub fn vtable<T: Payload>() -> &'static VTable {
    &TableOf::<T>::TABLE
}

impl Header {
    /// The object's class.
    #[inline(always)]
    pub fn class(&self) -> &Ref<Type> {
        // SAFETY: `class` holds a counted reference; `Ref` is a transparent pointer.
        unsafe { &*(self.class.as_ptr() as *const Ref<Type>) }
    }

    /// Assigns the class (`obj.__class__ = C`). The caller has checked that the layouts agree.
    pub fn set_class(&self, class: Ref<Type>) {
        let old = self.class.replace(class.into_ptr());
        // SAFETY: the header owned one count of the old class.
        drop(unsafe { Ref::<Type>::from_ptr(old) });
    }

    /// Address of the class, for comparing.
    #[inline(always)]
    pub fn class_ptr(&self) -> *const Boxed<Type> {
        self.class.get().as_ptr()
    }

    /// Quick kind.
    #[inline(always)]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Whether the object is of exactly the built-in class of `kind` (not `Other`).
    #[inline(always)]
    pub fn is_exact_kind(&self, kind: Kind) -> bool {
        self.exact == kind as u8
    }

    /// Whether the payload is `T`.
    #[inline(always)]
    pub fn has_payload<T: Payload>(&self) -> bool {
        match T::KIND {
            Kind::Other => self.class().vtable.type_id == TypeId::of::<T>(),
            kind => self.kind == kind,
        }
    }

    /// Whether the object is of exactly the class of payload `T`.
    #[inline(always)]
    pub fn is_exact<T: Payload>(&self) -> bool {
        match T::KIND {
            Kind::Other => self.class_ptr() == T::class().as_ptr(),
            kind => self.exact == kind as u8,
        }
    }

    /// Number of owners; for `sys.getrefcount` and for the tests that allow changing an object in place.
    #[inline(always)]
    pub fn count(&self) -> u32 {
        self.count.get()
    }

    /// One more owner.
    #[inline(always)]
    pub fn count_up(&self) {
        let n = self.count.get();
        if n < IMMORTAL {
            // A count that reaches IMMORTAL stays there: the object leaks instead of being freed early.
            self.count.set(n + 1);
        }
    }

    /// Makes the object live for ever.
    pub fn make_immortal(&self) {
        self.count.set(IMMORTAL);
    }

    /// Whether the object lives for ever.
    pub fn is_immortal(&self) -> bool {
        self.count.get() >= IMMORTAL
    }

    /// Whether a flag is set.
    #[inline(always)]
    pub fn flag(&self, flag: u8) -> bool {
        self.flags.get() & flag != 0
    }

    /// Sets a flag.
    pub fn set_flag(&self, flag: u8) {
        self.flags.set(self.flags.get() | flag);
    }

    /// Clears a flag.
    pub fn clear_flag(&self, flag: u8) {
        self.flags.set(self.flags.get() & !flag);
    }
}

/// The heap of a thread.
#[derive(Default)]
pub(crate) struct Heap {
    /// Objects that may be part of cycles.
    pub(crate) tracked: Vec<NonNull<Header>>,
    /// Objects that `gc.freeze` has taken out of the collector's sight.
    pub(crate) frozen: Vec<NonNull<Header>>,
    /// What collections of each generation have done so far.
    pub(crate) stats: [gc::Stats; 3],
    /// A collection is due when that many objects are tracked.
    pub(crate) threshold: usize,
    /// Objects waiting for the machine to run their finalisers.
    finalizers: Vec<Value>,
    /// Objects whose release was put off to keep the native stack flat.
    deferred: Vec<NonNull<Header>>,
    /// How many releases are nested now.
    depth: u32,
    pub(crate) weak: weak::WeakTable,
}

thread_local! {
    // Never dropped: at the end of a thread there is no machine left that could run finalisers.
    static HEAP: UnsafeCell<std::mem::ManuallyDrop<Heap>> = const { UnsafeCell::new(std::mem::ManuallyDrop::new(Heap {
        tracked: Vec::new(), frozen: Vec::new(), stats: [gc::Stats::NONE; 3], threshold: 50_000, finalizers: Vec::new(), deferred: Vec::new(), depth: 0, weak: weak::WeakTable::new(),
    })) };
    /// Counts down at back-edges and calls; at zero the machine polls. The heap sets it to zero when it needs the machine.
    static BUDGET: Cell<i32> = const { Cell::new(0) };
    /// Whether finalisers or callbacks of weak references wait for the machine.
    static DUE: Cell<bool> = const { Cell::new(false) };
}

/// Runs `f` on the thread's heap. `f` must not allocate or release objects.
pub(crate) fn with_heap<R>(f: impl FnOnce(&mut Heap) -> R) -> R {
    HEAP.with(|heap| {
        // SAFETY: no caller re-enters (see the contract above), so this is the only reference.
        f(unsafe { &mut *heap.get() })
    })
}

/// Whether `bytes` more can be allocated: asked before large allocations, so that the answer "no" becomes a `MemoryError` instead of an abort.
pub fn can_allocate(bytes: usize) -> bool {
    if bytes < 1 << 16 {
        return true;
    }
    if bytes > isize::MAX as usize - 64 {
        return false;
    }
    let Ok(layout) = Layout::from_size_align(bytes, ALIGN) else {
        return false;
    };
    // SAFETY: the size is not zero; the block is given back at once.
    unsafe {
        // The optimiser must not see that the block is unused, or it drops the question.
        let p = std::hint::black_box(std::alloc::alloc(layout));
        if p.is_null() {
            return false;
        }
        std::alloc::dealloc(p, layout);
    }
    true
}

/// Counts one step of the machine; true when it has to poll.
#[inline(always)]
pub fn spend_budget() -> bool {
    BUDGET.with(|b| {
        let left = b.get().saturating_sub(1);
        b.set(left);
        left < 0
    })
}

/// Sets the number of steps until the next poll.
pub fn set_budget(steps: i32) {
    BUDGET.with(|b| b.set(steps));
}

/// Counts work that one native operation does as so many steps: whoever does much in one goes on less long before the machine polls.
#[inline(always)]
pub fn charge(steps: usize) {
    BUDGET.with(|b| b.set(b.get().saturating_sub(steps.min(i32::MAX as usize) as i32)));
}

/// Counts the tries to find a place in a hash table. Where keys collide there are many, in what the machine takes for one step.
#[derive(Default)]
pub struct Tries(u32);

impl Tries {
    /// One more.
    #[inline(always)]
    pub fn one_more(&mut self) {
        self.0 += 1;
        if self.0.is_multiple_of(64) {
            charge(4);
        }
    }
}

/// Finalisers or callbacks of weak references are due: the machine looks after them at the next instruction that asks, at the latest at its next step.
pub fn request_poll() {
    set_budget(0);
    DUE.with(|due| due.set(true));
}

/// Whether finalisers or callbacks of weak references wait for the machine.
#[inline(always)]
pub fn is_finalization_due() -> bool {
    DUE.with(Cell::get)
}

/// Objects whose finalisers are due. The caller looks after the callbacks of weak references, too.
pub fn take_finalizers() -> Vec<Value> {
    DUE.with(|due| due.set(false));
    with_heap(|heap| std::mem::take(&mut heap.finalizers))
}

const ALIGN: usize = 8;

fn round_up(n: usize) -> usize {
    (n + ALIGN - 1) & !(ALIGN - 1)
}

/// Allocates an object of exactly the class of payload `T`.
#[inline]
pub fn alloc<T: Payload>(payload: T) -> Ref<T> {
    alloc_tail(payload, 0)
}

/// As [`alloc`], with `tail` bytes behind the payload, which the caller initialises. `T::TAIL` must answer `tail`.
#[inline]
pub fn alloc_tail<T: Payload>(payload: T, tail: usize) -> Ref<T> {
    let class = T::class();
    // SAFETY: the class is the payload's own, so no attribute area is expected.
    unsafe { alloc_raw(payload, class, tail, exact_kind::<T>(), 0) }
}

/// What the header of an object of exactly the class of payload `T` says.
const fn exact_kind<T: Payload>() -> u8 {
    match T::KIND {
        Kind::Other | Kind::Instance => 0,
        kind => kind as u8,
    }
}

/// Allocates an instance of `class`, a class whose layout is payload `T`; attributes start empty.
pub fn alloc_instance<T: Payload>(payload: T, class: &Ref<Type>, tail: usize) -> Ref<T> {
    assert!(
        class.vtable.type_id == TypeId::of::<T>(),
        "the class has another layout"
    );
    let is_exact = class.as_ptr() == T::class().as_ptr();
    if is_exact && class.attr_capacity().is_none() {
        return alloc_tail(payload, tail);
    }
    let exact = if is_exact { exact_kind::<T>() } else { 0 };
    // SAFETY: the layout was checked; the attribute area is as the class wants it.
    let object = unsafe {
        alloc_raw(
            payload,
            class,
            tail,
            exact,
            class.attr_capacity().map_or(0, attrs::Attrs::size),
        )
    };
    if let Some(capacity) = class.attr_capacity() {
        let header = object.header();
        header.set_flag(HAS_ATTRS);
        // SAFETY: the area was just allocated with room for `capacity` values.
        unsafe { attrs::Attrs::init(header, capacity) };
    }
    if !T::COLLECTABLE && !class.is_static() {
        // Text and numbers own nothing, but instances of their subclasses do: attributes, and their class.
        track(NonNull::from(object.header()));
    }
    if class.has_finalizer() {
        object.header().set_flag(HAS_FINALIZER);
    }
    object
}

/// Allocates and initialises header and payload.
///
/// # Safety
/// `class` has the layout of `T`, `attrs` is the size of its attribute area.
#[inline]
unsafe fn alloc_raw<T: Payload>(
    payload: T,
    class: &Ref<Type>,
    tail: usize,
    exact: u8,
    attrs: usize,
) -> Ref<T> {
    let size = if attrs == 0 {
        round_up(size_of::<Boxed<T>>() + tail)
    } else {
        round_up(size_of::<Boxed<T>>() + tail) + attrs
    };
    // SAFETY: the size is not zero.
    let p = unsafe { allocate(Layout::from_size_align_unchecked(size, ALIGN)) } as *mut Boxed<T>;
    let Some(p) = NonNull::new(p) else {
        out_of_memory(size)
    };
    let header = Header {
        count: Cell::new(1),
        gc_index: Cell::new(0),
        class: Cell::new(class.clone().into_ptr()),
        kind: T::KIND,
        exact,
        flags: Cell::new(0),
    };
    // SAFETY: fresh memory of the right size and alignment.
    unsafe { p.write(Boxed { header, payload }) };
    if T::COLLECTABLE {
        track(p.cast());
    }
    // SAFETY: the count of one is the result's.
    unsafe { Ref::from_ptr(p) }
}

/// Allocates an object whose class does not exist yet; it must be replaced before anybody looks at its class. For the boot of the machine.
pub(crate) fn alloc_placeholder(
    payload: crate::objects::module::Module,
) -> Ref<crate::objects::module::Module> {
    crate::objects::types::ClassBuilder::declare::<crate::objects::module::Module>("module");
    alloc(payload)
}

#[cold]
fn out_of_memory(size: usize) -> ! {
    std::alloc::handle_alloc_error(
        Layout::from_size_align(size, ALIGN).unwrap_or(Layout::new::<u8>()),
    )
}

#[inline]
fn track(p: NonNull<Header>) {
    let due = with_heap(|heap| {
        heap.tracked.push(p);
        // SAFETY: the header was just written.
        unsafe { p.as_ref() }
            .gc_index
            .set(heap.tracked.len() as u32);
        heap.tracked.len() >= heap.threshold
    });
    if due {
        request_poll();
    }
}

fn untrack(header: &Header) {
    let place = header.gc_index.replace(0);
    if place == 0 {
        return;
    }
    let index = (place & !gc::FROZEN) as usize;
    with_heap(|heap| {
        let list = if place & gc::FROZEN == 0 {
            &mut heap.tracked
        } else {
            &mut heap.frozen
        };
        let Some(last) = list.pop() else {
            return;
        };
        if index <= list.len() {
            list[index - 1] = last;
            // SAFETY: tracked objects are live.
            unsafe { last.as_ref() }.gc_index.set(place);
        }
    });
}

/// One owner fewer; frees the object when it was the last.
///
/// # Safety
/// The caller owned one count of a live object.
#[inline(always)]
pub unsafe fn count_down(p: *mut Header) {
    // SAFETY: the object is live.
    let header = unsafe { &*p };
    let n = header.count.get();
    if n < IMMORTAL {
        header.count.set(n - 1);
        if n == 1 {
            // SAFETY: nobody owns it any more.
            unsafe { release(NonNull::new_unchecked(p)) }
        }
    }
}

/// How deep releases nest before they are put off.
const MAX_RELEASE_DEPTH: u32 = 48;

/// Frees an object without owners, or queues it for its finaliser.
///
/// # Safety
/// The object is live and its count is zero.
#[inline(never)]
unsafe fn release(p: NonNull<Header>) {
    // SAFETY: live by contract.
    let header = unsafe { p.as_ref() };
    let table = header.class().vtable;
    if header.flags.get() == 0 && !table.collectable && header.gc_index.get() == 0 {
        // Text, bytes, numbers: nothing but memory.
        // SAFETY: as below; such objects own no long chains of others.
        unsafe { free(p) };
        return;
    }
    if !header.flag(FINALIZED)
        // SAFETY: the table is the object's.
        && (header.flag(HAS_FINALIZER) || unsafe { table.needs_finalizer(p.as_ptr()) })
    {
        header.count.set(1);
        header.set_flag(FINALIZED);
        // SAFETY: the count of one goes into the queue.
        let value = unsafe { Value::from_bits(p.as_ptr() as usize as u64) };
        with_heap(|heap| heap.finalizers.push(value));
        request_poll();
        return;
    }
    if header.flag(HAS_WEAKREFS) {
        weak::clear(header);
    }
    untrack(header);
    let put_off = with_heap(|heap| {
        if heap.depth >= MAX_RELEASE_DEPTH {
            heap.deferred.push(p);
            return true;
        }
        heap.depth += 1;
        false
    });
    if put_off {
        return;
    }
    // SAFETY: released once, here or in the loop below.
    unsafe { free(p) };
    if with_heap(|heap| {
        heap.depth -= 1;
        heap.depth == 0 && !heap.deferred.is_empty()
    }) {
        with_heap(|heap| heap.depth = 1);
        while let Some(p) = with_heap(|heap| heap.deferred.pop()) {
            // SAFETY: put off above, when its count was zero; nobody else knows it.
            unsafe { free(p) };
        }
        with_heap(|heap| heap.depth = 0);
    }
}

/// Drops payload and attributes and gives the memory back.
///
/// # Safety
/// The object is live, without owners, untracked.
unsafe fn free(p: NonNull<Header>) {
    // SAFETY: by contract; the class is kept until the end by the header's own count.
    unsafe {
        let header = p.as_ref();
        let class = header.class.get();
        let table = header.class().vtable;
        let mut size = table.size_with_tail(p.as_ptr());
        if header.flag(HAS_ATTRS) {
            size += attrs::Attrs::drop_area(header);
        }
        (table.drop)(p.as_ptr());
        std::alloc::dealloc(
            p.as_ptr() as *mut u8,
            Layout::from_size_align_unchecked(size, ALIGN),
        );
        drop(Ref::<Type>::from_ptr(class));
    }
}

/// Makes every live object immortal and forgets what was tracked: for the image that all sandboxes start from. `ready` sees what tracked objects own, to
/// put there what would be worked out later: it would be written to a page that all sandboxes share.
pub fn freeze(mut ready: impl FnMut(&Value)) {
    gc::for_each_tracked(|header| {
        header.make_immortal();
        header.gc_index.set(0);
        gc::visit_object(header, &mut |v| {
            if let Some(h) = v.header() {
                h.make_immortal();
                ready(v);
            }
        });
    });
    with_heap(|heap| {
        heap.tracked = Vec::new();
        heap.finalizers = Vec::new();
    });
}

/// Gives a payload type its class slot: the item of [`Payload`] that finds the built-in class.
#[macro_export]
macro_rules! class_slot {
    () => {
        fn class_slot() -> &'static std::thread::LocalKey<$crate::objects::types::ClassSlot> {
            thread_local! {
                static CLASS: $crate::objects::types::ClassSlot = const { $crate::objects::types::ClassSlot::new() };
            }
            &CLASS
        }
    };
}
