//! The component's exports and imports (`wit/sandbox.wit`): translation only, no decisions.

#[allow(clippy::all, missing_docs, reason = "generated code")]
mod bindings {
    wit_bindgen::generate!({ path: "../wit", world: "sandbox", skip: ["memory-view"], pub_export_macro: true });
}

use std::cell::RefCell;

use bindings::coldframe::sandbox::host as imports;
use bindings::{
    Failure, FailureKind, FileEntry, FileKind, Guest, ImportEntry, LastValue, Policy, RunOptions,
    Variable,
};

use crate::allocator::global::{fill_table, leave_holes, with_room_in_front};
use crate::files::{EntryKind, Errno, errno};
use crate::vm::host::{Host, Stream, ToolError, ToolResult, Verdict};
use crate::vm::policy::Rules;
use crate::vm::policy::agent::AgentTexts;
use crate::vm::{Stop, Vm, session};
use crate::{memory, names, transfer};

/// The longest `repr` that is handed out, in bytes.
const MAX_REPR: usize = 65_536;

struct Sandbox;

bindings::export!(Sandbox with_types_in bindings);

thread_local! {
    /// The machine, from `boot` on. It lives as long as the memory.
    static MACHINE: RefCell<Option<Vm>> = const { RefCell::new(None) };
}

/// Lends the machine. The component's rules keep the host from calling an export while another is under way.
fn with_machine<T>(f: impl FnOnce(&mut Vm) -> T) -> T {
    MACHINE.with_borrow_mut(|machine| {
        f(machine
            .as_mut()
            .expect("the component was booted when it was built"))
    })
}

/// Clears what booting left on the shadow stack, which the linker puts at the low end of memory, so that it does not
/// become part of the image.
#[inline(never)]
fn forget_stack() {
    /// Left alone: the frames that are still in use, and a distance from the null pointer.
    const MARGIN: usize = 4096;
    let mut here = 0u8;
    let top = std::ptr::from_mut(&mut here).addr().saturating_sub(MARGIN);
    if top > MARGIN {
        // SAFETY: everything below this frame is dead: the stack grows downwards and nothing else lies there.
        unsafe { std::ptr::without_provenance_mut::<u8>(MARGIN).write_bytes(0, top - MARGIN) };
    }
    std::hint::black_box(&here);
}

impl Guest for Sandbox {
    fn boot() {
        let mut vm = Vm::boot(Box::new(NoWorld));
        if let Err(text) = vm.warm_up() {
            // This runs while the component is built: a trap fails the build, with the reason in its message.
            panic!("{text}");
        }
        vm.host = Box::new(Imports);
        leave_holes();
        fill_table();
        vm.gather_tables();
        with_room_in_front(|| vm.make_stack());
        MACHINE.set(Some(vm));
        forget_stack();
    }

    fn run(source: String, options: RunOptions) -> Result<Option<LastValue>, Failure> {
        with_machine(|vm| {
            vm.recursion_limit = options.recursion_limit as usize;
            let result = run_once(vm, &source, &options);
            let stopped = matches!(
                &result,
                Err(f) if matches!(
                    f.kind,
                    FailureKind::OutOfTime
                        | FailureKind::OutOfFuel
                        | FailureKind::Cancelled
                        | FailureKind::OutOfMemory
                        | FailureKind::OutOfOutput
                        | FailureKind::OutOfIterations
                )
            );
            if options.last && !stopped {
                vm.finish();
            }
            result
        })
    }

    fn configure(policy: Policy) -> Result<(), String> {
        with_machine(|vm| {
            vm.configure(Rules {
                allowed_imports: policy.allowed_imports,
                denied_imports: policy.denied_imports,
                removed_builtins: policy.removed_builtins,
                dunders: policy.dunders,
                while_iterations: policy.while_iterations,
                time_zone: policy.time_zone,
                agent_texts: policy.agent_texts.map(|texts| AgentTexts {
                    operations: texts.operations,
                    seconds: texts.seconds,
                }),
            })
        })
    }

    fn set_variable(name: String, value: Vec<u8>) -> Result<(), String> {
        if !is_identifier(&name) {
            return Err("the name is not an identifier".to_owned());
        }
        with_machine(|vm| {
            let value = vm.outside_program(|vm| transfer::decode(vm, &value))?;
            let main = vm.main.dict.clone();
            main.set_str(vm, &names::intern(&name), value);
            Ok(())
        })
    }

    fn get_variable(name: String) -> Result<Option<Vec<u8>>, String> {
        with_machine(|vm| {
            let value = vm.main.dict.get_str(vm, &names::intern(&name)).cloned();
            value
                .map(|value| vm.outside_program(|vm| transfer::encode(vm, &value)))
                .transpose()
        })
    }

    fn list_variables(repr_limit: u32) -> Result<Vec<Variable>, Failure> {
        with_machine(|vm| vm.program_variables(repr_limit as usize))
            .map(|found| {
                found
                    .into_iter()
                    .map(|(name, type_name, repr)| Variable {
                        name,
                        type_name,
                        repr,
                    })
                    .collect()
            })
            .map_err(failure)
    }

    fn set_file_quota(bytes: u64) {
        with_machine(|vm| vm.set_file_quota(bytes));
    }

    fn write_file(path: String, data: Vec<u8>, first: bool) -> Result<(), String> {
        with_machine(|vm| vm.files().receive(path.as_bytes(), &data, first)).map_err(reason)
    }

    fn make_directory(path: String) -> Result<(), String> {
        with_machine(|vm| vm.files().receive_directory(path.as_bytes())).map_err(reason)
    }

    fn read_file(path: String, offset: u64, count: u32) -> Result<Vec<u8>, String> {
        with_machine(|vm| {
            vm.files()
                .hand_out(path.as_bytes(), offset, count as usize)
                .map(<[u8]>::to_vec)
        })
        .map_err(reason)
    }

    fn list_files(path: String) -> Result<Vec<FileEntry>, String> {
        let entries = with_machine(|vm| vm.files().tree(path.as_bytes())).map_err(reason)?;
        Ok(entries
            .into_iter()
            .map(|entry| FileEntry {
                path: String::from_utf8_lossy(&entry.path).into_owned(),
                kind: match entry.kind {
                    EntryKind::File => FileKind::File,
                    EntryKind::Directory => FileKind::Directory,
                    EntryKind::Link => FileKind::Link,
                    EntryKind::Other => FileKind::Other,
                },
                size: entry.size,
            })
            .collect())
    }

    fn restore_begin(bytes: u64) -> bool {
        memory::grow(bytes)
    }

    fn restore_aim(address: u32) {
        memory::aim(address as usize);
    }

    fn restore_write(data: Vec<u8>) {
        memory::land(data);
    }

    fn define_tools(definitions: Vec<u8>) -> Result<(), String> {
        with_machine(|vm| vm.define_tools(&definitions))
    }

    fn list_imports(source: String) -> Result<Vec<ImportEntry>, Failure> {
        with_machine(|vm| vm.list_imports(&source))
            .map(|found| {
                found
                    .into_iter()
                    .map(|i| ImportEntry {
                        module: i.module,
                        line: i.line,
                    })
                    .collect()
            })
            .map_err(failure)
    }
}

fn run_once(vm: &mut Vm, source: &str, options: &RunOptions) -> Result<Option<LastValue>, Failure> {
    let compile = coldframe_compiler::Options {
        want_value: options.want_value,
        top_level_await: options.top_level_await,
        ..coldframe_compiler::Options::default()
    };
    let value = vm
        .run_program_with(source, &options.file_name, &compile)
        .map_err(failure)?;
    let answer = vm.take_final_answer();
    let is_final = answer.is_some();
    let Some(value) = answer.or_else(|| value.filter(|value| !value.is_none())) else {
        return Ok(None);
    };
    let repr = vm
        .program_repr(&value, &options.file_name)
        .map_err(failure)?;
    Ok(Some(LastValue {
        is_final,
        repr: cut(repr),
        encoded: vm.outside_program(|vm| transfer::encode(vm, &value)).ok(),
    }))
}

/// What an error of the file system says to people.
fn reason(error: Errno) -> String {
    errno::text(error.0)
}

/// Cuts at the end of a character.
fn cut(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(MAX_REPR));
    text
}

fn is_identifier(name: &str) -> bool {
    coldframe_frontend::parse_expression(name).is_ok_and(|e| {
        e.ast
            .body
            .as_name_expr()
            .is_some_and(|n| n.id.as_str() == name)
    })
}

fn failure(failure: session::Failure) -> Failure {
    let kind = match failure.kind {
        session::FailureKind::Syntax => FailureKind::Syntax,
        session::FailureKind::Exception => FailureKind::PythonException,
        session::FailureKind::Exit => FailureKind::Exit,
        session::FailureKind::Refused => FailureKind::Refused,
        session::FailureKind::Stopped(Stop::Iterations) => FailureKind::OutOfIterations,
        session::FailureKind::Stopped(Stop::Time) => FailureKind::OutOfTime,
        session::FailureKind::Stopped(Stop::Fuel) => FailureKind::OutOfFuel,
        session::FailureKind::Stopped(Stop::Cancelled) => FailureKind::Cancelled,
        session::FailureKind::Stopped(Stop::Output) => FailureKind::OutOfOutput,
        session::FailureKind::Stopped(Stop::Memory) | session::FailureKind::Memory => {
            FailureKind::OutOfMemory
        }
        session::FailureKind::Recursion => FailureKind::OutOfRecursion,
    };
    Failure {
        kind,
        type_name: failure.type_name,
        message: failure.message,
        line: failure.line,
        traceback: failure.traceback,
        agent_text: failure.agent_text,
        exit_code: failure.exit_code,
    }
}

/// The world outside, as the machine asks for it.
struct Imports;

impl Host for Imports {
    fn write(&mut self, to: Stream, bytes: &[u8]) -> bool {
        let to = match to {
            Stream::Stdout => imports::Stream::Stdout,
            Stream::Stderr => imports::Stream::Stderr,
        };
        imports::write(to, bytes)
    }

    fn wall_clock(&mut self) -> u64 {
        imports::wall_clock()
    }

    fn monotonic_clock(&mut self) -> u64 {
        imports::monotonic_clock()
    }

    fn sleep(&mut self, nanoseconds: u64) {
        imports::sleep(nanoseconds);
    }

    fn entropy(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        while bytes.len() < count {
            let more = imports::entropy(u32::try_from(count - bytes.len()).unwrap_or(u32::MAX));
            if more.is_empty() {
                break;
            }
            bytes.extend(more);
        }
        bytes
    }

    fn checkpoint(&mut self) -> Verdict {
        match imports::checkpoint() {
            imports::Verdict::GoOn => Verdict::GoOn,
            imports::Verdict::OutOfTime => Verdict::Stop(Stop::Time),
            imports::Verdict::OutOfFuel => Verdict::Stop(Stop::Fuel),
            imports::Verdict::Cancelled => Verdict::Stop(Stop::Cancelled),
        }
    }

    fn call_tool(&mut self, name: &str, arguments: &[u8]) -> Result<Vec<u8>, ToolError> {
        imports::call_tool(name, arguments).map_err(|error| (error.type_name, error.message))
    }

    fn start_tool(&mut self, name: &str, arguments: &[u8]) -> Result<u64, ToolError> {
        imports::start_tool(name, arguments).map_err(|error| (error.type_name, error.message))
    }

    fn wait_tool(&mut self, nanoseconds: Option<u64>) -> Option<(u64, ToolResult)> {
        let reply = imports::wait_tool(nanoseconds)?;
        let outcome = reply
            .outcome
            .map_err(|error| (error.type_name, error.message));
        Some((reply.call, outcome))
    }

    fn drop_tool(&mut self, call: u64) {
        imports::drop_tool(call);
    }

    fn release_handle(&mut self, handle: u64) {
        imports::release_handle(handle);
    }

    fn handle_attribute(&mut self, handle: u64, name: &str) -> ToolResult {
        imports::handle_attribute(handle, name).map_err(|error| (error.type_name, error.message))
    }
}

/// The world while the machine boots, at build time: there is none. Whoever asks for the time or for entropy then would
/// have the answer frozen into every sandbox; that fails the build.
struct NoWorld;

impl Host for NoWorld {
    fn write(&mut self, _: Stream, _: &[u8]) -> bool {
        true
    }

    fn wall_clock(&mut self) -> u64 {
        panic!("the clock was asked for at boot")
    }

    fn monotonic_clock(&mut self) -> u64 {
        panic!("the clock was asked for at boot")
    }

    fn sleep(&mut self, _: u64) {}

    fn entropy(&mut self, _: usize) -> Vec<u8> {
        panic!("entropy was asked for at boot")
    }

    fn checkpoint(&mut self) -> Verdict {
        Verdict::GoOn
    }

    fn call_tool(&mut self, _: &str, _: &[u8]) -> Result<Vec<u8>, ToolError> {
        panic!("a tool was called at boot")
    }
}
