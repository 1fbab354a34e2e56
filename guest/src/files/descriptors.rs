//! Open files and their descriptors.

use super::node::{Content, Device, Pipe};
use super::{FileSystem, Ino, Io, errno};

/// Most descriptors at a time.
const MAX_DESCRIPTORS: usize = 1024;
/// Bytes that a pipe holds.
const PIPE_SIZE: usize = 64 << 10;

/// How a file is opened.
#[derive(Clone, Copy, Default, Debug)]
#[allow(missing_docs)] // the fields are those of `open(2)`
pub struct Flags {
    pub read: bool,
    pub write: bool,
    pub append: bool,
    pub create: bool,
    pub exclusive: bool,
    pub truncate: bool,
    pub directory: bool,
    pub no_follow: bool,
    /// A file without a name, in the directory that the path names.
    pub unnamed: bool,
}

impl Flags {
    /// For a file that is made anew.
    pub fn writing() -> Flags {
        Flags {
            write: true,
            create: true,
            truncate: true,
            ..Flags::default()
        }
    }
}

/// How reading or writing went, or who has to do it.
pub enum Transfer<T> {
    /// It is done.
    Done(T),
    /// The caller has to do it, for this device.
    Ask(Device),
}

/// An open file; several descriptors can share one.
pub(super) struct OpenFile {
    pub(super) ino: Ino,
    offset: u64,
    flags: Flags,
    users: u32,
}

impl FileSystem {
    pub(super) fn file(&self, fd: i32) -> Io<&OpenFile> {
        let index = self.index(fd)?;
        self.opened
            .get(index)
            .and_then(Option::as_ref)
            .ok_or(errno::EBADF)
    }

    fn file_mut(&mut self, fd: i32) -> Io<&mut OpenFile> {
        let index = self.index(fd)?;
        self.opened
            .get_mut(index)
            .and_then(Option::as_mut)
            .ok_or(errno::EBADF)
    }

    fn index(&self, fd: i32) -> Io<usize> {
        usize::try_from(fd)
            .ok()
            .and_then(|fd| self.table.get(fd).copied().flatten())
            .ok_or(errno::EBADF)
    }

    /// The file behind a descriptor.
    pub fn ino_of(&self, fd: i32) -> Io<Ino> {
        Ok(self.file(fd)?.ino)
    }

    /// How the descriptor was opened.
    pub fn flags_of(&self, fd: i32) -> Io<Flags> {
        Ok(self.file(fd)?.flags)
    }

    /// The device behind a descriptor, if it is one.
    pub fn device_of(&self, fd: i32) -> Io<Option<Device>> {
        match self.node(self.file(fd)?.ino).content {
            Content::Device(device) => Ok(Some(device)),
            _ => Ok(None),
        }
    }

    /// Opens a file. New ones get the mode, without the umask's bits.
    pub fn open(&mut self, at: Option<i32>, path: &[u8], flags: Flags, mode: u32) -> Io<i32> {
        if self.table.len() >= MAX_DESCRIPTORS && self.table.iter().all(Option::is_some) {
            return Err(errno::EMFILE);
        }
        let mode = mode & 0o7777 & !self.umask;
        if flags.unnamed {
            let dir = self.lookup(at, path, true)?;
            self.entries(dir)?;
            let ino = self.create(Content::Data(Vec::new()), mode)?;
            return self.open_node(ino, flags);
        }
        let follow = !(flags.no_follow || flags.create && flags.exclusive);
        let place = self.place(at, path, follow)?;
        let ino = match place.found {
            Some(_) if flags.create && flags.exclusive => return Err(errno::EEXIST),
            Some(ino) => {
                let node = self.node(ino);
                if let Content::Link(_) = node.content {
                    return Err(errno::ELOOP);
                }
                if node.is_dir() {
                    if flags.write || flags.create {
                        return Err(errno::EISDIR);
                    }
                } else if place.slash || flags.directory {
                    return Err(errno::ENOTDIR);
                }
                if (flags.read && !node.may(0o400)) || (flags.write && !node.may(0o200)) {
                    return Err(errno::EACCES);
                }
                if flags.truncate && flags.write && node.bytes().is_ok() {
                    self.resize(ino, 0)?;
                }
                ino
            }
            None if !flags.create => return Err(errno::ENOENT),
            None => {
                if place.slash {
                    return Err(errno::EISDIR);
                }
                let parent = self.node(place.dir);
                if parent.links == 0 {
                    return Err(errno::ENOENT);
                }
                if !parent.may(0o200) || !parent.may(0o100) {
                    return Err(errno::EACCES);
                }
                let ino = self.create(Content::Data(Vec::new()), mode)?;
                self.enter(place.dir, place.name, ino);
                ino
            }
        };
        self.open_node(ino, flags)
    }

    /// Opens the file of this number.
    pub(super) fn open_node(&mut self, ino: Ino, flags: Flags) -> Io<i32> {
        let fd = self.free_descriptor(0)?;
        let file = OpenFile {
            ino,
            offset: 0,
            flags,
            users: 1,
        };
        let node = self.node_mut(ino);
        node.opens += 1;
        if let Content::Pipe(pipe) = &mut node.content {
            pipe.readers += u32::from(flags.read);
            pipe.writers += u32::from(flags.write);
        }
        let index = match self.opened.iter().position(Option::is_none) {
            Some(index) => {
                self.opened[index] = Some(file);
                index
            }
            None => {
                self.opened.push(Some(file));
                self.opened.len() - 1
            }
        };
        self.table[fd] = Some(index);
        Ok(fd as i32)
    }

    /// The lowest descriptor that is free, not below `least`.
    fn free_descriptor(&mut self, least: usize) -> Io<usize> {
        let fd = (least..self.table.len())
            .find(|fd| self.table[*fd].is_none())
            .unwrap_or(self.table.len().max(least));
        if fd >= MAX_DESCRIPTORS {
            return Err(errno::EMFILE);
        }
        if fd >= self.table.len() {
            self.table.resize(fd + 1, None);
        }
        Ok(fd)
    }

    /// Closes a descriptor.
    pub fn close(&mut self, fd: i32) -> Io<()> {
        let index = self.index(fd)?;
        self.table[fd as usize] = None;
        let Some(file) = self.opened[index].as_mut() else {
            return Err(errno::EBADF);
        };
        file.users -= 1;
        if file.users > 0 {
            return Ok(());
        }
        let (ino, flags) = (file.ino, file.flags);
        self.opened[index] = None;
        let node = self.node_mut(ino);
        node.opens -= 1;
        if let Content::Pipe(pipe) = &mut node.content {
            pipe.readers -= u32::from(flags.read);
            pipe.writers -= u32::from(flags.write);
        }
        self.forget_if_unused(ino);
        Ok(())
    }

    /// One more descriptor for the same open file, not below `least`.
    pub fn dup(&mut self, fd: i32, least: usize) -> Io<i32> {
        let index = self.index(fd)?;
        let new = self.free_descriptor(least)?;
        self.file_mut(fd)?.users += 1;
        self.table[new] = Some(index);
        Ok(new as i32)
    }

    /// Makes `to` a descriptor for the open file of `from`.
    pub fn dup_to(&mut self, from: i32, to: i32) -> Io<()> {
        let index = self.index(from)?;
        let slot = usize::try_from(to).map_err(|_| errno::EBADF)?;
        if slot >= MAX_DESCRIPTORS {
            return Err(errno::EBADF);
        }
        if from == to {
            return Ok(());
        }
        if self.index(to).is_ok() {
            self.close(to)?;
        }
        if slot >= self.table.len() {
            self.table.resize(slot + 1, None);
        }
        self.file_mut(from)?.users += 1;
        self.table[slot] = Some(index);
        Ok(())
    }

    /// A pipe: the descriptors to read from and to write to.
    pub fn pipe(&mut self) -> Io<(i32, i32)> {
        let ino = self.create(Content::Pipe(Pipe::default()), 0o600)?;
        let flags = |read| Flags {
            read,
            write: !read,
            ..Flags::default()
        };
        let reader = match self.open_node(ino, flags(true)) {
            Ok(fd) => fd,
            Err(e) => {
                self.forget_if_unused(ino);
                return Err(e);
            }
        };
        match self.open_node(ino, flags(false)) {
            Ok(writer) => Ok((reader, writer)),
            Err(e) => {
                self.close(reader)?;
                Err(e)
            }
        }
    }

    /// Reads at most `n` bytes, where the descriptor stands or at `at`.
    pub fn read(&mut self, fd: i32, n: usize, at: Option<u64>) -> Io<Transfer<Vec<u8>>> {
        let file = self.file(fd)?;
        if !file.flags.read {
            return Err(errno::EBADF);
        }
        let (ino, start) = (file.ino, at.unwrap_or(file.offset));
        let node = self.node_mut(ino);
        let piece = match &mut node.content {
            Content::Device(Device::Null) => Vec::new(),
            Content::Device(Device::Zero | Device::Full) => zeros(n)?,
            Content::Device(device) => return Ok(Transfer::Ask(*device)),
            Content::Pipe(_) if at.is_some() => return Err(errno::ESPIPE),
            Content::Pipe(pipe) => {
                if pipe.data.is_empty() && pipe.writers > 0 && n > 0 {
                    // Nobody could write while this one waits.
                    return Err(errno::EAGAIN);
                }
                let n = n.min(pipe.data.len());
                pipe.data.drain(..n).collect()
            }
            _ => {
                let data = node.bytes()?;
                let start = usize::try_from(start).unwrap_or(usize::MAX).min(data.len());
                let piece = &data[start..data.len().min(start.saturating_add(n))];
                let mut copy = Vec::new();
                copy.try_reserve_exact(piece.len())
                    .map_err(|_| errno::ENOMEM)?;
                copy.extend_from_slice(piece);
                copy
            }
        };
        if at.is_none() {
            self.file_mut(fd)?.offset += piece.len() as u64;
        }
        Ok(Transfer::Done(piece))
    }

    /// Writes where the descriptor stands; how many bytes.
    pub fn write(&mut self, fd: i32, data: &[u8]) -> Io<Transfer<usize>> {
        self.write_at(fd, data, None)
    }

    /// Writes at `at`, or where the descriptor stands; how many bytes.
    pub fn write_at(&mut self, fd: i32, data: &[u8], at: Option<u64>) -> Io<Transfer<usize>> {
        let now = self.now;
        let file = self.file(fd)?;
        if !file.flags.write {
            return Err(errno::EBADF);
        }
        let (ino, append, offset) = (file.ino, file.flags.append, file.offset);
        match &mut self.node_mut(ino).content {
            Content::Device(Device::Null | Device::Zero | Device::Random) => {
                return Ok(Transfer::Done(data.len()));
            }
            Content::Device(Device::Full) => return Err(errno::ENOSPC),
            Content::Device(device) => return Ok(Transfer::Ask(*device)),
            Content::Pipe(_) if at.is_some() => return Err(errno::ESPIPE),
            Content::Pipe(pipe) => {
                if pipe.readers == 0 {
                    return Err(errno::EPIPE);
                }
                let n = data.len().min(PIPE_SIZE.saturating_sub(pipe.data.len()));
                if n == 0 && !data.is_empty() {
                    return Err(errno::EAGAIN);
                }
                pipe.data.extend(&data[..n]);
                return Ok(Transfer::Done(n));
            }
            _ => {}
        }
        let len = self.node(ino).bytes()?.len() as u64;
        if data.is_empty() {
            return Ok(Transfer::Done(0));
        }
        let start = match at {
            Some(at) => at,
            None if append => len,
            None => offset,
        };
        let end = start.checked_add(data.len() as u64).ok_or(errno::EFBIG)?;
        if end > len {
            self.resize(ino, end)?;
        } else {
            // A change makes data of the program the session's own.
            self.own(ino)?;
        }
        let node = self.node_mut(ino);
        node.bytes_mut()?[start as usize..end as usize].copy_from_slice(data);
        node.modified = now;
        node.changed = now;
        if at.is_none() {
            self.file_mut(fd)?.offset = end;
        }
        Ok(Transfer::Done(data.len()))
    }

    /// Counts data of the program that is about to become the session's own.
    fn own(&mut self, ino: Ino) -> Io<()> {
        if let Content::Fixed(data) = &self.node(ino).content {
            let size = data.len() as u64;
            self.reserve(size)?;
            self.used += size;
            self.node_mut(ino).bytes_mut()?;
        }
        Ok(())
    }

    /// Gives a regular file another size; new bytes are zeros.
    pub fn resize(&mut self, ino: Ino, size: u64) -> Io<()> {
        self.own(ino)?;
        let old = self.node(ino).bytes()?.len() as u64;
        if size > old {
            self.reserve(size - old)?;
        }
        let now = self.now;
        let node = self.node_mut(ino);
        let data = node.bytes_mut()?;
        if size > old {
            let more = usize::try_from(size - old).map_err(|_| errno::EFBIG)?;
            data.try_reserve(more).map_err(|_| errno::ENOSPC)?;
            data.resize(size as usize, 0);
        } else {
            data.truncate(size as usize);
            if size == 0 {
                data.shrink_to_fit();
            }
        }
        node.modified = now;
        node.changed = now;
        self.used = (self.used + size).saturating_sub(old);
        Ok(())
    }

    /// Gives the file of a descriptor another size.
    pub fn resize_open(&mut self, fd: i32, size: u64) -> Io<()> {
        let file = self.file(fd)?;
        if !file.flags.write {
            return Err(errno::EINVAL);
        }
        let ino = file.ino;
        self.resize(ino, size)
    }

    /// Moves the position of a descriptor; the new one.
    pub fn seek(&mut self, fd: i32, offset: i64, whence: i64) -> Io<u64> {
        let file = self.file(fd)?;
        let node = self.node(file.ino);
        let size = match &node.content {
            Content::Pipe(_) => return Err(errno::ESPIPE),
            Content::Device(Device::Stream(_)) => return Err(errno::ESPIPE),
            Content::Device(_) => return Ok(0),
            _ => node.bytes().map_or(0, <[u8]>::len) as i64,
        };
        let start = match whence {
            0 => 0,
            1 => file.offset as i64,
            2 => size,
            // SEEK_DATA and SEEK_HOLE: everything is data, and there is a hole at the end.
            3 | 4 if offset >= size || offset < 0 => return Err(errno::ENXIO),
            3 => 0,
            4 => size - offset,
            _ => return Err(errno::EINVAL),
        };
        let position = start.checked_add(offset).ok_or(errno::EOVERFLOW)?;
        if position < 0 {
            return Err(errno::EINVAL);
        }
        self.file_mut(fd)?.offset = position as u64;
        Ok(position as u64)
    }

    /// Bytes from where the descriptor stands to the end of its file.
    pub fn left(&self, fd: i32) -> Io<u64> {
        let file = self.file(fd)?;
        let size = self.node(file.ino).bytes().map_or(0, <[u8]>::len) as u64;
        Ok(size.saturating_sub(file.offset))
    }
}

fn zeros(n: usize) -> Io<Vec<u8>> {
    let mut data = Vec::new();
    data.try_reserve_exact(n).map_err(|_| errno::ENOMEM)?;
    data.resize(n, 0);
    Ok(data)
}
