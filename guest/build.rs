//! Collects the library's Python sources into one table, and compiles them: importing a module only links its code and runs it.
//!
//! CPython's pure-Python modules come from the crate `rustpython-pylib`; the modules in `src/lib` are ours and take the place of those with the same name.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use coldframe_compiler::pack;
use coldframe_compiler::spans::Store;

/// Modules taken from CPython's library as they are, one name a line, sorted. Submodules of packages are named too.
/// `name without socket` takes a module whose use of the network is a small part of it: its `import socket` (`socketserver`, `select`) is made to
/// import [`NO_NETWORK`] instead, which says what is missing when it is used.
const TAKEN: &str = "library.txt";

/// Where CPython's C implementation of a module does a thing in another way than its Python one, or where this machine has to: module, text, what it has to
/// be.
const WORDED: &[(&str, &str, &str)] = &[
    // A power of ten would have as many digits as the precision, which may be astronomic: the digits are counted.
    (
        "_pydecimal",
        "if q < 10**context.prec:",
        "if len(str(q)) <= context.prec:",
    ),
    // A thread enters its context by a call that returns: one that called the thread's function would be native code beneath all that the thread does,
    // and there a thread cannot wait without holding up the one that started it.
    (
        "threading",
        "                self._context.run(self.run)\n",
        "                _enter_context(self._context)\n                self.run()\n",
    ),
    (
        "asyncio.threads",
        "    func_call = functools.partial(ctx.run, func, *args, **kwargs)\n    return await loop.run_in_executor(None, func_call)",
        "    return await loop.run_in_executor(None, _thread._call_in, ctx, func, args, kwargs)",
    ),
    ("asyncio.threads", "import functools\n", "import _thread\n"),
    (
        "threading",
        "_thread_shutdown = _thread._shutdown\n",
        "_thread_shutdown = _thread._shutdown; _enter_context = _thread._enter\n",
    ),
    (
        "_pydecimal",
        "if q >= 10**context.prec:",
        "if len(str(q)) > context.prec:",
    ),
];

/// The module of decimal arithmetic.
const DECIMALS: &str = "_pydecimal";

/// Coefficients as text have no limit of length, which `str(integer)` and `int(text)` have: calls of these become calls of `_decimal_digits`'s.
fn without_digit_limit(text: &str) -> String {
    let named = |before: &str| {
        before
            .chars()
            .next_back()
            .is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '.')
    };
    let mut text = text.to_owned();
    for (from, to) in [("str(", "_digits("), ("int(", "_integer(")] {
        let mut out = String::new();
        let mut rest = text.as_str();
        while let Some(at) = rest.find(from) {
            out.push_str(&rest[..at]);
            out.push_str(if named(&rest[..at]) { from } else { to });
            rest = &rest[at + from.len()..];
        }
        out.push_str(rest);
        text = out;
    }
    let import = "\nimport math as _math\n";
    assert!(text.contains(import), "{DECIMALS} has no{import}");
    text.replacen(
        import,
        &format!("{import}from _decimal_digits import digits as _digits, integer as _integer\n"),
        1,
    )
}

/// Stands for `socket` and its like.
const NO_NETWORK: &str = "_no_network";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/lib");
    println!("cargo::rerun-if-changed={TAKEN}");
    let root = PathBuf::from(rustpython_pylib::LIB_PATH);
    let mut found: BTreeMap<String, (PathBuf, bool)> = BTreeMap::new();
    let taken = std::fs::read_to_string(TAKEN).expect("the list of modules is beside this script");
    let mut without_network = Vec::new();
    for line in taken.lines() {
        let name = line.strip_suffix(" without socket").unwrap_or(line);
        if name != line {
            without_network.push(name.to_owned());
        }
        let path = root.join(name.replace('.', "/"));
        let (file, package) = if path.is_dir() {
            (path.join("__init__.py"), true)
        } else {
            (path.with_extension("py"), false)
        };
        assert!(file.is_file(), "the library has no module {name}");
        found.insert(name.to_owned(), (file, package));
    }
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib");
    for entry in std::fs::read_dir(&own).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|e| e == "py") {
            // A dotted file name is a dotted module name.
            let name = path
                .file_stem()
                .map(|s| s.to_string_lossy().into_owned())
                .unwrap_or_default();
            let package = found.get(&name).is_some_and(|(_, p)| *p);
            found.insert(name, (path, package));
        }
    }
    // What has submodules is a package.
    let parents: Vec<String> = found
        .keys()
        .filter_map(|n| n.rsplit_once('.').map(|(p, _)| p.to_owned()))
        .collect();
    for parent in parents {
        if let Some((_, package)) = found.get_mut(&parent) {
            *package = true;
        }
    }
    let modules: Vec<Module> = found
        .into_iter()
        .map(|(name, (file, is_package))| Module {
            text: text(&name, &file, &without_network),
            name,
            is_package,
        })
        .collect();
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let (table, bytes) = library(&on_all_processors(&modules, entry));
    for (file, content) in [("library.rs", table.as_bytes()), ("library.bin", &bytes)] {
        std::fs::write(out.join(file), content).expect("the output folder is writable");
    }
}

/// A module of the library.
struct Module {
    name: String,
    text: String,
    is_package: bool,
}

/// The source of a module.
fn text(name: &str, file: &Path, without_network: &[String]) -> String {
    let mut text = std::fs::read_to_string(file).expect("the source is readable");
    if without_network.iter().any(|n| n == name) {
        for module in ["socket", "socketserver", "select"] {
            text = text
                .replace(
                    &format!("\nimport {module}\n"),
                    &format!("\nimport {NO_NETWORK} as {module}\n"),
                )
                .replace(
                    &format!("\nfrom {module} import "),
                    &format!("\nfrom {NO_NETWORK} import "),
                );
        }
    }
    for (_, from, to) in WORDED.iter().filter(|(module, ..)| *module == name) {
        assert!(text.contains(from), "{name} has no {from}");
        text = text.replace(from, to);
    }
    if name == DECIMALS {
        text = without_digit_limit(&text);
    }
    text
}

/// What `f` makes of each item, in their order.
fn on_all_processors<T: Sync, U: Send>(items: &[T], f: impl Fn(&T) -> U + Sync) -> Vec<U> {
    /// The parser recurses, and is not optimised here.
    const STACK: usize = 64 << 20;
    let next = AtomicUsize::new(0);
    let (to, results) = mpsc::channel();
    let work = |to: mpsc::Sender<(usize, U)>| {
        while let Some((at, item)) = {
            let at = next.fetch_add(1, Ordering::Relaxed);
            items.get(at).map(|item| (at, item))
        } {
            to.send((at, f(item))).expect("somebody waits for it");
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            let to = to.clone();
            std::thread::Builder::new()
                .stack_size(STACK)
                .spawn_scoped(scope, || work(to))
                .expect("a thread");
        }
        drop(to);
        let mut results: Vec<(usize, U)> = results.iter().collect();
        results.sort_by_key(|(at, _)| *at);
        results.into_iter().map(|(_, result)| result).collect()
    })
}

/// A module as it is put into the library.
struct Entry {
    name: String,
    is_package: bool,
    /// Text, code and spans: packed, and how long they are when unpacked.
    parts: [(Vec<u8>, usize); 3],
}

fn entry(module: &Module) -> Entry {
    let code = compile(&module.name, &module.text);
    // Packed, because the image of every process would otherwise carry the whole of modules that it hardly ever reads.
    let packed = |bytes: &[u8]| {
        let small = miniz_oxide::deflate::compress_to_vec(bytes, 9);
        (small, bytes.len())
    };
    Entry {
        name: module.name.clone(),
        is_package: module.is_package,
        parts: [
            packed(module.text.as_bytes()),
            packed(&code.code),
            packed(&code.spans),
        ],
    }
}

/// Puts all that is packed into one piece; answers the table of the modules and the piece.
fn library(entries: &[Entry]) -> (String, Vec<u8>) {
    let (mut lines, mut bytes) = (String::new(), Vec::new());
    for entry in entries {
        let [text, code, spans] = entry.parts.each_ref().map(|(small, len)| {
            let at = bytes.len();
            bytes.extend_from_slice(small);
            format!("Packed {{ at: {at}, size: {}, len: {len} }}", small.len())
        });
        let (name, is_package) = (&entry.name, entry.is_package);
        lines += &format!(
            "    Module {{ name: {name:?}, is_package: {is_package}, text: {text}, code: {code}, spans: {spans} }},\n"
        );
    }
    let table = format!("static LIBRARY: &[Module] = &[\n{lines}];\n");
    (table, bytes)
}

/// Compiles a module as an import would.
fn compile(name: &str, text: &str) -> pack::Packed {
    let options = coldframe_compiler::Options::default();
    let code = coldframe_frontend::parse_module(text)
        .and_then(|parsed| coldframe_compiler::compile_module(&parsed.ast, &parsed.lines, &options))
        .unwrap_or_else(|error| panic!("{name}, line {}: {}", error.line, error.message));
    let packed = pack::pack(&code);
    let spans = packed.spans.clone();
    let again = pack::unpack(&packed.code, &Store::new(move || spans.clone()), |name| {
        Rc::<str>::from(name)
    });
    assert!(
        again.is_some_and(|again| again == code),
        "{name} comes back as other code"
    );
    packed
}
