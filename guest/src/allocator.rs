//! The allocator of the sandbox: free lists for small blocks, the system's allocator (dlmalloc) for the rest.
//!
//! Nearly all objects of the interpreter are small and short-lived, and their sizes repeat: taking one from the list of
//! its size class and putting it back are a few instructions. Blocks of a class are cut from chunks and stay with their
//! class; large blocks go back to the system's allocator and are merged there. When memory is used up, `alloc` returns
//! null, for large and small blocks alike.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr::null_mut;

/// Sizes are rounded up to a multiple of this, and blocks are aligned to it.
const GRAIN: usize = 16;

/// The largest size that is served from a free list.
const MAX_SMALL: usize = 1024;

const CLASSES: usize = MAX_SMALL / GRAIN + 1;

/// What is asked from the system's allocator at a time.
const CHUNK: usize = 64 << 10;

/// A block that nobody uses; it holds the next of its list.
struct Free {
    next: *mut Free,
}

/// The allocator.
pub struct Pools {
    /// Free blocks of each class, the class being the size in grains.
    lists: [Cell<*mut Free>; CLASSES],
    /// The rest of the chunk that blocks are cut from.
    rest: Cell<*mut u8>,
    rest_size: Cell<usize>,
}

impl Pools {
    /// An allocator that has nothing yet.
    #[allow(clippy::new_without_default, reason = "there is one")]
    pub const fn new() -> Pools {
        Pools {
            lists: [const { Cell::new(null_mut()) }; CLASSES],
            rest: Cell::new(null_mut()),
            rest_size: Cell::new(0),
        }
    }

    /// Cuts a block of `size` bytes, a multiple of the grain, from the chunk.
    #[cold]
    #[inline(never)]
    fn cut(&self, size: usize) -> *mut u8 {
        if self.rest_size.get() < size && !self.new_chunk() {
            // SAFETY: the size is not zero, and the grain is a power of two.
            return unsafe { System.alloc(Layout::from_size_align_unchecked(size, GRAIN)) };
        }
        let block = self.rest.get();
        self.rest_size.set(self.rest_size.get() - size);
        // SAFETY: at least `size` bytes are left.
        self.rest.set(unsafe { block.add(size) });
        block
    }

    fn new_chunk(&self) -> bool {
        // SAFETY: the size is not zero, and the grain is a power of two.
        let chunk = unsafe { System.alloc(Layout::from_size_align_unchecked(CHUNK, GRAIN)) };
        if chunk.is_null() {
            return false;
        }
        // What is left of the old chunk is too small for the present request, but is a block of some class.
        if self.rest_size.get() > 0 {
            // SAFETY: the rest belongs to nobody, is a multiple of the grain, and smaller than the request that did not fit.
            unsafe { self.put(self.rest.get(), self.rest_size.get() / GRAIN) };
        }
        self.rest.set(chunk);
        self.rest_size.set(CHUNK);
        true
    }

    /// Forgets what is free: blocks of later come from new chunks.
    fn forget_free(&self) {
        for list in &self.lists {
            list.set(null_mut());
        }
        self.rest.set(null_mut());
        self.rest_size.set(0);
    }

    /// Puts a block on the list of its class.
    ///
    /// # Safety
    /// The block is that of the class, came from this allocator, and is used by nobody.
    #[inline(always)]
    unsafe fn put(&self, block: *mut u8, class: usize) {
        let free = block.cast::<Free>();
        // SAFETY: a block is at least a grain large and aligned to it, which is enough for a pointer.
        unsafe { (*free).next = self.lists[class].get() };
        self.lists[class].set(free);
    }
}

/// Who asks for a large block is going to fill it, which is work that the machine's steps do not show.
#[inline(always)]
fn charge(size: usize) {
    crate::heap::charge(size >> 8);
}

/// The class of a layout, if it is small.
#[inline(always)]
fn class_of(size: usize, align: usize) -> Option<usize> {
    (size <= MAX_SMALL && align <= GRAIN).then(|| size.div_ceil(GRAIN))
}

// SAFETY: a block is handed out once until it comes back; its class has at least the size asked for and blocks are
// aligned to the grain; all other layouts are passed on.
unsafe impl GlobalAlloc for Pools {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some(class) = class_of(layout.size(), layout.align()) else {
            charge(layout.size());
            // SAFETY: by the caller's contract.
            return unsafe { System.alloc(layout) };
        };
        let free = self.lists[class].get();
        if free.is_null() {
            return self.cut(class * GRAIN);
        }
        // SAFETY: blocks on a list are ours and hold their successor.
        self.lists[class].set(unsafe { (*free).next });
        free.cast()
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match class_of(layout.size(), layout.align()) {
            // SAFETY: by the caller's contract the block has this layout, so it came from this class.
            Some(class) => unsafe { self.put(block, class) },
            // SAFETY: by the caller's contract.
            None => unsafe { System.dealloc(block, layout) },
        }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if class_of(layout.size(), layout.align()).is_none() {
            charge(layout.size());
            // SAFETY: by the caller's contract.
            return unsafe { System.alloc_zeroed(layout) };
        }
        // SAFETY: by the caller's contract; the block has the layout's size.
        unsafe {
            let block = self.alloc(layout);
            if !block.is_null() {
                block.write_bytes(0, layout.size());
            }
            block
        }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        let old = class_of(layout.size(), layout.align());
        let new = class_of(new_size, layout.align());
        if old.is_none() && new.is_none() {
            charge(new_size);
            // SAFETY: by the caller's contract, the block came from the system's allocator.
            return unsafe { System.realloc(block, layout, new_size) };
        }
        if old == new {
            return block;
        }
        // SAFETY: the new layout is valid by the caller's contract; the blocks are distinct and have the sizes.
        unsafe {
            let new_block = self.alloc(Layout::from_size_align_unchecked(new_size, layout.align()));
            if !new_block.is_null() {
                new_block.copy_from_nonoverlapping(block, layout.size().min(new_size));
                self.dealloc(block, layout);
            }
            new_block
        }
    }
}

/// The sandbox has one thread.
#[cfg(target_arch = "wasm32")]
pub mod global {
    use super::{GRAIN, GlobalAlloc, Layout, MAX_SMALL, Pools, System};

    /// The size of a page of WebAssembly's memory, by which memory grows.
    const PAGE: usize = 64 << 10;

    /// More than any hole has that is worth looking for.
    const LARGE: usize = 1 << 20;

    /// What one page table of the host's processor covers.
    const TABLE: usize = 2 << 20;

    /// What the tables that every program looks at, its first objects and its first registers take together, with some to spare.
    const HOT: usize = 512 << 10;

    /// Free memory in front of the stack of registers.
    const FRONT: usize = 192 << 10;

    // SAFETY: WebAssembly without the threads proposal has one thread.
    unsafe impl Sync for Pools {}

    #[global_allocator]
    pub(super) static POOLS: Pools = Pools::new();

    /// Gives up all memory that is free between what is in use, so that all that comes lies together behind it.
    ///
    /// This is for the image that every sandbox starts from. Blocks that the boot has freed are strewn over all of it: handed out again, each
    /// of them would make a page of the image one of the sandbox's own, which costs time when it is first written and when it is put back,
    /// and memory as long as the sandbox lives. A page of the image that nobody writes costs nobody anything, with or without holes.
    pub fn leave_holes() {
        POOLS.forget_free();
        let layout = |size: usize| Layout::from_size_align(size, GRAIN).ok();
        let Some(large) = layout(LARGE) else { return };
        // Blocks at the end of memory, and before it as many as there were holes of this size.
        let end = loop {
            // SAFETY: the size is not zero.
            let block = unsafe { System.alloc(large) };
            let after = core::arch::wasm32::memory_size(0) * PAGE;
            if block.is_null() || block.addr() + LARGE + 2 * PAGE > after {
                break block;
            }
        };
        let mut size = LARGE / 2;
        while size > MAX_SMALL && !end.is_null() {
            let Some(layout) = layout(size) else { break };
            loop {
                // SAFETY: the size is not zero; what is given back came from there with the same layout.
                unsafe {
                    let block = System.alloc(layout);
                    if block.is_null() {
                        break;
                    }
                    if block.addr() > end.addr() {
                        System.dealloc(block, layout);
                        break;
                    }
                }
            }
            // By halves, and at last what is just too large for the lists.
            size = match size / 2 {
                MAX_SMALL => MAX_SMALL + GRAIN,
                half => half,
            };
        }
        if !end.is_null() {
            // SAFETY: as above.
            unsafe { System.dealloc(end, large) };
        }
    }

    /// Gives up what is left of the stretch of memory that one page table covers, if it is too short for what all programs use. Only after
    /// [`leave_holes`], when all that is free lies at the end.
    pub fn fill_table() {
        let Ok(layout) = Layout::from_size_align(HOT, GRAIN) else {
            return;
        };
        // SAFETY: the size is not zero; what is given back came from there with the same layout.
        unsafe {
            let block = System.alloc(layout);
            if block.is_null() {
                return;
            }
            let left = TABLE - block.addr() % TABLE;
            System.dealloc(block, layout);
            if left < HOT
                && let Ok(rest) = Layout::from_size_align(left, GRAIN)
            {
                std::hint::black_box(System.alloc(rest));
            }
        }
    }

    /// Leaves free memory in front of what `f` allocates, for what is allocated after it.
    pub fn with_room_in_front(f: impl FnOnce()) {
        let Ok(layout) = Layout::from_size_align(FRONT, GRAIN) else {
            return f();
        };
        // SAFETY: the size is not zero; what is given back came from there with the same layout.
        unsafe {
            let block = System.alloc(layout);
            f();
            if !block.is_null() {
                System.dealloc(block, layout);
            }
        }
    }
}

/// What `std::alloc::alloc` does, but directly: the standard library's way leads through a function that does nothing, and calls are dear in metered
/// WebAssembly.
///
/// # Safety
/// The layout's size is not zero.
#[cfg(target_arch = "wasm32")]
#[inline(always)]
pub unsafe fn allocate(layout: Layout) -> *mut u8 {
    // SAFETY: by contract.
    unsafe { global::POOLS.alloc(layout) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_do_not_overlap_and_keep_their_contents() {
        let pools = Pools::new();
        let mut live: Vec<(*mut u8, Layout, u8)> = Vec::new();
        let mut state = 12345u64;
        let mut random = |below: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let check = |block: *mut u8, layout: Layout, mark: u8| {
            // SAFETY: the block is live and has the layout.
            let contents = unsafe { std::slice::from_raw_parts(block, layout.size()) };
            assert!(contents.iter().all(|&b| b == mark));
        };
        for round in 0..20_000 {
            let mark = round as u8;
            match random(4) {
                0 | 1 => {
                    let layout = Layout::from_size_align(1 + random(1500), 1 << random(6))
                        .expect("a layout");
                    // SAFETY: the size is not zero; the block is written within its size.
                    unsafe {
                        let block = if random(2) == 0 {
                            pools.alloc(layout)
                        } else {
                            pools.alloc_zeroed(layout)
                        };
                        assert!(!block.is_null() && block.addr().is_multiple_of(layout.align()));
                        block.write_bytes(mark, layout.size());
                        live.push((block, layout, mark));
                    }
                }
                2 if !live.is_empty() => {
                    let (block, layout, mark) = live.swap_remove(random(live.len()));
                    check(block, layout, mark);
                    // SAFETY: it came from this allocator with this layout.
                    unsafe { pools.dealloc(block, layout) };
                }
                3 if !live.is_empty() => {
                    let at = random(live.len());
                    let (block, layout, mark) = live[at];
                    check(block, layout, mark);
                    let size = 1 + random(1500);
                    // SAFETY: it came from this allocator with this layout; it is written within its new size.
                    unsafe {
                        let block = pools.realloc(block, layout, size);
                        let kept = std::slice::from_raw_parts(block, size.min(layout.size()));
                        assert!(kept.iter().all(|&b| b == mark));
                        block.write_bytes(mark, size);
                        live[at] = (
                            block,
                            Layout::from_size_align(size, layout.align()).expect("a layout"),
                            mark,
                        );
                    }
                }
                _ => {}
            }
        }
        for (block, layout, mark) in live {
            check(block, layout, mark);
            // SAFETY: it came from this allocator with this layout.
            unsafe { pools.dealloc(block, layout) };
        }
    }

    #[test]
    fn what_is_forgotten_is_not_handed_out() {
        let pools = Pools::new();
        let layout = Layout::from_size_align(40, 8).expect("a layout");
        // SAFETY: the blocks are given back with their layout and not used afterwards.
        unsafe {
            let one = pools.alloc(layout);
            pools.dealloc(one, layout);
            pools.forget_free();
            let two = pools.alloc(layout);
            assert_ne!(one, two);
            pools.dealloc(two, layout);
            assert_eq!(two, pools.alloc(layout));
        }
    }

    #[test]
    fn a_freed_block_is_used_again() {
        let pools = Pools::new();
        let layout = Layout::from_size_align(40, 8).expect("a layout");
        // SAFETY: the blocks are given back with their layout and not used afterwards.
        unsafe {
            let one = pools.alloc(layout);
            pools.dealloc(one, layout);
            let two = pools.alloc(Layout::from_size_align(48, 16).expect("a layout"));
            assert_eq!(one, two);
        }
    }
}
