//! Disassembles Python files, or only checks them: `dis [--check] FILE...`.

use std::process::ExitCode;

use coldframe_compiler::{Options, compile_module, dis, validate};
use coldframe_frontend::{decode_source, parse_module};

fn main() -> ExitCode {
    let mut failed = false;
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let check = arguments.first().is_some_and(|first| first == "--check");
    if check {
        arguments.remove(0);
    }
    let mut instructions = 0;
    for path in &arguments {
        let Ok(bytes) = std::fs::read(path) else {
            println!("{path}: cannot be read");
            failed = true;
            continue;
        };
        let compiled = decode_source(&bytes)
            .and_then(|text| parse_module(&text))
            .and_then(|module| {
                let proto = compile_module(&module.ast, &module.lines, &Options::default())?;
                Ok((module, proto))
            });
        match compiled {
            Err(error) => {
                println!("{path}: {error}");
                failed = true;
            }
            Ok((module, proto)) => {
                for problem in validate::validate(&proto) {
                    println!("{path}: {problem}");
                    failed = true;
                }
                instructions += proto.instrs.len();
                if !check {
                    print!("{}", dis::disassemble(&proto, Some(&module.lines)));
                }
            }
        }
    }
    if check {
        println!(
            "{} files, {instructions} instructions at module level",
            arguments.len()
        );
    }
    if failed {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}
