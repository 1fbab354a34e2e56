//! Reads the program, and says what is wrong with it if it is not text.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use super::Refusal;
use super::args::Run;

/// A source larger than this is not read: no limit allows the memory to compile it.
const MAX_SOURCE: u64 = 1 << 30;

/// A program and the name that its tracebacks show.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) name: String,
    pub(super) text: String,
}

/// Reads what the arguments name.
pub(super) fn read(run: &mut Run) -> Result<Source, Refusal> {
    if let Some(code) = run.code.take() {
        return code_given(code);
    }
    match &run.file {
        Some(path) => read_path(path),
        None => read_path(Path::new("-")),
    }
}

/// A program that the command line itself contains.
pub(super) fn code_given(code: String) -> Result<Source, Refusal> {
    check("<string>", "the code given with -c", code.into_bytes())
}

/// Reads a file, or standard input for `-`.
pub(super) fn read_path(path: &Path) -> Result<Source, Refusal> {
    if path.as_os_str() == "-" {
        let bytes = limited(io::stdin().lock())
            .map_err(|e| Refusal::bad_input(format!("cannot read standard input: {e}")))?;
        return check("<stdin>", "standard input", bytes);
    }
    let name = path.to_string_lossy();
    let bytes =
        read_file(path).map_err(|e| Refusal::bad_input(format!("cannot read '{name}': {e}")))?;
    check(&name, &format!("'{name}'"), bytes)
}

fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let file = fs::File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::Error::new(
            io::ErrorKind::IsADirectory,
            "it is a directory",
        ));
    }
    limited(file)
}

fn limited(reader: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(MAX_SOURCE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_SOURCE {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            "it is larger than 1 GiB",
        ));
    }
    Ok(bytes)
}

fn check(name: &str, what: &str, bytes: Vec<u8>) -> Result<Source, Refusal> {
    let line = |at: usize| bytes[..at].iter().filter(|&&b| b == b'\n').count() + 1;
    if let Some(at) = bytes.iter().position(|&b| b == 0) {
        return Err(Refusal::bad_input(format!(
            "{what} contains a NUL byte in line {} (offset {at})",
            line(at)
        )));
    }
    let start = if bytes.starts_with(b"\xef\xbb\xbf") {
        3
    } else {
        0
    };
    match str::from_utf8(&bytes[start..]) {
        Ok(text) => Ok(Source {
            name: name.to_owned(),
            text: text.to_owned(),
        }),
        Err(error) => {
            let at = start + error.valid_up_to();
            Err(Refusal::bad_input(format!(
                "{what} is not UTF-8: byte {:#04x} in line {} (offset {at})",
                bytes[at],
                line(at)
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(bytes: &[u8]) -> String {
        check("x.py", "'x.py'", bytes.to_vec()).unwrap_err().line
    }

    #[test]
    fn a_byte_order_mark_is_dropped() {
        assert_eq!(
            check("x.py", "'x.py'", b"\xef\xbb\xbfpass".to_vec())
                .unwrap()
                .text,
            "pass"
        );
    }

    #[test]
    fn what_is_not_text_is_named_with_its_place() {
        assert_eq!(
            refused(b"a\nb\0"),
            "'x.py' contains a NUL byte in line 2 (offset 3)"
        );
        assert_eq!(
            refused(b"a = '\xff'"),
            "'x.py' is not UTF-8: byte 0xff in line 1 (offset 5)"
        );
        assert_eq!(
            refused(b"\xef\xbb\xbf\n\xc3"),
            "'x.py' is not UTF-8: byte 0xc3 in line 2 (offset 4)"
        );
    }
}
