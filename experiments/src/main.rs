//! Reproduces the papers behind Thrifty, and checks a build against reference numbers.

#![allow(unreachable_pub)] // a binary has no outside; `pub` says what a module offers the others

mod acquisition;
mod autobct;
mod bench;
mod bo;
mod caligo;
mod cite;
mod cli;
mod data;
mod error;
mod fcvopt;
mod gp;
mod harness;
mod hybrid;
mod levelset;
mod pareto;
mod peers;
mod registry;
mod results;
mod speed;
mod study;
mod tpe;
mod verify;

use std::process::ExitCode;

fn main() -> ExitCode {
    match cli::main() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
