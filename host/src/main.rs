//! The command `coldframe`.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
