//! The command `thrifty`: tunes any command by a study file, keeps a journal, shows and exports results.
//!
//! [`study_file`] is the description of a study, [`evaluate`] runs its command, and [`commands`] are the subcommands.

#![warn(clippy::print_stderr)] // panics where nobody reads: see `message::say`

mod args;
mod by_hand;
mod commands;
mod direction;
mod error;
mod evaluate;
mod figures;
mod held;
mod interrupt;
mod known;
mod leased;
mod message;
mod method;
mod number;
mod outcome;
mod output;
mod parameters;
mod process;
mod progress;
mod pruning;
mod recommendation;
mod repair;
mod report_line;
mod running;
mod serve;
mod shared;
mod study;
mod study_file;
mod summary;
mod target;
mod template;
mod transfer;
mod trials;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use crate::args::{Cli, Command};
use crate::error::{CliError, chain};
use crate::message::say;

fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        // A reader that has seen enough, such as `head`, is no error.
        Err(CliError::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            say(format_args!("error: {}", chain(&error)));
            ExitCode::FAILURE
        }
    }
}

fn run(cli: &Cli) -> Result<(), CliError> {
    match &cli.command {
        Command::New { path } => commands::new(path),
        Command::Run { study, workers, store, report, json } => {
            commands::run(study, *workers, store.as_deref(), *report, *json)
        }
        Command::Best { source, json } => commands::best(source, *json),
        Command::Show { source, json } => trials::show(source, *json),
        Command::Export { source, format, output, reports } => {
            trials::export(source, *format, output.as_deref(), *reports)
        }
        Command::Report { source, output } => figures::report(source, output.as_deref()),
        Command::Plot { source, figure, output } => figures::plot(source, figure, output.as_deref()),
        Command::Repair { journal, output } => repair::repair(journal, output.as_deref()),
        Command::Ask { study, store, lease_seconds } => {
            commands::ask(study, store.as_deref(), *lease_seconds)
        }
        Command::Tell { study, trial, outcome, failed, store, lease } => {
            commands::tell(study, store.as_deref(), lease.as_deref(), *trial, outcome, *failed)
        }
        Command::Serve { study, store } => serve::serve(study, store.as_deref()),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "thrifty", &mut script);
            commands::write_out(&script)
        }
        Command::Man { command } => manual(command.as_deref()),
    }
}

/// `thrifty man`: prints the manual page, or that of a subcommand.
fn manual(command: Option<&str>) -> Result<(), CliError> {
    let mut cli = Cli::command();
    // Subcommands get their whole names.
    cli.build();
    let page = match command {
        None => cli,
        Some(name) => cli.find_subcommand(name).cloned().ok_or_else(|| {
            let names: Vec<&str> = cli.get_subcommands().map(clap::Command::get_name).collect();
            let (value, expected) = (name.into(), format!("one of {}", names.join(", ")));
            CliError::Setting { name: "COMMAND".into(), value, expected }
        })?,
    };
    Ok(clap_mangen::Man::new(page).render(&mut std::io::stdout())?)
}
