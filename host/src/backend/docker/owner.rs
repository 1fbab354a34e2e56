//! Whose a container is: labels by which a later process tells that the one who made it is gone.
//!
//! A process is known by its machine, the boot of that machine, the namespace that its number counts in, its number and the moment when it started. What
//! cannot be told for certain is somebody else's, and stays.

use serde_json::{Value as Json, json};

/// Everything of ours has it.
pub(super) const MACHINE: &str = "coldframe.machine";
const BOOT: &str = "coldframe.boot";
const SPACE: &str = "coldframe.pid-namespace";
const PROCESS: &str = "coldframe.process";
const STARTED: &str = "coldframe.process-started";

/// A process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Owner {
    machine: String,
    boot: String,
    space: String,
    process: u32,
    started: String,
}

impl Owner {
    /// This process; nothing on systems that do not say what it takes.
    pub(super) fn this() -> Option<Owner> {
        let process = std::process::id();
        Some(Owner {
            machine: machine()?,
            boot: boot(),
            space: space(),
            process,
            started: started(process)?,
        })
    }

    pub(super) fn labels(&self) -> Json {
        json!({
            MACHINE: self.machine, BOOT: self.boot, SPACE: self.space, PROCESS: self.process.to_string(), STARTED: self.started,
        })
    }

    /// What to filter lists by: everything of this machine's.
    pub(super) fn filter(&self) -> Json {
        json!({"label": [format!("{MACHINE}={}", self.machine)]})
    }

    /// Whether the owner of something with these labels is gone for certain. `is_local` is whether the engine serves this machine alone, so that machines with
    /// the same name cannot be meant.
    pub(super) fn is_gone(&self, labels: &Json, is_local: bool) -> bool {
        let text = |key: &str| labels[key].as_str();
        let (Some(boot), Some(space), Some(started)) = (text(BOOT), text(SPACE), text(STARTED))
        else {
            return false;
        };
        if text(MACHINE) != Some(self.machine.as_str()) {
            return false;
        }
        if boot != self.boot {
            return is_local;
        }
        let Some(process) = text(PROCESS).and_then(|number| number.parse().ok()) else {
            return false;
        };
        space == self.space
            && started_of(process).is_some_and(|now| now.as_deref() != Some(started))
    }
}

/// When the process of that number started; `Some(None)` when there is none, nothing when that cannot be told.
fn started_of(process: u32) -> Option<Option<String>> {
    match started(process) {
        Some(started) => Some(Some(started)),
        None => is_missing(process).then_some(None),
    }
}

/// The same for the same text in every build: names of images and labels outlive a process.
pub(super) fn hash(text: &str) -> String {
    // FNV-1a, by Fowler, Noll and Vo.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in text.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("{hash:016x}")
}

#[cfg(target_os = "linux")]
fn machine() -> Option<String> {
    let read = |path| std::fs::read_to_string(path).ok();
    let name = read("/etc/machine-id")
        .filter(|id| !id.trim().is_empty())
        .or_else(|| read("/proc/sys/kernel/hostname"))?;
    // The number itself is not to be told to others.
    Some(hash(name.trim()))
}

#[cfg(target_os = "linux")]
fn boot() -> String {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id");
    hash(id.unwrap_or_default().trim())
}

#[cfg(target_os = "linux")]
fn space() -> String {
    let link = std::fs::read_link("/proc/self/ns/pid");
    link.map_or_else(|_| String::new(), |path| path.display().to_string())
}

#[cfg(target_os = "linux")]
fn started(process: u32) -> Option<String> {
    let line = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The command's name, in parentheses, may hold anything; proc(5) counts its successor as field 3, and the start as 22.
    let (_, fields) = line.rsplit_once(") ")?;
    fields.split(' ').nth(19).map(str::to_owned)
}

#[cfg(target_os = "linux")]
fn is_missing(process: u32) -> bool {
    let folder = std::fs::metadata(format!("/proc/{process}"));
    folder.is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
}

#[cfg(not(target_os = "linux"))]
fn machine() -> Option<String> {
    None
}

#[cfg(not(target_os = "linux"))]
fn boot() -> String {
    String::new()
}

#[cfg(not(target_os = "linux"))]
fn space() -> String {
    String::new()
}

#[cfg(not(target_os = "linux"))]
fn started(_: u32) -> Option<String> {
    None
}

#[cfg(not(target_os = "linux"))]
fn is_missing(_: u32) -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn an_owner_is_gone_when_that_is_certain() {
        let this = Owner::this().expect("this process");
        assert!(!this.is_gone(&this.labels(), true));
        // Another process has the number now, or none has it.
        let earlier = Owner {
            started: "1".into(),
            ..this.clone()
        };
        assert!(this.is_gone(&earlier.labels(), false));
        let ended = Owner {
            process: u32::MAX,
            ..this.clone()
        };
        assert!(this.is_gone(&ended.labels(), false));
        // A number of another namespace, or of another machine, says nothing.
        let inner = Owner {
            space: "pid:[1]".into(),
            ..ended.clone()
        };
        assert!(!this.is_gone(&inner.labels(), true));
        let elsewhere = Owner {
            machine: "m".into(),
            ..ended.clone()
        };
        assert!(!this.is_gone(&elsewhere.labels(), true));
        // Nobody lives from before the machine started, if there is but one machine.
        let before = Owner {
            boot: "b".into(),
            ..this.clone()
        };
        assert!(this.is_gone(&before.labels(), true));
        assert!(!this.is_gone(&before.labels(), false));
        for labels in [
            json!({}),
            json!(null),
            json!({MACHINE: this.machine}),
            json!([1]),
        ] {
            assert!(!this.is_gone(&labels, true));
        }
    }

    #[test]
    fn hashes_are_the_published_ones() {
        assert_eq!(hash(""), "cbf29ce484222325");
        assert_eq!(hash("a"), "af63dc4c8601ec8c");
    }
}
