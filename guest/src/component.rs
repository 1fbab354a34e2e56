//! The component's exports and imports (`wit/sandbox.wit`): translation only, no decisions.

#[allow(clippy::all, missing_docs, reason = "generated code")]
mod bindings {
    wit_bindgen::generate!({ path: "../wit", world: "sandbox", pub_export_macro: true });
}

use bindings::{Failure, FailureKind, Guest, ImportEntry, LastValue, RunOptions};

struct Sandbox;

bindings::export!(Sandbox with_types_in bindings);

fn not_linked() -> Failure {
    Failure {
        kind: FailureKind::PythonException,
        type_name: "NotImplementedError".to_owned(),
        message: "interpreter not linked yet".to_owned(),
        line: None,
        traceback: "NotImplementedError: interpreter not linked yet\n".to_owned(),
        exit_code: 1,
    }
}

impl Guest for Sandbox {
    fn boot() {}

    fn run(_source: String, _options: RunOptions) -> Result<Option<LastValue>, Failure> {
        bindings::coldframe::sandbox::host::checkpoint();
        Err(not_linked())
    }

    fn set_variable(_name: String, _value: Vec<u8>) -> Result<(), String> {
        Err("interpreter not linked yet".to_owned())
    }

    fn get_variable(_name: String) -> Result<Option<Vec<u8>>, String> {
        Err("interpreter not linked yet".to_owned())
    }

    fn list_imports(_source: String) -> Result<Vec<ImportEntry>, Failure> {
        Err(not_linked())
    }
}
