//! Times `findall` over the patterns of `bench.txt`: cargo run --release --example bench [name].
//! `bench.py` does the same with CPython.

use std::time::{Duration, Instant};

use coldframe_regex::{Cursor, Flags, Mode, Pattern, PatternSource, Scratch, Unit};

fn subject(name: &str) -> &'static str {
    match name {
        "prose" => {
            "The quick brown fox jumps over the lazy dog. Pack my box with five dozen liquor jugs!\n"
        }
        "html" => {
            "<div class=\"item\" id=\"x1\"><b>Title</b> <a href=\"http://example.com/\">link</a><br></div>\n"
        }
        "log" => {
            "2024-03-15T10:22:33 INFO: user=bob@example.com ip=192.168.10.24 status=200 time=0.35s path=/index.html\n"
        }
        "code" => {
            "def area(radius, scale=1.5):  # circle\n    return 3.14159 * radius ** 2 + len(\"a \\\"b\\\" c\")\n"
        }
        "csv" => "1001, 2500000,\"Smith, John\" ,42 , 19.99,yes\n",
        "aaa" => "aaaaaaaaaaaaaaaaaaaaaa",
        "wide" => "Съешь же ещё этих мягких французских булок, да выпей чаю. 42\n",
        _ => "range 10-25",
    }
}

fn count<U: Unit>(pattern: &Pattern, text: &[U], scratch: &mut Scratch) -> usize {
    let mut cursor = Cursor::new(Mode::Search, 0, text.len());
    let mut count = 0;
    while cursor
        .next(pattern, text, scratch, &mut || true)
        .unwrap_or(false)
    {
        count += 1;
    }
    count
}

fn main() {
    let only = std::env::args().nth(1);
    for line in include_str!("bench.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
    {
        let fields: Vec<&str> = line.split('\t').collect();
        let [name, text, repeat, source] = fields[..] else {
            continue;
        };
        if only.as_deref().is_some_and(|only| only != name) {
            continue;
        }
        let chars: Vec<u32> = source.chars().map(u32::from).collect();
        let text = subject(text).repeat(repeat.parse().unwrap_or(1));
        let wide: Vec<u32> = text.chars().map(u32::from).collect();
        let pattern = Pattern::compile(PatternSource::Str(&chars), Flags::NONE).expect(name);
        let mut scratch = Scratch::default();
        let mut best = Duration::MAX;
        let mut found = 0;
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_millis(150) {
            let start = Instant::now();
            found = if text.is_ascii() {
                count(&pattern, text.as_bytes(), &mut scratch)
            } else {
                count(&pattern, &wide, &mut scratch)
            };
            best = best.min(start.elapsed());
        }
        let begin = Instant::now();
        for _ in 0..100 {
            std::hint::black_box(Pattern::compile(PatternSource::Str(&chars), Flags::NONE).is_ok());
        }
        let compile = begin.elapsed() / 100;
        println!(
            "{name}\t{:.2}\t{found}\t{:.2}",
            best.as_nanos() as f64 / 1000.0,
            compile.as_nanos() as f64 / 1000.0
        );
    }
}
