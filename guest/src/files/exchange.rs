//! How files come in from the host and go out to it: in pieces, by path, without a descriptor of the program's.
//!
//! Relative paths start from the home directory, wherever the program has gone. Symbolic links are followed when a path is read or
//! written, and told as links when a tree is listed.

use super::{FileSystem, Flags, HOME, Io, Transfer, errno};

/// How deep a listing goes; deeper trees are an error rather than a list that is silently short.
const MAX_DEPTH: usize = 200;

/// What a listing tells of one entry.
pub struct Entry {
    /// The path below the directory that was listed.
    pub path: Vec<u8>,
    /// What it is.
    pub kind: EntryKind,
    /// Bytes of data.
    pub size: u64,
}

/// Kinds of files, as far as the host tells them apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A device or a pipe.
    Other,
}

/// The path as seen from the root.
fn absolute(path: &[u8]) -> Vec<u8> {
    if path.first() == Some(&b'/') {
        return path.to_vec();
    }
    let mut whole = HOME.as_bytes().to_vec();
    if !path.is_empty() && path != b"." {
        whole.push(b'/');
        whole.extend_from_slice(path);
    }
    whole
}

impl FileSystem {
    /// Writes a piece of a file: the first piece makes it anew, with the directories above it, the others are added to its end.
    pub fn receive(&mut self, path: &[u8], data: &[u8], first: bool) -> Io<()> {
        let path = absolute(path);
        if first {
            self.make_parents(&path)?;
        }
        let flags = Flags {
            write: true,
            create: first,
            truncate: first,
            append: !first,
            ..Flags::default()
        };
        let fd = self.open(None, &path, flags, 0o666)?;
        let done = match self.device_of(fd) {
            // Data put into a device would be lost, or be output of the program.
            Ok(None) => self.write_all(fd, data),
            Ok(Some(_)) => Err(errno::EINVAL),
            Err(e) => Err(e),
        };
        self.close(fd)?;
        done
    }

    /// Makes a directory and those above it, unless they exist.
    pub fn receive_directory(&mut self, path: &[u8]) -> Io<()> {
        let path = absolute(path);
        self.make_parents(&path)?;
        match self.mkdir(None, &path, 0o777) {
            Err(e) if e == errno::EEXIST => {
                let ino = self.lookup(None, &path, true)?;
                self.entries(ino).map(|_| ())
            }
            done => done,
        }
    }

    /// At most `count` bytes of a regular file from `offset` on.
    pub fn hand_out(&self, path: &[u8], offset: u64, count: usize) -> Io<&[u8]> {
        let data = self.contents(&absolute(path))?;
        let start = usize::try_from(offset)
            .unwrap_or(usize::MAX)
            .min(data.len());
        Ok(&data[start..data.len().min(start.saturating_add(count))])
    }

    /// Everything below a directory, a directory before what is in it, names in order.
    pub fn tree(&self, path: &[u8]) -> Io<Vec<Entry>> {
        let root = self.lookup(None, &absolute(path), true)?;
        self.entries(root)?;
        let mut found = Vec::new();
        // Directories whose entries are still to be told, the next one last.
        let mut waiting = vec![(Vec::new(), root, 0)];
        while let Some((above, ino, depth)) = waiting.pop() {
            if depth > MAX_DEPTH {
                return Err(errno::ENAMETOOLONG);
            }
            let mut below = Vec::new();
            for (name, &child) in self.entries(ino)? {
                let mut path: Vec<u8> = above.clone();
                if !path.is_empty() {
                    path.push(b'/');
                }
                path.extend_from_slice(name);
                let node = self.node(child);
                let kind = match node.kind_bits() {
                    0o100_000 => EntryKind::File,
                    0o040_000 => EntryKind::Directory,
                    0o120_000 => EntryKind::Link,
                    _ => EntryKind::Other,
                };
                if kind == EntryKind::Directory {
                    below.push((path.clone(), child, depth + 1));
                }
                found.push(Entry {
                    path,
                    kind,
                    size: node.content.cost().max(match &node.content {
                        super::Content::Fixed(data) => data.len() as u64,
                        _ => 0,
                    }),
                });
            }
            waiting.extend(below.into_iter().rev());
        }
        Ok(found)
    }

    fn write_all(&mut self, fd: i32, data: &[u8]) -> Io<()> {
        let mut rest = data;
        while !rest.is_empty() {
            match self.write(fd, rest)? {
                Transfer::Done(n) if n > 0 => rest = &rest[n..],
                _ => return Err(errno::EIO),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files() -> FileSystem {
        FileSystem::new(0, std::iter::empty(), super::super::DEFAULT_QUOTA)
    }

    #[test]
    fn pieces_make_a_file_and_come_out_again() {
        let mut fs = files();
        assert_eq!(fs.receive(b"a/b.txt", b"one ", true), Ok(()));
        assert_eq!(fs.receive(b"a/b.txt", b"two", false), Ok(()));
        assert_eq!(
            fs.hand_out(b"/home/user/a/b.txt", 0, 100),
            Ok(&b"one two"[..])
        );
        assert_eq!(fs.hand_out(b"a/b.txt", 4, 2), Ok(&b"tw"[..]));
        assert_eq!(fs.hand_out(b"a/b.txt", 99, 2), Ok(&b""[..]));
        assert_eq!(fs.hand_out(b"a", 0, 1), Err(errno::EISDIR));
        assert_eq!(fs.hand_out(b"c", 0, 1), Err(errno::ENOENT));
        assert_eq!(fs.receive(b"a/b.txt", b"new", true), Ok(()));
        assert_eq!(fs.hand_out(b"a/b.txt", 0, 100), Ok(&b"new"[..]));
    }

    #[test]
    fn what_is_not_a_place_for_data_is_refused() {
        let mut fs = files();
        assert_eq!(fs.receive(b"/dev/stdout", b"x", true), Err(errno::EINVAL));
        assert_eq!(fs.receive(b"/lib/x", b"x", true), Err(errno::EACCES));
        assert_eq!(fs.receive(b"/home/user", b"x", true), Err(errno::EISDIR));
        fs.set_quota(1000);
        assert_eq!(fs.receive(b"x", &[0; 1001], true), Err(errno::ENOSPC));
    }

    #[test]
    fn a_tree_is_listed_in_order_without_following_links() {
        let mut fs = files();
        for path in ["d/z", "d/a/x", "e"] {
            assert_eq!(fs.receive(path.as_bytes(), b"12", true), Ok(()));
        }
        assert_eq!(fs.symlink(b"..", None, b"/home/user/d/up"), Ok(()));
        let list = |fs: &FileSystem, path: &[u8]| -> Vec<(String, EntryKind, u64)> {
            let entries = fs.tree(path).unwrap_or_default();
            entries
                .into_iter()
                .map(|e| {
                    (
                        String::from_utf8_lossy(&e.path).into_owned(),
                        e.kind,
                        e.size,
                    )
                })
                .collect()
        };
        let expected = [
            ("d", EntryKind::Directory, 0),
            ("e", EntryKind::File, 2),
            ("d/a", EntryKind::Directory, 0),
            ("d/up", EntryKind::Link, 2),
            ("d/z", EntryKind::File, 2),
            ("d/a/x", EntryKind::File, 2),
        ];
        let expected: Vec<_> = expected
            .iter()
            .map(|(path, kind, size)| ((*path).to_owned(), *kind, *size))
            .collect();
        assert_eq!(list(&fs, b"."), expected);
        assert_eq!(list(&fs, b"e"), []);
    }
}
