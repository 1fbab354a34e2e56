//! Pages that programs write: `cargo bench --workspace --bench pages [-- PROGRAM ...]`.
//!
//! What a session writes is copied back when it ends, and every entry of every page table that it used is looked at, so both cost time: this counts the tables,
//! the pages that are present (the system brings neighbours in, too), those written, and the pieces in which these lie
//! (beyond 32 pieces, wasmtime gives the rest of the memory back to the system, and the next session pays with page faults). Each program gets a fresh engine, so
//! that no session before it has left pages. Linux only.

mod workloads;

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;

use coldframe::{Engine, Error, Policy};

const PAGE: u64 = 4096;

/// What one page table covers.
const TABLE: u64 = 512 * PAGE;

/// The pages of the image of memory that are mapped writable: those of a slot of the pool.
fn images() -> Vec<Range<u64>> {
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let mut found: Vec<Range<u64>> = Vec::new();
    for line in maps.lines() {
        let mut words = line.split_whitespace();
        let (Some(range), Some(rights)) = (words.next(), words.next()) else {
            continue;
        };
        let Some((start, end)) = range.split_once('-') else {
            continue;
        };
        let number = |text| u64::from_str_radix(text, 16).unwrap_or(0);
        let range = number(start)..number(end);
        let follows = found.last().is_some_and(|last| last.end == range.start);
        if rights.starts_with("rw-p") && (line.contains("wasm-memory-image") || follows) {
            found.push(range);
        }
    }
    found
}

/// What the kernel says of each page: bit 63 for those that are present, bit 61 for those of a file.
fn pages(range: &Range<u64>) -> std::io::Result<Vec<u64>> {
    let mut file = fs::File::open("/proc/self/pagemap")?;
    file.seek(SeekFrom::Start(range.start / PAGE * 8))?;
    let mut bytes = vec![0; ((range.end - range.start) / PAGE * 8) as usize];
    file.read_exact(&mut bytes)?;
    let words = bytes.chunks_exact(8);
    Ok(words
        .map(|word| u64::from_le_bytes(word.try_into().unwrap_or_default()))
        .collect())
}

async fn count(name: &str, source: &str) -> Result<(), Error> {
    let engine = Engine::new()?;
    let mut session = engine.session(&Policy::default()).await?;
    session.set_tools(&workloads::tools()?).await?;
    workloads::run(&mut session, source).await?;
    let (mut present, mut written, mut pieces, mut list) = (0, 0, 0, String::new());
    let mut tables = BTreeSet::new();
    for range in images() {
        let words = pages(&range).map_err(|e| Error::Engine(e.to_string()))?;
        let mut before = false;
        for (n, word) in words.iter().enumerate() {
            let is_present = word >> 63 == 1;
            let is_written = is_present && word >> 61 & 1 == 0;
            present += u32::from(is_present);
            if is_present {
                tables.insert((range.start + n as u64 * PAGE) / TABLE);
            }
            written += u32::from(is_written);
            if is_written && !before {
                pieces += 1;
                list += &format!(" {:x}", (range.start + n as u64 * PAGE) & 0xfff_ffff);
            }
            before = is_written;
        }
    }
    let tables = tables.len();
    println!("{name:<12} {tables:>8} {present:>8} {written:>8} {pieces:>8}");
    if std::env::var_os("PIECES").is_some() {
        println!("   {list}");
    }
    Ok(())
}

fn main() -> Result<(), Error> {
    let asked: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    let runtime = workloads::runtime()?;
    println!(
        "{:<12} {:>8} {:>8} {:>8} {:>8}",
        "", "tables", "present", "written", "pieces"
    );
    if asked.is_empty() {
        for (name, source) in [
            ("nothing", ""),
            ("1+1", workloads::LEAST),
            ("small", workloads::SMALL_SCRIPT),
            ("agent", workloads::AGENT),
        ]
        .into_iter()
        .chain(workloads::PROGRAMS)
        {
            runtime.block_on(count(name, source))?;
        }
    }
    for source in asked {
        runtime.block_on(count(&source, &source))?;
    }
    Ok(())
}
