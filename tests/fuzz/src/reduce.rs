//! Makes a program smaller that shows something. Knows lines and indentation, and asks whether a smaller one still shows it.

use std::time::{Duration, Instant};

/// Tries to remove statements, and to put the body of a block in its place, as long as `shows` holds and there is time.
pub fn reduce(program: &str, time: Duration, mut shows: impl FnMut(&str) -> bool) -> String {
    let end = Instant::now() + time;
    let mut lines: Vec<String> = program.lines().map(str::to_owned).collect();
    let join = |lines: &[String]| lines.join("\n") + "\n";
    // Large pieces first.
    let mut size = lines.len() / 2;
    while size > 1 {
        let mut at = 0;
        while at < lines.len() && Instant::now() < end {
            let mut fewer = lines.clone();
            fewer.drain(at..(at + size).min(lines.len()));
            if shows(&join(&fewer)) {
                lines = fewer;
            } else {
                at += size;
            }
        }
        size /= 2;
    }
    loop {
        let before = lines.clone();
        let mut at = 0;
        while at < lines.len() && Instant::now() < end {
            let block = block(&lines, at);
            let mut fewer = lines.clone();
            fewer.drain(at..block);
            if shows(&join(&fewer)) {
                lines = fewer;
                continue;
            }
            if block > at + 1 {
                let body = dedented(&lines, at, block);
                let mut flat = lines.clone();
                flat.splice(at..block, body);
                if shows(&join(&flat)) {
                    lines = flat;
                    continue;
                }
                // A body that is needed as such may be empty.
                let indent = " ".repeat(indent(&lines[at]) + 4);
                let mut empty = lines.clone();
                empty.splice(at + 1..block, [format!("{indent}pass")]);
                if empty != lines && shows(&join(&empty)) {
                    lines = empty;
                }
            }
            at += 1;
        }
        if lines == before || Instant::now() >= end {
            return join(&lines);
        }
    }
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Where the block that a line begins ends.
fn block(lines: &[String], at: usize) -> usize {
    let mut end = at + 1;
    while end < lines.len() && indent(&lines[end]) > indent(&lines[at]) {
        end += 1;
    }
    end
}

fn dedented(lines: &[String], at: usize, end: usize) -> Vec<String> {
    let by = indent(&lines[at + 1]).saturating_sub(indent(&lines[at]));
    lines[at + 1..end]
        .iter()
        .map(|line| line.get(by..).unwrap_or_default().to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_line_that_counts() {
        let program = "a = 1\nif a:\n    b = 2\n    while b:\n        c = 3\n        bad\n    d = 4\nelse:\n    e = 5\n";
        let small = reduce(program, Duration::from_secs(10), |p| {
            p.contains("bad") && coldframe_frontend::parse_module(p).is_ok()
        });
        assert_eq!(small, "bad\n");
    }
}
