//! Fuzzers of the interpreter: no crash, no hang, and the answers of CPython. How to run them for long: `README.md`.
//!
//! The rooms: [`random`] numbers; [`corpus`] and [`mutate`] make programs from the repository's own; [`grammar`] makes them from nothing;
//! [`machine`] runs one; [`source`] takes one through frontend and compiler only; [`supervise`] does either for long in processes that may
//! die; [`values`] does it with values that cross to the host; [`compare`] sets outputs beside CPython's, and [`reduce`] makes a program smaller that differs.

pub mod compare;
pub mod corpus;
pub mod grammar;
pub mod machine;
pub mod mutate;
pub mod random;
pub mod reduce;
pub mod source;
pub mod supervise;
pub mod values;

#[path = "../../random_values.rs"]
pub mod random_values;

/// The host's side of values, without the engine below it.
#[path = "../../../host/src"]
mod host {
    pub mod value;
}
pub use host::value;

use random::Random;

/// How often the machine may ask the host whether to go on, in a mutated program.
pub const RUN_CHECKPOINTS: u64 = 3000;

/// Makes the cases of a run.
pub struct Cases {
    programs: Vec<String>,
    seed: u64,
}

impl Cases {
    /// Cases for the harness of source texts: whole programs are mutated.
    pub fn of_sources(seed: u64) -> Cases {
        let whole = corpus::programs();
        let mut programs = corpus::pieces(&whole);
        programs.extend(whole);
        Cases { programs, seed }
    }

    /// Cases for running: pieces of programs, which come to their point soon.
    pub fn of_programs(seed: u64) -> Cases {
        let programs = corpus::pieces(&corpus::programs());
        Cases { programs, seed }
    }

    /// A mutated program.
    pub fn mutated(&self, index: u64) -> String {
        mutate::mutate(&mut Random::new(self.seed, index), &self.programs)
    }

    /// A program that is likely to run: mutated, or from the grammar and mutated.
    pub fn runnable(&self, index: u64) -> String {
        let mut random = Random::new(self.seed, index);
        if random.chance(50) {
            let own = [grammar::program(&mut random)];
            if random.chance(50) {
                mutate::mutate(&mut random, &own)
            } else {
                let [own] = own;
                own
            }
        } else {
            mutate::mutate(&mut random, &self.programs)
        }
    }
}
