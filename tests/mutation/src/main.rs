//! Mutation testing of the library crates by one command.
//!
//! ```text
//! cargo run --release -p thrifty-mutation -- --sample 400 --seed 1
//! ```
//!
//! A mutant is one small change of the source: another operator, another literal, a deleted statement. A mutant is
//! *killed* when a test fails because of it; a mutant that *survives* marks code whose result no test looks at.
//!
//! # How it works
//!
//! 1. **Enumerate.** Every library source under `crates/` is parsed, and every possible mutant listed
//!    (`enumerate`, `operators`). Tests, constants, patterns and most macro inputs are left out.
//! 2. **Sample.** Each crate gives mutants in proportion to how many it has, at least ten (`sample`). The order is
//!    that of a hash of the seed and the mutant, so a change of one line leaves the rest of the sample as it was.
//! 3. **Rewrite.** All sampled mutants are compiled into one copy of the workspace, each behind a switch
//!    (`if mutation_switch::on(7) { a - b } else { a + b }`), so that the workspace is compiled once and not once per
//!    mutant (`rewrite`, `library`, `scratch`). An environment variable turns one of them on.
//! 4. **Compile.** A mutant that does not compile is *unviable*: it is found by the position of the error and
//!    replaced by the next in the order of its crate (`compile`).
//! 5. **Measure.** Every test runs once, alone, with no mutant on. This gives its time and the mutants that it
//!    reaches (`suite`). All tests must pass.
//! 6. **Run.** Each mutant meets the tests that reach it, the quickest first, until one fails or takes longer than
//!    5 times its usual time and 10 s (`run`, `process`). A mutant that no test reaches survives.
//! 7. **Report.** A row per mutant in `results.csv`, a line per crate in `summary.txt` (`report`).
//!
//! The command can be stopped at any time; mutants with a row in `results.csv` are not run again. `--retry` runs the
//! survivors again after tests were added. `--crates gp,kernel` runs only the part of the sample in these crates, and
//! `--least 20` draws at least so many mutants of each.
//!
//! # Which tests count
//!
//! The unit and integration tests of the mutant's own crate, then the tests in `tests/` (without `layering` and
//! `structure`, which run no library code), the quickest first and 20 s of them unless `--shared-seconds` says otherwise, then the
//! documentation tests of its own crate, all of them as one test. Tests of other
//! crates and the reference numbers of `thrifty-experiments verify` do not count.
//! Property tests run with a fixed seed, so a run gives the same result twice.
//!
//! # Equivalent mutants
//!
//! Some changes make no difference, such as `<` for `<=` where equality cannot occur. `equivalents.toml` lists those
//! with a proof; they count as killed:
//!
//! ```toml
//! [[equivalent]]
//! file = "crates/numerics/optim/src/interval.rs"
//! line = "if width < tolerance {"
//! mutated = "width <= tolerance"
//! proof = "One more step at equality; the result is the same interval."
//! ```
//!
//! An entry that matches no mutant of the sources, as after a change of its line or file, is an error.

#![allow(unreachable_pub)] // a binary has no outside; `pub` says what a module offers the others

mod compile;
mod doctests;
mod enumerate;
mod equivalents;
mod error;
mod library;
mod mutant;
mod operators;
mod options;
mod parallel;
mod process;
mod report;
mod rewrite;
mod run;
mod sample;
mod scratch;
mod session;
mod suite;
mod workspace;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    match session::run(&options::Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
