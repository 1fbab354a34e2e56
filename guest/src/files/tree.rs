//! Directories, links, names, modes and times.

use super::node::{Content, Pipe};
use super::{FileSystem, Ino, Io, Place, ROOT, Stat, errno};
use std::collections::BTreeMap;

impl FileSystem {
    /// Whether entries of the directory can be added and taken away.
    fn check_writable(&self, dir: Ino) -> Io<()> {
        if self.node(dir).may(0o200) && self.node(dir).may(0o100) {
            Ok(())
        } else {
            Err(errno::EACCES)
        }
    }

    /// The place for a new entry: free, in a directory that still exists and can be written.
    fn free_place(&self, at: Option<i32>, path: &[u8], directory: bool) -> Io<Place> {
        let place = self.place(at, path, false)?;
        if place.found.is_some() {
            return Err(errno::EEXIST);
        }
        if place.slash && !directory {
            return Err(errno::ENOENT);
        }
        if self.node(place.dir).links == 0 {
            return Err(errno::ENOENT);
        }
        self.check_writable(place.dir)?;
        Ok(place)
    }

    /// Makes a directory.
    pub fn mkdir(&mut self, at: Option<i32>, path: &[u8], mode: u32) -> Io<()> {
        let place = self.free_place(at, path, true)?;
        let mode = mode & 0o1777 & !self.umask;
        let ino = self.create(Content::Directory(BTreeMap::new(), place.dir), mode)?;
        self.enter(place.dir, place.name, ino);
        Ok(())
    }

    /// Makes a pipe with a name.
    pub fn mkfifo(&mut self, at: Option<i32>, path: &[u8], mode: u32) -> Io<()> {
        let place = self.free_place(at, path, false)?;
        let mode = mode & 0o777 & !self.umask;
        let ino = self.create(Content::Pipe(Pipe::default()), mode)?;
        self.enter(place.dir, place.name, ino);
        Ok(())
    }

    /// Removes an empty directory.
    pub fn rmdir(&mut self, at: Option<i32>, path: &[u8]) -> Io<()> {
        let place = self.place(at, path, false)?;
        let ino = place.found.ok_or(errno::ENOENT)?;
        let empty = self.entries(ino)?.is_empty();
        match place.name.as_slice() {
            b"." => return Err(errno::EINVAL),
            b".." => return Err(errno::ENOTEMPTY),
            b"" => return Err(errno::EBUSY),
            _ => {}
        }
        if !empty {
            return Err(errno::ENOTEMPTY);
        }
        self.check_writable(place.dir)?;
        self.leave(place.dir, &place.name);
        Ok(())
    }

    /// Removes a file or link.
    pub fn unlink(&mut self, at: Option<i32>, path: &[u8]) -> Io<()> {
        let place = self.place(at, path, false)?;
        let ino = place.found.ok_or(errno::ENOENT)?;
        if self.node(ino).is_dir() {
            return Err(errno::EISDIR);
        }
        if place.slash {
            return Err(errno::ENOTDIR);
        }
        self.check_writable(place.dir)?;
        self.leave(place.dir, &place.name);
        Ok(())
    }

    /// Gives a file another name, taking the place of what is there.
    pub fn rename(
        &mut self,
        from_at: Option<i32>,
        from: &[u8],
        to_at: Option<i32>,
        to: &[u8],
    ) -> Io<()> {
        let source = self.place(from_at, from, false)?;
        let ino = source.found.ok_or(errno::ENOENT)?;
        let target = self.place(to_at, to, false)?;
        let special = |name: &[u8]| matches!(name, b"." | b".." | b"");
        if special(&source.name) || special(&target.name) {
            return Err(errno::EBUSY);
        }
        let directory = self.node(ino).is_dir();
        if (source.slash || target.slash) && !directory {
            return Err(errno::ENOTDIR);
        }
        self.check_writable(source.dir)?;
        self.check_writable(target.dir)?;
        if directory && self.is_within(target.dir, ino) {
            return Err(errno::EINVAL);
        }
        if let Some(old) = target.found {
            if old == ino {
                return Ok(());
            }
            match (directory, self.node(old).is_dir()) {
                (true, false) => return Err(errno::ENOTDIR),
                (false, true) => return Err(errno::EISDIR),
                (true, true) if !self.entries(old)?.is_empty() => return Err(errno::ENOTEMPTY),
                _ => {}
            }
        }
        if self.node(target.dir).links == 0 {
            return Err(errno::ENOENT);
        }
        if target.found.is_some() {
            self.leave(target.dir, &target.name);
        }
        // An open count keeps the node while it has no name.
        self.node_mut(ino).opens += 1;
        self.leave(source.dir, &source.name);
        self.enter(target.dir, target.name, ino);
        self.node_mut(ino).opens -= 1;
        Ok(())
    }

    /// Whether `dir` is `above` or somewhere below it.
    fn is_within(&self, dir: Ino, above: Ino) -> bool {
        let mut at = dir;
        loop {
            if at == above {
                return true;
            }
            match self.node(at).content {
                Content::Directory(_, parent) if at != ROOT => at = parent,
                _ => return false,
            }
        }
    }

    /// Gives a file one more name.
    pub fn link(
        &mut self,
        from_at: Option<i32>,
        from: &[u8],
        to_at: Option<i32>,
        to: &[u8],
        follow: bool,
    ) -> Io<()> {
        let ino = self.lookup(from_at, from, follow)?;
        let place = self.free_place(to_at, to, false)?;
        if self.node(ino).is_dir() {
            return Err(errno::EPERM);
        }
        self.node_mut(ino).changed = self.now;
        self.enter(place.dir, place.name, ino);
        Ok(())
    }

    /// Makes a symbolic link.
    pub fn symlink(&mut self, target: &[u8], at: Option<i32>, path: &[u8]) -> Io<()> {
        if target.is_empty() {
            return Err(errno::ENOENT);
        }
        let place = self.free_place(at, path, false)?;
        let ino = self.create(Content::Link(target.to_vec()), 0o777)?;
        self.enter(place.dir, place.name, ino);
        Ok(())
    }

    /// What a symbolic link points to.
    pub fn readlink(&self, at: Option<i32>, path: &[u8]) -> Io<Vec<u8>> {
        let ino = self.lookup(at, path, false)?;
        Ok(self.node(ino).target()?.into_owned())
    }

    /// The names in a directory, and the kind of what they name, in the order of the names.
    pub fn list(&self, ino: Ino) -> Io<Vec<(Vec<u8>, Stat)>> {
        let entries = self.entries(ino)?;
        if !self.node(ino).may(0o400) {
            return Err(errno::EACCES);
        }
        Ok(entries
            .iter()
            .map(|(name, ino)| (name.clone(), self.stat(*ino)))
            .collect())
    }

    /// Facts about a file.
    pub fn stat(&self, ino: Ino) -> Stat {
        self.node(ino).stat(ino)
    }

    /// Sets the permission bits.
    pub fn chmod(&mut self, ino: Ino, mode: u32) {
        let now = self.now;
        let node = self.node_mut(ino);
        node.mode = mode & 0o7777;
        node.changed = now;
    }

    /// Sets the times of the last access and change.
    pub fn set_times(&mut self, ino: Ino, accessed: i64, modified: i64) {
        let now = self.now;
        let node = self.node_mut(ino);
        node.accessed = accessed;
        node.modified = modified;
        node.changed = now;
    }

    /// The time of this operation.
    pub fn time(&self) -> i64 {
        self.now
    }

    /// Whether a file can be accessed in a way (bits 4, 2, 1 as for `access`).
    pub fn may_access(&self, ino: Ino, mode: u32) -> bool {
        let node = self.node(ino);
        (mode & 4 == 0 || node.may(0o400))
            && (mode & 2 == 0 || node.may(0o200))
            && (mode & 1 == 0 || node.may(0o100))
    }

    /// Changes the working directory.
    pub fn chdir(&mut self, ino: Ino) -> Io<()> {
        self.entries(ino)?;
        if !self.node(ino).may(0o100) {
            return Err(errno::EACCES);
        }
        let old = std::mem::replace(&mut self.working, ino);
        self.forget_if_unused(old);
        Ok(())
    }
}
