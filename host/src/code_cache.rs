//! The compiled guest as a file in a folder of the user's, from which processes map it.
//!
//! wasmtime maps the memory that sessions start with straight from the file that a component was loaded from. From anything but a file it copies it first,
//! which is most of the time that a short-lived process takes. This module finds, makes and checks that file; it knows nothing of wasmtime.
//!
//! What is in the file is compared with what the program has embedded before it is used, byte by byte, but for one part: the image of the guest's memory. So
//! all that the processor executes, and all that wasmtime reads to know how, is what this program was built with, whatever the disk did to it. The image is the
//! other half of the file and is not read: comparing it would touch all the pages that mapping it is to spare. It is data inside of the sandbox, where a program may write what
//! it likes anyway; changed bytes there change what Python does, and not what the sandbox allows. That the image is whole follows from how the file is made: it
//! gets its name only after all of it is on the disk.
//!
//! What happens to the file after the check could still be seen through the mapping. So the file and its folder must belong to the effective user and be
//! writable by nobody else; whoever acts as that user can change the process itself and needs no file for it. Files are replaced by others and never written
//! again, so that what another process has mapped stays as it is.

use std::fs::File;
use std::io::{self, Write};
use std::ops::{Deref, Range};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::{
    AtFlags, CWD, Dir, FallocateFlags, FileType, Mode, OFlags, Stat, fallocate, fstat, openat,
    renameat, statat, unlinkat,
};
use rustix::io::Errno;
use rustix::process::geteuid;

/// How many files of other builds stay: programs of different versions may share a folder, but it must not grow with each.
const OTHERS: usize = 2;

/// After this time a file that never got its name was left behind by a process that died.
const ABANDONED: Duration = Duration::from_secs(60 * 60);

/// What the file is to contain.
pub(crate) struct Artifact<'a, View> {
    /// Names the build, in 16 hexadecimal digits; another build, another file.
    pub(crate) build: &'a str,
    pub(crate) bytes: &'a [u8],
    /// The part of the bytes that is not compared.
    pub(crate) image: Range<usize>,
    /// How to look at so many bytes of a file. Reading them costs as much as all the rest of a start, so they are to be mapped: not here, as that takes `unsafe`.
    pub(crate) view: fn(&File, usize) -> io::Result<View>,
}

impl<View: Deref<Target = [u8]>> Artifact<'_, View> {
    /// The file, checked, opened for reading. It is made if it is missing, and made anew if it is not what it should be.
    pub(crate) fn file(&self, folder: &Path) -> io::Result<File> {
        let folder = Folder::open(folder)?;
        let name = format!("guest-{}.cwasm", self.build);
        if let Ok(file) = self.checked(&folder, &name) {
            return Ok(file);
        }
        self.write(&folder, &name)?;
        // Another process may have put its own there in the meantime, which is as good, or not.
        self.checked(&folder, &name)
    }

    fn checked(&self, folder: &Folder, name: &str) -> io::Result<File> {
        // Not to wait for the other end, should it be a pipe.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = File::from(openat(&folder.0, name, flags, Mode::empty())?);
        let stat = fstat(&file)?;
        let is_regular = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
        if !is_regular || !is_ours_alone(&stat) {
            return Err(io::Error::other("not a file of this user alone"));
        }
        if u64::try_from(stat.st_size) != Ok(self.bytes.len() as u64) {
            return Err(io::Error::other("not as long as it should be"));
        }
        let there = (self.view)(&file, self.bytes.len())?;
        let Range { start, end } = self.image;
        if there[..start] != self.bytes[..start] || there[end..] != self.bytes[end..] {
            return Err(io::Error::other("not what this program was built with"));
        }
        drop(there);
        Ok(file)
    }

    fn write(&self, folder: &Folder, name: &str) -> io::Result<()> {
        let unique = getrandom::u64().map_err(|e| io::Error::other(e.to_string()))?;
        let temporary = format!("guest-{}.{unique:016x}.tmp", self.build);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let mode = Mode::RUSR | Mode::WUSR;
        let file = File::from(openat(&folder.0, &temporary, flags, mode)?);
        let written = self.fill(file).and_then(|()| {
            renameat(&folder.0, &temporary, &folder.0, name)?;
            Ok(())
        });
        match &written {
            Ok(()) => folder.tidy(name),
            Err(_) => {
                let _ = unlinkat(&folder.0, &temporary, AtFlags::empty());
            }
        }
        written
    }

    fn fill(&self, mut file: File) -> io::Result<()> {
        // Where there is no room for all of it, better to know before any of it is written. Not every file system can say.
        let length = self.bytes.len() as u64;
        if let Err(Errno::NOSPC | Errno::DQUOT) =
            fallocate(&file, FallocateFlags::empty(), 0, length)
        {
            return Err(io::ErrorKind::StorageFull.into());
        }
        file.write_all(self.bytes)?;
        file.sync_all()
    }
}

/// A folder that belongs to the effective user, and that nobody else can write to.
struct Folder(OwnedFd);

impl Folder {
    fn open(path: &Path) -> io::Result<Folder> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let open = || openat(CWD, path, flags, Mode::empty());
        let opened = match open() {
            Err(Errno::NOENT) => {
                make(path)?;
                open()?
            }
            other => other?,
        };
        if !is_ours_alone(&fstat(&opened)?) {
            return Err(io::Error::other("not a folder of this user alone"));
        }
        Ok(Folder(opened))
    }

    /// Removes what other builds and dead processes left, now that there is a new file. Whatever cannot be removed stays.
    fn tidy(&self, new: &str) {
        let Ok(entries) = Dir::read_from(&self.0) else {
            return;
        };
        let mut others = Vec::new();
        for entry in entries.flatten() {
            let Some(name) = entry.file_name().to_str().ok().filter(|name| *name != new) else {
                continue;
            };
            let Ok(stat) = statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) else {
                continue;
            };
            if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
                continue;
            }
            let written = u64::try_from(stat.st_mtime).unwrap_or(0);
            match kind(name) {
                Some(Kind::Whole) => others.push((written, name.to_owned())),
                Some(Kind::Unfinished) => {
                    let written = UNIX_EPOCH.checked_add(Duration::from_secs(written));
                    let age = written.and_then(|w| SystemTime::now().duration_since(w).ok());
                    if age.is_some_and(|age| age > ABANDONED) {
                        let _ = unlinkat(&self.0, name, AtFlags::empty());
                    }
                }
                None => {}
            }
        }
        others.sort_unstable();
        let superfluous = others.len().saturating_sub(OTHERS);
        for (_, name) in &others[..superfluous] {
            let _ = unlinkat(&self.0, name, AtFlags::empty());
        }
    }
}

/// Makes a folder that is missing, and the one above it (`~/.cache`), but no home for those who have none. Not in somebody else's folder, unless that is there
/// for everybody (as `/tmp` is): where root acts with another user's home, it would leave a folder that the user cannot use.
fn make(path: &Path) -> io::Result<()> {
    let above = path.ancestors().skip(1).take(2).find_map(|above| {
        let above = if above.as_os_str().is_empty() {
            Path::new(".")
        } else {
            above
        };
        above.metadata().ok()
    });
    let may = above.is_some_and(|above| {
        let is_for_all = above.permissions().mode() & 0o1002 == 0o1002;
        above.uid() == geteuid().as_raw() || is_for_all
    });
    if !may {
        return Err(io::Error::other(
            "there is no folder of this user to make it in",
        ));
    }
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
}

fn is_ours_alone(stat: &Stat) -> bool {
    let writable_by_others = Mode::from_raw_mode(stat.st_mode).intersects(Mode::WGRP | Mode::WOTH);
    stat.st_uid == geteuid().as_raw() && !writable_by_others
}

/// What a file of ours is, by its name.
enum Kind {
    Whole,
    Unfinished,
}

/// `None` for what is not ours.
fn kind(name: &str) -> Option<Kind> {
    let is_number = |text: &str| text.len() == 16 && text.bytes().all(|b| b.is_ascii_hexdigit());
    let (build, rest) = name.strip_prefix("guest-")?.split_once('.')?;
    if !is_number(build) {
        None
    } else if rest == "cwasm" {
        Some(Kind::Whole)
    } else {
        is_number(rest.strip_suffix(".tmp")?).then_some(Kind::Unfinished)
    }
}

#[cfg(test)]
mod tests;
