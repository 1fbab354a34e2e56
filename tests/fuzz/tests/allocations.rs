//! Decoding takes no more memory than the bytes warrant, whatever they claim.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use coldframe_fuzz::random::Random;
use coldframe_fuzz::random_values;
use coldframe_fuzz::value::Value;
use coldframe_fuzz::values::mutated;

/// Counts what the thread holds and the most that it has held.
struct Counting;

thread_local! {
    static NOW: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    NOW.set(NOW.get() + bytes);
    PEAK.set(PEAK.get().max(NOW.get()));
}

// SAFETY: the system's allocator does the work; `realloc` is that of the trait, by these two.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller keeps the contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the caller keeps the contract.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// The most that decoding takes, above what was there.
fn peak_of(bytes: &[u8]) -> usize {
    let before = NOW.get();
    PEAK.set(before);
    let _ = Value::decode(bytes);
    (PEAK.get() - before).max(0) as usize
}

#[test]
fn decoding_takes_what_the_bytes_warrant() {
    let check = |bytes: &[u8]| {
        // A byte can be a value of four words, in a vector that has just grown.
        let (peak, most) = (peak_of(bytes), 128 * bytes.len() + 1024);
        assert!(
            peak <= most,
            "{peak} bytes for {}: {:02x?}",
            bytes.len(),
            &bytes[..bytes.len().min(40)]
        );
    };
    let mut random = Random::new(5, 5);
    for seed in 0..3000 {
        let bytes = random_values::value(seed).encode().expect("it encodes");
        check(&bytes);
        for _ in 0..10 {
            check(&mutated(&mut random, &bytes));
        }
    }
    // Every head with every size that it can claim.
    for first in 0..=255u8 {
        for tail in [&[0xff; 8][..], &[0x7f, 0xff, 0xff, 0xff], &[0, 0, 0, 0, 1]] {
            let mut bytes = vec![first];
            bytes.extend_from_slice(tail);
            check(&bytes);
            check(&[&[0x81], &bytes[..]].concat());
            check(&[&[0xd9, 0x98, 0xbd], &bytes[..]].concat());
        }
    }
    check(&[0x80; 100_000]);
    check(&vec![0xf6; 100_000]);
    let mut long = vec![0x9a, 0, 1, 0, 0];
    long.resize(5 + 65_536, 0xf6);
    check(&long);
}
