//! Standard output of the command itself. Whoever closed it does not want to know; where it cannot be written otherwise, on a full disk for example, the
//! output is lost, and that is told.

use std::io::{self, Write};
use std::sync::Mutex;

use super::Refusal;

/// Writes all of it at once.
pub(super) fn write(bytes: &[u8]) -> Result<(), Refusal> {
    let mut stdout = io::stdout().lock();
    told(stdout.write_all(bytes).and_then(|()| stdout.flush()))
}

/// What is to be told of an attempt to write.
pub(super) fn told(written: io::Result<()>) -> Result<(), Refusal> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Refusal::bad_input(
            format!("cannot write to standard output: {error}"),
        )),
        _ => Ok(()),
    }
}

/// Why a program's output was cut short, if it was.
static LOST: Mutex<Option<io::Error>> = Mutex::new(None);

/// Passes on output of a program's as it comes; whether somebody still reads it.
pub(super) fn forward(bytes: &[u8]) -> bool {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Ok(()) => true,
        Err(error) => {
            let mut lost = LOST.lock().unwrap_or_else(|e| e.into_inner());
            lost.get_or_insert(error);
            false
        }
    }
}

/// What is to be told of all that was passed on.
pub(super) fn end() -> Result<(), Refusal> {
    let lost = LOST.lock().unwrap_or_else(|e| e.into_inner()).take();
    told(lost.map_or(Ok(()), Err))
}
