//! The session's files, as the machine holds them.

use super::Vm;
use super::host::Stream;
use crate::files::{Device, FileSystem, Io, Transfer, errno};

impl Vm {
    /// The files. They are made when first asked for, so that programs without files pay nothing; the time is taken from the host.
    pub fn files(&mut self) -> &mut FileSystem {
        let now = self.host.wall_clock() as i64;
        let library = crate::modules::library::files();
        let program = self.program.take();
        let quota = self.file_quota;
        let files = self
            .files
            .get_or_insert_with(|| Box::new(FileSystem::new(now, library, quota)));
        files.set_now(now);
        if let Some((name, source)) = program
            && files.lookup(None, name.as_bytes(), false).is_err()
        {
            // A program under a name that cannot be is not readable as a file.
            let _ = files.receive(name.as_bytes(), source.as_bytes(), true);
        }
        files
    }

    /// Sets how many bytes files may take. What is there already stays.
    pub fn set_file_quota(&mut self, bytes: u64) {
        self.file_quota = bytes;
        if let Some(files) = &mut self.files {
            files.set_quota(bytes);
        }
    }

    /// The files, if there are any beside those that every session has.
    pub fn files_in_use(&mut self) -> Option<&mut FileSystem> {
        self.files.as_deref_mut()
    }

    /// Reads from a descriptor.
    pub fn read_descriptor(&mut self, fd: i32, n: usize, at: Option<u64>) -> Io<Vec<u8>> {
        match self.files().read(fd, n, at)? {
            Transfer::Done(data) => Ok(data),
            // Standard input is empty.
            Transfer::Ask(Device::Stream(_)) => Ok(Vec::new()),
            Transfer::Ask(Device::Random) => Ok(self.host.entropy(n.min(1 << 20))),
            Transfer::Ask(_) => Err(errno::EIO),
        }
    }

    /// Writes to a descriptor; how many bytes. `None` when the host takes no more output, so that the program has to stop.
    pub fn write_descriptor(&mut self, fd: i32, data: &[u8], at: Option<u64>) -> Io<Option<usize>> {
        match self.files().write_at(fd, data, at)? {
            Transfer::Done(n) => Ok(Some(n)),
            Transfer::Ask(Device::Stream(n)) => {
                let stream = if n == 2 {
                    Stream::Stderr
                } else {
                    Stream::Stdout
                };
                Ok(self.host.write(stream, data).then_some(data.len()))
            }
            Transfer::Ask(_) => Err(errno::EIO),
        }
    }
}
