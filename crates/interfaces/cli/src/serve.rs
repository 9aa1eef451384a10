//! Ask and tell as lines of JSON, for programs in any language.
//!
//! The first line of the output is `{"protocol":1,"trials":N}`, with `"directions":["maximize"]` where an objective is maximised. Then each
//! line of the input gets one line of output. All values are in the user's units.
//!
//! | request | response |
//! |---|---|
//! | `{"ask":{}}` | `{"trial":0,"config":{…}}`, or `{"stopped":"reason"}` |
//! | `{"tell":{"trial":0,"outcome":{"objective":0.25}}}` | `{"told":0}` |
//! | `{"fail":{"trial":0,"message":"…"}}` | `{"told":0}` |
//! | `{"report":{"trial":0,"step":1,"value":0.5}}` | `{"reported":0,"prune":false}` |
//! | `{"pruned":{"trial":0}}` | `{"told":0}` |
//! | `{"best":{}}` | `{"best":…}`, and with one objective `"recommended":…` by the optimiser |
//! | anything else | `{"error":"…"}`; the study is left as it is |
//!
//! In a store other processes may work on the study too. The server extends the leases of the trials that it gave out while it lives; an outcome that comes
//! after another process was given the trial is an error and changes nothing. An interrupt of the server gives its running trials back; at the end of its
//! input, which may be that of a program that crashed, their leases run out.
//!
//! `prune` is true if the pruner of the study file would stop the trial. An outcome is a number or an object, as a command prints it. Numbers may be
//! `NaN`, `Infinity` and `-Infinity`, as such or as texts.

use std::io::{BufRead, Write};
use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};
use thrifty_results::{Number, quoted};
use thrifty_study::{Outcome, TrialId};
use thrifty_units::from_tables;

use crate::by_hand::ByHand;
use crate::error::{CliError, chain};
use crate::number::Whole;
use crate::outcome::parse;
use crate::recommendation::recommended;
use crate::study::EndedBefore;
use crate::study_file::StudyFile;
use crate::summary;

/// Version of requests and responses.
const PROTOCOL: u32 = 1;

/// One line of the input.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Request {
    Ask {},
    Tell { trial: u64, outcome: Value },
    Fail { trial: u64, message: String, cost: Option<Number> },
    Report { trial: u64, step: Whole, value: Number },
    Pruned { trial: u64, cost: Option<Number> },
    Best {},
}

/// Answers requests until the input ends.
///
/// # Errors
/// [`CliError`] when the study cannot be opened, or input or output fail.
pub(crate) fn serve(path: &Path, store: Option<&str>) -> Result<(), CliError> {
    let file = StudyFile::read(path, store)?;
    let before = EndedBefore::default();
    let mut study = ByHand::open(&file, &before)?;
    before.set(study.history()?);
    let mut output = std::io::stdout();
    let history = study.history()?;
    let mut hello = json!({ "protocol": PROTOCOL, "trials": history.len() });
    summary::add_directions(&mut hello, history.directions());
    writeln!(output, "{hello}")?;
    output.flush()?;
    let served = answer_all(&mut study, &file, &mut output);
    study.await_interrupt();
    served
}

/// Answers the lines of the input.
fn answer_all(study: &mut ByHand, file: &StudyFile, output: &mut impl Write) -> Result<(), CliError> {
    // Bytes, because a line that is no text is answered like any other that is no request.
    for line in std::io::stdin().lock().split(b'\n') {
        let line = line?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let response = request(&quoted(&line))
            .map_err(CliError::Request)
            .and_then(|request| answer(study, file, request))
            .unwrap_or_else(|error| json!({ "error": chain(&error) }));
        writeln!(output, "{response}")?;
        output.flush()?;
    }
    Ok(())
}

/// The request of one line. Its values need their names: a list of them is an error.
fn request(line: &[u8]) -> serde_json::Result<Request> {
    let mut json = serde_json::Deserializer::from_slice(line);
    let request = from_tables(&mut json)?;
    json.end().map(|()| request)
}

fn answer(study: &mut ByHand, file: &StudyFile, request: Request) -> Result<Value, CliError> {
    match request {
        Request::Ask {} => study.ask(),
        Request::Tell { trial, outcome } => {
            // A number that is not finite is a name here.
            let name = outcome.as_str().filter(|name| Number::named(name).is_some());
            let text = name.map_or_else(|| outcome.to_string(), str::to_owned);
            let printed = parse(&text).map_err(CliError::Outcome)?;
            study.tell_printed(TrialId(trial), printed)?;
            Ok(json!({ "told": trial }))
        }
        Request::Fail { trial, message, cost } => {
            study.tell(TrialId(trial), Outcome::failed(message).with_cost(cost.map(|Number(cost)| cost)))?;
            Ok(json!({ "told": trial }))
        }
        Request::Report { trial, step: Whole(step), value: Number(value) } => {
            let prune = study.report(TrialId(trial), step, value)?;
            Ok(json!({ "reported": trial, "prune": prune }))
        }
        Request::Pruned { trial, cost } => {
            let reports = study.history()?.get(TrialId(trial)).map(|trial| trial.reports.as_slice());
            let last_step = reports.and_then(|reports| reports.last()).map_or(0, |report| report.0);
            study
                .tell(TrialId(trial), Outcome::pruned(last_step).with_cost(cost.map(|Number(cost)| cost)))?;
            Ok(json!({ "told": trial }))
        }
        Request::Best {} => {
            let history = study.history()?;
            let mut value = json!({ "best": summary::best(history)? });
            let recommended = recommended(file, history);
            if !recommended.is_null() {
                value["recommended"] = recommended;
            }
            Ok(value)
        }
    }
}
