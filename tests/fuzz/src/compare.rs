//! The second harness: programs of the grammar, here and under CPython. Knows how to ask both sides; nothing of the grammar.
//!
//! Both sides are processes that read programs and write outputs (`driver.py` and the command's `answer`), so that neither can take the harness
//! with it, and both are started anew when they die.

use std::fmt;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use crate::random::Random;
use crate::{grammar, machine, reduce};

/// Steps for a program of the grammar, which ends by itself.
const CHECKPOINTS: u64 = 100_000;

/// Programs that one process of ours runs.
const BATCH: u32 = 300;

/// No program takes that long.
const PATIENCE: Duration = Duration::from_secs(30);

/// Parts the stored programs from their outputs, and from each other.
const OUTPUT_MARK: &str = "\n#>>> output\n";
const PROGRAM_MARK: &str = "\n#>>> program\n";

/// One side of the comparison.
struct Side {
    start: Box<dyn Fn() -> Command>,
    process: Option<(Child, ChildStdin, Receiver<Vec<u8>>)>,
    asked: u32,
}

impl Side {
    fn new(start: impl Fn() -> Command + 'static) -> Side {
        Side {
            start: Box::new(start),
            process: None,
            asked: 0,
        }
    }

    fn stop(&mut self) {
        if let Some((mut child, _, _)) = self.process.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
        self.asked = 0;
    }

    fn begin(&mut self, program: &str) -> std::io::Result<()> {
        if self.asked >= BATCH {
            self.stop();
        }
        self.asked += 1;
        if self.process.is_none() {
            let mut child = (self.start)()
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()?;
            let (Some(stdin), Some(mut stdout)) = (child.stdin.take(), child.stdout.take()) else {
                return Err(std::io::Error::other("no pipe"));
            };
            let (sender, answers) = mpsc::channel();
            std::thread::spawn(move || {
                while let Ok(answer) = read_block(&mut stdout) {
                    if sender.send(answer).is_err() {
                        break;
                    }
                }
            });
            self.process = Some((child, stdin, answers));
        }
        match &mut self.process {
            Some((_, stdin, _)) => write_block(stdin, program.as_bytes()),
            None => Ok(()),
        }
    }

    fn end(&mut self) -> String {
        let answer = self
            .process
            .as_ref()
            .map(|(_, _, answers)| answers.recv_timeout(PATIENCE));
        match answer {
            Some(Ok(answer)) => masked(&String::from_utf8_lossy(&answer)),
            Some(Err(mpsc::RecvTimeoutError::Timeout)) => {
                self.stop();
                "\n!hangs".to_owned()
            }
            _ => {
                self.stop();
                "\n!the process died".to_owned()
            }
        }
    }
}

impl Drop for Side {
    fn drop(&mut self) {
        self.stop();
    }
}

fn read_block(from: &mut impl Read) -> std::io::Result<Vec<u8>> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let mut block = vec![0; u32::from_le_bytes(length) as usize];
    from.read_exact(&mut block)?;
    Ok(block)
}

fn write_block(to: &mut impl Write, block: &[u8]) -> std::io::Result<()> {
    to.write_all(&(block.len() as u32).to_le_bytes())?;
    to.write_all(block)?;
    to.flush()
}

/// Our side: reads programs and writes what they print.
pub fn answer() -> std::io::Result<()> {
    let (mut stdin, mut stdout) = (std::io::stdin(), std::io::stdout());
    while let Ok(program) = read_block(&mut stdin) {
        let text = here(&String::from_utf8_lossy(&program));
        write_block(&mut stdout, text.as_bytes())?;
    }
    Ok(())
}

/// What a program prints here, in the form of `driver.py`.
pub fn here(program: &str) -> String {
    let outcome = machine::run(program, CHECKPOINTS);
    let mut text = outcome.output;
    if let Some(panic) = outcome.panic {
        text = format!("!{panic}");
    }
    if let Some(error) = outcome.error {
        text.push_str("\n!");
        text.push_str(&error);
    }
    masked(&text)
}

/// Addresses are nobody's business.
fn masked(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(" at 0x") {
        let digits = &rest[at + 6..];
        let end = digits
            .find(|c: char| !c.is_ascii_hexdigit())
            .unwrap_or(digits.len());
        out.push_str(&rest[..at]);
        out.push_str(" at 0x");
        rest = &digits[end..];
    }
    out.push_str(rest);
    out
}

/// What CPython 3.13 prints, in the words of 3.14 where those changed.
fn modern(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let mut line = line.to_owned();
        for old in OLD_DIVISIONS {
            line = line.replace(old, "division by zero");
        }
        if let Some(at) = line.find("() argument 2 must be a byte string") {
            line.insert(at + 2, ':');
        }
        for (old, new) in OLD_TEXTS {
            line = line.replace(old, new);
        }
        out.push_str(&line);
    }
    out
}

/// How 3.13 words a division by zero; 3.14 has one text for all.
const OLD_DIVISIONS: &[&str] = &[
    "integer division or modulo by zero",
    "integer modulo by zero",
    "float division by zero",
    "float floor division by zero",
    "float modulo by zero",
    "float modulo",
    "complex division by zero",
    "float divmod()",
];

/// Other texts that 3.14 changed.
const OLD_TEXTS: &[(&str, &str)] = &[
    (
        "0.0 to a negative or complex power",
        "zero to a negative or complex power",
    ),
    (
        "0.0 cannot be raised to a negative power",
        "zero to a negative power",
    ),
];

/// Where 3.13 and 3.14 word things differently, the line ends here: what comes before these words, or behind them.
const REWORDED: &[(&str, bool)] = &[
    ("TypeError complex()", true),
    ("too many values to unpack (expected", true),
    ("cannot use '", false),
    ("unhashable type", false),
    ("RecursionError maximum recursion depth exceeded", true),
    ("cannot convert dictionary update sequence", false),
    ("object is not iterable", false),
    ("TypeError anext()", true),
    ("fromhex() argument must be str", true),
    ("TypeError map()", true),
    ("%c requires", true),
    ("must be a byte string of length 1", true),
    ("TypeError __complex__ returned", false),
    ("__complex__() must return", false),
    (" is not in list", false),
    ("list.index(x): x not in list", false),
    ("is not a container or iterable", false),
    ("is not iterable", false),
];

/// The words that both versions have.
fn blurred(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        // The order of "can't be awaited" is turned around in the older text; what is before it does not count then.
        if line.contains("'await' expression") || line.contains("can't be awaited") {
            out.push_str("await\n");
            continue;
        }
        let end = REWORDED.iter().find_map(|(words, behind)| {
            let at = line.find(words)?;
            Some(if *behind { at + words.len() } else { at })
        });
        match end {
            Some(end) => {
                // Without the name of an element that is not found, which only the older text has.
                let kept = &line[..end];
                let kept = kept
                    .find(" ValueError ")
                    .filter(|_| line.contains("in list"))
                    .map_or(kept, |at| &kept[..at]);
                out.push_str(kept);
                out.push('\n');
            }
            None => out.push_str(line),
        }
    }
    out
}

/// Both sides.
pub struct Pair {
    ours: Side,
    theirs: Side,
}

impl Pair {
    /// Finds CPython, or says why it cannot be asked.
    pub fn new(python: &Path) -> Result<Pair, String> {
        let version = Command::new(python)
            .args([
                "-c",
                "import sys; print(sys.version_info[:2] >= (3, 13) and sys.implementation.name)",
            ])
            .output()
            .map_err(|error| format!("{}: {error}", python.display()))?;
        if version.stdout.trim_ascii() != b"cpython" {
            return Err(format!("{} is no CPython 3.13 or later", python.display()));
        }
        let own = std::env::current_exe().map_err(|error| error.to_string())?;
        let python = python.to_owned();
        Ok(Pair {
            ours: Side::new(move || {
                let mut command = Command::new("sh");
                command
                    .args(["-c", "ulimit -v 6291456; ulimit -c 0; exec \"$0\" answer"])
                    .arg(&own);
                command
            }),
            theirs: Side::new(move || {
                let mut command = Command::new(&python);
                command
                    .args(["-I", "-c", include_str!("driver.py")])
                    .env("PYTHONHASHSEED", "0");
                command
            }),
        })
    }

    /// What both print: ours, and CPython's.
    pub fn ask(&mut self, program: &str) -> (String, String) {
        let started = [self.ours.begin(program), self.theirs.begin(program)];
        if started.iter().any(Result::is_err) {
            self.ours.stop();
            self.theirs.stop();
        }
        (
            blurred(&self.ours.end()),
            blurred(&modern(&self.theirs.end())),
        )
    }

    /// Whether a program differs in a way that counts.
    pub fn differs(&mut self, program: &str) -> bool {
        let (ours, theirs) = self.ask(program);
        ours != theirs && !theirs.contains("\n!SyntaxError") && !theirs.ends_with("CPython died")
    }
}

/// Figures of a run.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Programs that were compared.
    pub programs: u64,
    /// Lines of output that were compared.
    pub lines: u64,
    /// Programs whose outputs differ.
    pub differing: u64,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} programs, {} lines of output, {} programs differ",
            self.programs, self.lines, self.differing
        )
    }
}

/// Compares for some time. Each program that differs is kept in the folder, made smaller, with both outputs.
pub fn run(
    python: &Path,
    seed: u64,
    first: u64,
    duration: Duration,
    folder: &Path,
) -> Result<Report, String> {
    let io = |error: std::io::Error| error.to_string();
    std::fs::create_dir_all(folder).map_err(io)?;
    let mut pair = Pair::new(python)?;
    let end = Instant::now() + duration;
    let mut report = Report::default();
    let mut index = first;
    // How often each kind of difference has been seen: only the first ones are made smaller.
    let mut seen = std::collections::BTreeMap::new();
    while Instant::now() < end {
        let program = grammar::program(&mut Random::new(seed, index));
        let (ours, theirs) = pair.ask(&program);
        report.programs += 1;
        report.lines += theirs.lines().count() as u64;
        if theirs.contains("\n!SyntaxError") {
            println!(
                "compare-{seed}-{index}: the grammar made no program: {}",
                last(&theirs)
            );
            let _ = std::fs::write(folder.join(format!("bad-{seed}-{index}.py")), &program);
        } else if ours != theirs {
            report.differing += 1;
            let times: &mut u32 = seen.entry(kind(&difference(&ours, &theirs))).or_default();
            *times += 1;
            if *times > 2 {
                index += 1;
                continue;
            }
            let small = reduce::reduce(&program, Duration::from_secs(8), |p| pair.differs(p));
            let (ours, theirs) = pair.ask(&small);
            let name = format!("compare-{seed}-{index}.py");
            let difference = difference(&ours, &theirs);
            println!("{name}\n{difference}");
            std::fs::write(folder.join(&name), &small).map_err(io)?;
            std::fs::write(folder.join(name + ".txt"), difference).map_err(io)?;
        }
        index += 1;
    }
    Ok(report)
}

/// The words of a difference, without numbers and literals.
fn kind(difference: &str) -> String {
    let mut kind = String::new();
    let mut quoted = false;
    for c in difference.chars() {
        match c {
            '\'' => quoted = !quoted,
            '\n' => quoted = false,
            c if quoted || c.is_ascii_digit() => {}
            c => kind.push(c),
        }
    }
    kind
}

/// Makes a program smaller that differs.
pub fn reduce(python: &Path, program: &str) -> Result<String, String> {
    let mut pair = Pair::new(python)?;
    if !pair.differs(program) {
        return Err("the program does not differ".to_owned());
    }
    let small = reduce::reduce(program, Duration::from_secs(300), |p| pair.differs(p));
    let (ours, theirs) = pair.ask(&small);
    Ok(format!("{small}\n{}", difference(&ours, &theirs)))
}

fn last(text: &str) -> &str {
    text.lines().last().unwrap_or_default()
}

/// The first line that differs.
fn difference(ours: &str, theirs: &str) -> String {
    let (mut a, mut b) = (ours.lines(), theirs.lines());
    loop {
        match (a.next(), b.next()) {
            (None, None) => return "  equal but for line ends".to_owned(),
            (x, y) if x != y => {
                return format!(
                    "  CPython: {}\n  here:    {}",
                    y.unwrap_or("<end>"),
                    x.unwrap_or("<end>")
                );
            }
            _ => {}
        }
    }
}

/// The file of stored programs with CPython's outputs.
pub fn stored_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stored.txt")
}

/// Writes the stored programs anew: those of the grammar on which both sides agree now.
pub fn store(python: &Path, seed: u64, count: u64) -> Result<(), String> {
    let mut pair = Pair::new(python)?;
    let mut text = String::new();
    let mut kept = 0;
    for index in 0..count * 3 {
        if kept == count {
            break;
        }
        let program = grammar::program(&mut Random::new(seed, index));
        let (ours, theirs) = pair.ask(&program);
        // Some are long, and show no more for it.
        if ours != theirs || program.len() + theirs.len() > 16_000 {
            println!("left out: program {index} differs or is long");
            continue;
        }
        kept += 1;
        // All begin alike.
        text.push_str(program.strip_prefix(grammar::PRELUDE).unwrap_or(&program));
        text.push_str(OUTPUT_MARK);
        text.push_str(&theirs);
        text.push_str(PROGRAM_MARK);
    }
    std::fs::write(stored_path(), text).map_err(|error| error.to_string())
}

/// Compares the stored programs without CPython; what differs.
pub fn stored_differences(text: &str) -> (usize, Vec<String>) {
    let mut wrong = Vec::new();
    let mut count = 0;
    for (index, part) in text.split(PROGRAM_MARK).enumerate() {
        let Some((program, want)) = part.split_once(OUTPUT_MARK) else {
            continue;
        };
        count += 1;
        let got = blurred(&here(&format!("{}{program}", grammar::PRELUDE)));
        let want = blurred(want);
        if got != want {
            wrong.push(format!(
                "stored program {index}\n{}",
                difference(&got, &want)
            ));
        }
    }
    (count, wrong)
}
