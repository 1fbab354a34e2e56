//! The files of a session: a file system in memory, of inodes, directories, links, and descriptors of open files.
//!
//! Nothing here reaches the world outside, and nothing here knows objects or the machine: paths are bytes, errors are numbers, the time is told by the
//! caller. What needs the host (standard streams, random bytes) is answered as such, for the caller to do.

mod descriptors;
pub mod errno;
mod exchange;
mod node;
mod tree;

pub use descriptors::{Flags, Transfer};
pub use errno::Errno;
pub use exchange::{Entry, EntryKind};
pub use node::{Device, Stat};

use crate::packed::Packed;
use node::{Content, Fixed, Node};
use std::collections::BTreeMap;

/// Result of an operation on files.
pub type Io<T> = Result<T, Errno>;

/// Number of a file.
pub type Ino = usize;

/// Bytes of file data that a session can have unless it is told otherwise.
pub const DEFAULT_QUOTA: u64 = 64 << 20;
/// Where programs start.
pub const HOME: &str = "/home/user";
/// What a file, a directory or a link costs beside its data.
const NODE_COST: u64 = 256;
/// Longest name in a directory.
const NAME_MAX: usize = 255;
/// Longest path.
const PATH_MAX: usize = 4096;
/// How many symbolic links a path may go through.
const MAX_LINKS: usize = 40;
/// The number of the root directory.
const ROOT: Ino = 0;

/// The file system. See the module's documentation.
pub struct FileSystem {
    nodes: Vec<Option<Node>>,
    free: Vec<Ino>,
    opened: Vec<Option<descriptors::OpenFile>>,
    table: Vec<Option<usize>>,
    working: Ino,
    umask: u32,
    used: u64,
    quota: u64,
    now: i64,
}

/// Where a path leads: the directory, the last name, and what is there.
struct Place {
    dir: Ino,
    name: Vec<u8>,
    found: Option<Ino>,
    /// The path ends with a slash, so it has to be a directory.
    slash: bool,
}

impl FileSystem {
    /// A tree with a home, a temporary directory, some devices, and the library's sources (pairs of path and text). `now` is its time, `quota` the
    /// number of bytes that the session's own files may take.
    pub fn new(
        now: i64,
        library: impl Iterator<Item = (String, Packed)>,
        quota: u64,
    ) -> FileSystem {
        let mut fs = FileSystem {
            nodes: Vec::new(),
            free: Vec::new(),
            opened: Vec::new(),
            table: Vec::new(),
            working: ROOT,
            umask: 0o022,
            used: 0,
            quota: u64::MAX,
            now,
        };
        let root = fs.insert(Content::Directory(BTreeMap::new(), ROOT), 0o755);
        fs.node_mut(root).links = 2;
        for dir in ["/tmp", "/home", HOME, "/dev", "/lib", "/lib/python3.14"] {
            // Names in an empty tree: there is nothing that could be in the way.
            let _ = fs.mkdir(None, dir.as_bytes(), 0o755);
        }
        if let Ok(tmp) = fs.lookup(None, b"/tmp", true) {
            fs.node_mut(tmp).mode = 0o1777;
        }
        for (name, device) in [
            ("null", Device::Null),
            ("zero", Device::Zero),
            ("full", Device::Full),
            ("random", Device::Random),
            ("urandom", Device::Random),
            ("stdin", Device::Stream(0)),
            ("stdout", Device::Stream(1)),
            ("stderr", Device::Stream(2)),
        ] {
            let ino = fs.insert(Content::Device(device), 0o666);
            if let Ok(place) = fs.place(None, format!("/dev/{name}").as_bytes(), false) {
                fs.enter(place.dir, place.name, ino);
            }
            if let Device::Stream(_) = device {
                let flags = Flags {
                    read: device == Device::Stream(0),
                    write: device != Device::Stream(0),
                    ..Flags::default()
                };
                let _ = fs.open_node(ino, flags);
            }
        }
        for (path, text) in library {
            let _ = fs.make_parents(path.as_bytes());
            let ino = fs.insert(Content::Fixed(Fixed::new(text)), 0o444);
            match fs.place(None, path.as_bytes(), false) {
                Ok(place) if place.found.is_none() => fs.enter(place.dir, place.name, ino),
                _ => fs.forget_if_unused(ino),
            }
        }
        // Nothing can be added to what is not the session's.
        for dir in ["/dev", "/lib", "/lib/python3.14"] {
            if let Ok(dir) = fs.lookup(None, dir.as_bytes(), true) {
                fs.node_mut(dir).mode = 0o555;
            }
        }
        if let Ok(home) = fs.lookup(None, HOME.as_bytes(), true) {
            fs.working = home;
        }
        fs.used = 0;
        fs.quota = quota;
        fs
    }

    /// Sets the time for what comes next, in nanoseconds since the epoch.
    pub fn set_now(&mut self, now: i64) {
        self.now = now;
    }

    /// Sets the number of bytes that files may take.
    pub fn set_quota(&mut self, bytes: u64) {
        self.quota = bytes;
    }

    /// Bytes that may be taken, and bytes that are.
    pub fn usage(&self) -> (u64, u64) {
        (self.quota, self.used)
    }

    /// How many files, directories and links there are.
    pub fn node_count(&self) -> usize {
        self.nodes.len() - self.free.len()
    }

    /// Sets the bits that new files do not get; the old ones.
    pub fn umask(&mut self, mask: u32) -> u32 {
        std::mem::replace(&mut self.umask, mask & 0o777)
    }

    /// Makes the directories above a path.
    pub fn make_parents(&mut self, path: &[u8]) -> Io<()> {
        for (i, b) in path.iter().enumerate() {
            if *b == b'/' && i > 0 {
                match self.mkdir(None, &path[..i], 0o755) {
                    Ok(()) => {}
                    Err(e) if e == errno::EEXIST => {}
                    Err(e) => return Err(e),
                }
            }
        }
        Ok(())
    }

    /// The data of a regular file.
    pub fn contents(&self, path: &[u8]) -> Io<&[u8]> {
        let ino = self.lookup(None, path, true)?;
        self.node(ino).bytes()
    }

    // ---- nodes

    fn node(&self, ino: Ino) -> &Node {
        match self.nodes.get(ino) {
            Some(Some(node)) => node,
            _ => unreachable!("a number of a file that does not exist"),
        }
    }

    fn node_mut(&mut self, ino: Ino) -> &mut Node {
        match self.nodes.get_mut(ino) {
            Some(Some(node)) => node,
            _ => unreachable!("a number of a file that does not exist"),
        }
    }

    fn insert(&mut self, content: Content, mode: u32) -> Ino {
        let node = Node {
            content,
            mode,
            links: 0,
            opens: 0,
            accessed: self.now,
            modified: self.now,
            changed: self.now,
            born: self.now,
        };
        self.used += NODE_COST;
        match self.free.pop() {
            Some(ino) => {
                self.nodes[ino] = Some(node);
                ino
            }
            None => {
                self.nodes.push(Some(node));
                self.nodes.len() - 1
            }
        }
    }

    /// `ENOSPC` unless so many bytes more fit.
    fn reserve(&self, bytes: u64) -> Io<()> {
        if self.used.saturating_add(bytes) > self.quota {
            Err(errno::ENOSPC)
        } else {
            Ok(())
        }
    }

    /// Makes a node for a new directory entry.
    fn create(&mut self, content: Content, mode: u32) -> Io<Ino> {
        self.reserve(NODE_COST + content.cost())?;
        self.used += content.cost();
        Ok(self.insert(content, mode))
    }

    fn forget_if_unused(&mut self, ino: Ino) {
        let node = self.node(ino);
        if ino == ROOT || node.links > 0 || node.opens > 0 || self.working == ino {
            return;
        }
        let cost = node.content.cost() + NODE_COST;
        self.nodes[ino] = None;
        self.free.push(ino);
        self.used = self.used.saturating_sub(cost);
    }

    fn entries(&self, dir: Ino) -> Io<&BTreeMap<Vec<u8>, Ino>> {
        match &self.node(dir).content {
            Content::Directory(entries, _) => Ok(entries),
            _ => Err(errno::ENOTDIR),
        }
    }

    /// Adds a directory entry for a node.
    fn enter(&mut self, dir: Ino, name: Vec<u8>, ino: Ino) {
        let now = self.now;
        self.node_mut(ino).links += 1;
        if let Content::Directory(_, parent) = &mut self.node_mut(ino).content {
            *parent = dir;
            self.node_mut(ino).links += 1;
            self.node_mut(dir).links += 1;
        }
        let node = self.node_mut(dir);
        if let Content::Directory(entries, _) = &mut node.content {
            entries.insert(name, ino);
        }
        node.modified = now;
        node.changed = now;
    }

    /// Takes a directory entry away; the node goes too when nobody uses it.
    fn leave(&mut self, dir: Ino, name: &[u8]) {
        let now = self.now;
        let node = self.node_mut(dir);
        let Content::Directory(entries, _) = &mut node.content else {
            return;
        };
        let Some(ino) = entries.remove(name) else {
            return;
        };
        node.modified = now;
        node.changed = now;
        let child = self.node_mut(ino);
        child.links -= 1;
        child.changed = now;
        if let Content::Directory(..) = child.content {
            child.links -= 1;
            self.node_mut(dir).links -= 1;
        }
        self.forget_if_unused(ino);
    }

    // ---- paths

    /// The directory that relative paths start from.
    fn base(&self, at: Option<i32>, path: &[u8]) -> Io<Ino> {
        match at {
            _ if path.first() == Some(&b'/') => Ok(ROOT),
            None => Ok(self.working),
            Some(fd) => {
                let ino = self.file(fd)?.ino;
                self.entries(ino)?;
                Ok(ino)
            }
        }
    }

    fn check_path(path: &[u8]) -> Io<()> {
        if path.is_empty() {
            return Err(errno::ENOENT);
        }
        if path.len() >= PATH_MAX || path.split(|b| *b == b'/').any(|name| name.len() > NAME_MAX) {
            return Err(errno::ENAMETOOLONG);
        }
        Ok(())
    }

    /// Follows a path. With `follow` a symbolic link at its end is followed too.
    fn place(&self, at: Option<i32>, path: &[u8], follow: bool) -> Io<Place> {
        Self::check_path(path)?;
        let mut dir = self.base(at, path)?;
        // What is still to be walked, the next name last.
        let mut names: Vec<Vec<u8>> = Self::names(path);
        let slash = path.last() == Some(&b'/') && !names.is_empty();
        let mut links = 0;
        let here = |dir| Place {
            dir,
            name: Vec::new(),
            found: Some(dir),
            slash,
        };
        while let Some(name) = names.pop() {
            let entries = self.entries(dir)?;
            if !self.node(dir).may(0o100) {
                return Err(errno::EACCES);
            }
            let last = names.is_empty();
            match name.as_slice() {
                b"." => {
                    if last {
                        return Ok(Place {
                            name: b".".to_vec(),
                            ..here(dir)
                        });
                    }
                    continue;
                }
                b".." => {
                    if let Content::Directory(_, parent) = self.node(dir).content {
                        dir = parent;
                    }
                    if last {
                        return Ok(Place {
                            name: b"..".to_vec(),
                            ..here(dir)
                        });
                    }
                    continue;
                }
                _ => {}
            }
            let found = entries.get(&name).copied();
            let Some(ino) = found else {
                if last {
                    return Ok(Place {
                        dir,
                        name,
                        found,
                        slash,
                    });
                }
                return Err(errno::ENOENT);
            };
            if let Content::Link(target) = &self.node(ino).content
                && (!last || follow || slash)
            {
                links += 1;
                if links > MAX_LINKS {
                    return Err(errno::ELOOP);
                }
                if target.first() == Some(&b'/') {
                    dir = ROOT;
                }
                names.extend(Self::names(target));
                if names.is_empty() {
                    return Ok(here(dir));
                }
                continue;
            }
            if last {
                return Ok(Place {
                    dir,
                    name,
                    found,
                    slash,
                });
            }
            dir = ino;
        }
        Ok(here(dir))
    }

    fn names(path: &[u8]) -> Vec<Vec<u8>> {
        path.split(|b| *b == b'/')
            .filter(|name| !name.is_empty())
            .rev()
            .map(<[u8]>::to_vec)
            .collect()
    }

    /// The file that a path names.
    pub fn lookup(&self, at: Option<i32>, path: &[u8], follow: bool) -> Io<Ino> {
        let place = self.place(at, path, follow)?;
        let ino = place.found.ok_or(errno::ENOENT)?;
        if place.slash {
            self.entries(ino)?;
        }
        Ok(ino)
    }

    /// The path of the working directory; `ENOENT` when it has been removed.
    pub fn working_directory(&self) -> Io<Vec<u8>> {
        let mut names: Vec<&[u8]> = Vec::new();
        let mut at = self.working;
        while at != ROOT {
            let Content::Directory(_, parent) = self.node(at).content else {
                return Err(errno::ENOTDIR);
            };
            if self.node(at).links == 0 {
                return Err(errno::ENOENT);
            }
            let name = self
                .entries(parent)?
                .iter()
                .find_map(|(name, ino)| (*ino == at).then_some(name.as_slice()));
            names.push(name.ok_or(errno::ENOENT)?);
            at = parent;
        }
        if names.is_empty() {
            return Ok(b"/".to_vec());
        }
        let mut path = Vec::new();
        for name in names.iter().rev() {
            path.push(b'/');
            path.extend_from_slice(name);
        }
        Ok(path)
    }
}
