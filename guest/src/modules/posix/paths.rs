//! Paths and descriptors as arguments, and errors about them.

use crate::files::{Errno, Ino, Io, errno};
use crate::names;
use crate::objects::bytes::{Bytes, buffer};
use crate::objects::exception::Exc;
use crate::objects::string::Str;
use crate::value::Value;
use crate::vm::{R, Raised, Vm};

/// What a function was told to work on.
pub(crate) enum Target {
    /// A path, as bytes.
    Path(Vec<u8>),
    /// An open file.
    Descriptor(i32),
}

/// A path argument, and what was given for it.
pub(crate) struct PathArg {
    pub(crate) target: Target,
    /// What errors show.
    pub(crate) shown: Value,
    /// Names that come from it are `bytes`.
    pub(crate) bytes: bool,
}

impl PathArg {
    /// The path; empty for a descriptor.
    pub(crate) fn path(&self) -> &[u8] {
        match &self.target {
            Target::Path(path) => path,
            Target::Descriptor(_) => b"",
        }
    }
}

/// What a path argument may be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Accept {
    /// A path.
    Path,
    /// A path or a descriptor.
    PathOrFd,
    /// A path, a descriptor, or `None` for the working directory.
    Any,
}

impl Vm {
    /// Raises the `OSError` for a number.
    #[cold]
    pub(crate) fn os_error(&mut self, number: Errno) -> Raised {
        self.os_error_about(number, None, None)
    }

    /// Raises the `OSError` for a number, about a file or two.
    #[cold]
    pub(crate) fn os_error_about(
        &mut self,
        number: Errno,
        file: Option<&Value>,
        second: Option<&Value>,
    ) -> Raised {
        let mut args = vec![
            Value::small_int(i64::from(number.0)),
            Str::value(&errno::text(number.0)),
        ];
        if let Some(file) = file {
            args.push(file.clone());
        }
        if let Some(second) = second {
            args.push(Value::NONE);
            args.push(second.clone());
        }
        match self.call(&Exc::OSError.class().to_value(), &args) {
            Ok(e) => self.raise_value(e),
            Err(raised) => raised,
        }
    }

    /// The result of an operation on files, with `OSError` for its error.
    pub(crate) fn io<T>(&mut self, result: Io<T>) -> R<T> {
        result.map_err(|e| self.os_error(e))
    }

    /// The result of an operation on a path.
    pub(crate) fn io_about<T>(&mut self, result: Io<T>, path: &PathArg) -> R<T> {
        result.map_err(|e| self.os_error_about(e, Some(&path.shown), None))
    }

    /// `str`, `bytes`, or what `__fspath__` gives.
    pub(crate) fn fs_path(&mut self, v: &Value) -> R {
        if v.is::<Str>() || v.is::<Bytes>() {
            return Ok(v.clone());
        }
        let made = match self.special(v, &names::intern("__fspath__"))? {
            Some(method) if !method.is_none() => self.call(&method, &[])?,
            _ => {
                return Err(self.type_error(format!(
                    "expected str, bytes or os.PathLike object, not {}",
                    self.class_name(v)
                )));
            }
        };
        if made.is::<Str>() || made.is::<Bytes>() {
            return Ok(made);
        }
        Err(self.type_error(format!(
            "expected {}.__fspath__() to return str or bytes, not {}",
            self.class_name(v),
            self.class_name(&made)
        )))
    }

    /// A `str` or `bytes` as the bytes of a path.
    pub(crate) fn fs_encode(&mut self, v: &Value) -> R<Vec<u8>> {
        if let Some(s) = v.as_ref::<Str>() {
            if let Some(text) = s.as_str() {
                return Ok(text.as_bytes().to_vec());
            }
            let data = self.call_method(
                v,
                &names::intern("encode"),
                &[Str::value("utf-8"), Str::value("surrogateescape")],
            )?;
            return buffer::copy(self, &data);
        }
        buffer::copy(self, v)
    }

    /// The bytes of a path as a `str`, or as `bytes`.
    pub(crate) fn fs_decode(&mut self, path: &[u8], bytes: bool) -> R {
        if bytes {
            return Ok(Bytes::value(path.to_vec()));
        }
        match std::str::from_utf8(path) {
            Ok(text) => Ok(Str::value(text)),
            Err(_) => self.call_method(
                &Bytes::value(path.to_vec()),
                &names::intern("decode"),
                &[Str::value("utf-8"), Str::value("surrogateescape")],
            ),
        }
    }

    /// A path argument of a function.
    pub(crate) fn path_arg(
        &mut self,
        v: Option<&Value>,
        function: &str,
        name: &str,
        accept: Accept,
    ) -> R<PathArg> {
        let nullable = accept == Accept::Any;
        let numeric = matches!(accept, Accept::PathOrFd | Accept::Any);
        let v = match v {
            Some(v) if !(v.is_none() && nullable) => v,
            _ => {
                return Ok(PathArg {
                    target: Target::Path(b".".to_vec()),
                    shown: Str::value("."),
                    bytes: false,
                });
            }
        };
        let is_text = v.is::<Str>() || v.is::<Bytes>();
        if !is_text && numeric && crate::objects::sequence::is_index(v) {
            let fd = self.path_fd(v)?;
            return Ok(PathArg {
                target: Target::Descriptor(fd),
                shown: v.clone(),
                bytes: false,
            });
        }
        let made = if is_text {
            v.clone()
        } else {
            match self.special(v, &names::intern("__fspath__"))? {
                Some(method) if !method.is_none() => {
                    let made = self.call(&method, &[])?;
                    if !made.is::<Str>() && !made.is::<Bytes>() {
                        return Err(self.type_error(format!(
                            "expected {}.__fspath__() to return str or bytes, not {}",
                            self.class_name(v),
                            self.class_name(&made)
                        )));
                    }
                    made
                }
                _ => {
                    let kinds = match accept {
                        Accept::Any => "string, bytes, os.PathLike, integer or None",
                        Accept::PathOrFd => "string, bytes, os.PathLike or integer",
                        Accept::Path => "string, bytes or os.PathLike",
                    };
                    return Err(self.type_error(format!(
                        "{function}: {name} should be {kinds}, not {}",
                        self.class_name(v)
                    )));
                }
            }
        };
        let bytes = made.is::<Bytes>();
        let path = self.fs_encode(&made)?;
        if path.contains(&0) {
            return Err(self.value_error(format!("{function}: embedded null character in {name}")));
        }
        Ok(PathArg {
            target: Target::Path(path),
            shown: made,
            bytes,
        })
    }

    /// A descriptor, given as a number.
    pub(crate) fn fd_arg(&mut self, v: &Value) -> R<i32> {
        let large = "Python int too large to convert to C int";
        self.descriptor(v, large, large)
    }

    /// A descriptor where a path could be.
    fn path_fd(&mut self, v: &Value) -> R<i32> {
        self.descriptor(v, "fd is less than minimum", "fd is greater than maximum")
    }

    fn descriptor(&mut self, v: &Value, small: &str, large: &str) -> R<i32> {
        if v.is_bool() {
            crate::modules::io::warn(
                self,
                Exc::RuntimeWarning,
                "bool is used as a file descriptor",
                None,
            )?;
        }
        let i = self.index(v)?;
        match i.as_int().map(|i| i.clamp_i64()) {
            Some(n) if i32::try_from(n).is_ok() => Ok(n as i32),
            Some(n) if n < 0 => Err(self.overflow_error(small)),
            _ => Err(self.overflow_error(large)),
        }
    }

    /// A descriptor argument: a number, or something with `fileno()`.
    pub(crate) fn fileno_arg(&mut self, v: &Value) -> R<i32> {
        if crate::objects::sequence::is_index(v) {
            let fd = self.fd_arg(v)?;
            if fd < 0 {
                return Err(self.value_error(format!(
                    "file descriptor cannot be a negative integer ({fd})"
                )));
            }
            return Ok(fd);
        }
        let method = self.get_attr_opt(v, &names::intern("fileno").to_value())?;
        let Some(method) = method else {
            return Err(self.type_error("argument must be an int, or have a fileno() method."));
        };
        let made = self.call(&method, &[])?;
        if !crate::objects::sequence::is_index(&made) {
            return Err(self.type_error("fileno() returned a non-integer"));
        }
        let fd = self.fd_arg(&made)?;
        if fd < 0 {
            return Err(self.value_error(format!(
                "file descriptor cannot be a negative integer ({fd})"
            )));
        }
        Ok(fd)
    }

    /// A `dir_fd` argument.
    pub(crate) fn dir_fd_arg(&mut self, v: Option<&Value>) -> R<Option<i32>> {
        match v {
            None => Ok(None),
            Some(v) if v.is_none() => Ok(None),
            Some(v) if crate::objects::sequence::is_index(v) => self.path_fd(v).map(Some),
            Some(v) => Err(self.type_error(format!(
                "argument should be integer or None, not {}",
                self.class_name(v)
            ))),
        }
    }

    /// The directory that an argument is about; errors about a descriptor do not show it.
    pub(crate) fn find_directory(&mut self, path: &PathArg) -> R<Ino> {
        if let Target::Descriptor(fd) = path.target {
            let ino = self.files().ino_of(fd);
            return self.io(ino);
        }
        self.find_file(path, None, true)
    }

    /// The file that an argument is about.
    pub(crate) fn find_file(&mut self, path: &PathArg, at: Option<i32>, follow: bool) -> R<Ino> {
        let found = match &path.target {
            Target::Descriptor(fd) => self.files().ino_of(*fd),
            Target::Path(p) => self.files().lookup(at, p, follow),
        };
        self.io_about(found, path)
    }
}
