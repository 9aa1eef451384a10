//! Tables of trials: every state, nested queries, columns of mixed types, and round trips.

use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use thrifty_cv::FoldQuery;
use thrifty_results::{Table, Values};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Value};
use thrifty_study::{
    Direction, Directions, FailureReason, History, Measurement, Memo, Outcome, Timing, Trial, TrialId,
};

fn trial<Q>(query: Q, outcome: Option<Outcome>) -> Trial<Q> {
    Trial {
        id: TrialId(0),
        query,
        diagnostics: std::collections::BTreeMap::new(),
        memo: Memo::default(),
        reports: Vec::new(),
        outcome,
        timing: Timing { ask: 0.25, evaluate: 1.5 },
    }
}

fn history<Q>(trials: Vec<Trial<Q>>) -> History<Q> {
    History::from_trials(trials, Seed(0))
}

fn config(entries: &[(&str, Value)]) -> Config {
    entries.iter().fold(Config::new(), |mut config, (name, value)| {
        config.insert((*name).to_owned(), value.clone());
        config
    })
}

fn csv(table: &Table) -> String {
    let mut out = Vec::new();
    table.write_csv(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn each_state_has_its_columns() {
    let mut measured = trial(1.5, Some(Measurement { cost: Some(3.0), ..Measurement::from(0.125) }.into()));
    measured.diagnostics.insert("mean".into(), 0.5);
    measured.reports = vec![(1, 0.75), (4, 0.5)];
    let failed = trial(2.0, Some(Outcome::failed("no, \"disk\"\nfull").with_cost(0.5)));
    let pruned = trial(3.0, Some(Outcome::pruned(7)));
    let running = trial(4.0, None);
    let unrelated = trial(5.0, Some(Outcome::unrelated("the machine went down")));
    let history = history(vec![measured, failed, pruned, running, unrelated]);
    let table = Table::of(&history).unwrap();
    assert_eq!(
        csv(&table),
        "trial,state,objective,cost,query,last_step,failure,reports,diagnostics.mean,ask_seconds,evaluate_seconds\n"
            .to_owned()
            + "0,measured,0.125,3.0,1.5,,,2,0.5,0.25,1.5\n"
            + "1,failed,,0.5,2.0,,\"no, \"\"disk\"\"\nfull\",,,0.25,1.5\n"
            + "2,pruned,,,3.0,7,,,,0.25,1.5\n"
            + "3,running,,,4.0,,,,,0.25,\n"
            + "4,unrelated,,,5.0,,the machine went down,,,0.25,1.5\n"
    );
    let reports = Table::of_reports(&history);
    assert_eq!(csv(&reports), "trial,step,value\n0,1,0.75\n0,4,0.5\n");
    let text = table.to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines.len(), table.len()), (7, 5), "the line break of the reason is in the text:\n{text}");
    assert!(lines[0].starts_with("trial  state"), "{text}");
}

#[test]
fn failures_are_written_as_sentences() {
    let reasons = [
        (FailureReason::NonFinite { what: "objective 0".into(), value: "NaN".into() }, "objective 0 is NaN"),
        (FailureReason::NoObjective, "a measurement without objectives"),
        (FailureReason::Error { message: "out of memory".into() }, "out of memory"),
    ];
    for (reason, expected) in reasons {
        let table = Table::of(&history(vec![trial(0.0, Some(Outcome::Failed(reason.into())))])).unwrap();
        assert_eq!(table.column("failure").unwrap().values.text(0).as_deref(), Some(expected));
    }
}

#[test]
fn several_objectives_and_constraints_are_numbered() {
    let measured = Measurement {
        objectives: vec![1.0, 2.0],
        constraints: vec![-0.5],
        noise_variance: Some(0.01),
        ..Measurement::default()
    };
    let table = Table::of(&history(vec![trial(0.0, Some(measured.into()))])).unwrap();
    let names: Vec<&str> = table.names().take(6).collect();
    assert_eq!(names, ["trial", "state", "objective.0", "objective.1", "constraint.0", "noise_variance"]);
}

#[test]
fn parameters_keep_their_types_and_absent_ones_are_missing() {
    let first =
        config(&[("depth", Value::Int(3)), ("kind", Value::Str("tree".into())), ("wide", Value::Bool(true))]);
    let second = config(&[
        ("kind", Value::Str("line".into())),
        ("rate", Value::Float(1.0)),
        ("wide", Value::Bool(false)),
    ]);
    let table = Table::of(&history(vec![trial(first, None), trial(second, None)])).unwrap();
    let values = |name: &str| table.column(name).unwrap().values.clone();
    assert_eq!(values("depth"), Values::Int(vec![Some(3), None]));
    assert_eq!(values("rate"), Values::Float(vec![None, Some(1.0)]));
    assert_eq!(values("wide"), Values::Bool(vec![Some(true), Some(false)]));
    assert_eq!(values("kind"), Values::Text(vec![Some("tree".into()), Some("line".into())]));
    assert!(table.column("objective").is_none());
    // A parameter of several types becomes text, one of whole and other numbers a float.
    let mixed: Vec<Trial<Config>> =
        [Value::Int(2), Value::Str("auto".into())].map(|value| trial(config(&[("x", value)]), None)).into();
    let table = Table::of(&history(mixed)).unwrap();
    assert_eq!(table.column("x").unwrap().values, Values::Text(vec![Some("2".into()), Some("auto".into())]));
    let numbers: Vec<Trial<Config>> =
        [Value::Int(2), Value::Float(0.5)].map(|value| trial(config(&[("x", value)]), None)).into();
    let table = Table::of(&history(numbers)).unwrap();
    assert_eq!(table.column("x").unwrap().values, Values::Float(vec![Some(2.0), Some(0.5)]));
}

#[test]
fn parameters_do_not_take_the_names_of_columns() {
    let names = ["cost", "objective", "state", "reports", "last_step", "noise_variance", "failure", "rate"];
    let query = names.iter().fold(Config::new(), |mut config, name| {
        config.insert((*name).to_owned(), Value::Float(0.5));
        config
    });
    let outcome = Measurement { cost: Some(2.0), ..Measurement::from(1.0) };
    let table = Table::of(&history(vec![trial(query, Some(outcome.into()))])).unwrap();
    for name in &names[..7] {
        assert_eq!(
            table.column(&format!("query.{name}")).unwrap().values,
            Values::Float(vec![Some(0.5)]),
            "{name}"
        );
    }
    assert_eq!(table.column("cost").unwrap().values, Values::Float(vec![Some(2.0)]));
    assert!(table.column("rate").is_some() && table.column("query.rate").is_none());
}

#[test]
fn a_selection_of_columns_keeps_their_order_and_all_rows() {
    let measured = || trial(config(&[("x", Value::Float(0.5))]), Some(Outcome::failed("no")));
    let table = Table::of(&history(vec![measured(), measured()])).unwrap();
    let selected = table.clone().with_columns(|name| name == "x" || name == "trial");
    assert_eq!(selected.names().collect::<Vec<_>>(), ["trial", "x"]);
    assert_eq!((selected.len(), selected.column("x")), (2, table.column("x")));
    assert_eq!(table.clone().with_columns(|_| true), table);
    assert_eq!(table.with_columns(|_| false).len(), 2);
}

#[test]
fn nested_queries_are_flattened() {
    let fold = FoldQuery { config: config(&[("rate", Value::Float(0.5))]), repeat: 1, fold: 4 };
    let table = Table::of(&history(vec![trial(fold, None)])).unwrap();
    assert_eq!(csv(&table), "trial,state,config.rate,fold,repeat,ask_seconds\n0,running,0.5,4,1,0.25\n");
    let listed = Table::of(&history(vec![trial(vec![0.5, 0.25], None)])).unwrap();
    assert_eq!(csv(&listed), "trial,state,0,1,ask_seconds\n0,running,0.5,0.25,0.25\n");
}

#[test]
fn an_empty_history_is_an_empty_table() {
    let table = Table::of(&history::<f64>(Vec::new())).unwrap();
    assert!(table.is_empty() && table.columns().is_empty());
    assert_eq!((csv(&table).trim(), table.to_string().trim()), ("", ""));
    let mut json = Vec::new();
    table.write_json(&mut json).unwrap();
    assert_eq!(json, b"[]\n");
}

/// A writer on a full disk.
struct Full;

impl std::io::Write for Full {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::Error::other("no space left"))
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_writer_that_fails_is_an_error() {
    let table = Table::of(&history(vec![trial(0.5, None)])).unwrap();
    for error in [table.write_csv(Full).unwrap_err(), table.write_json(Full).unwrap_err()] {
        assert!(error.to_string().contains("no space left"), "{error}");
    }
}

/// A query that has no JSON form.
#[derive(Clone, Deserialize)]
struct Unwritable;

impl Serialize for Unwritable {
    fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("a handle"))
    }
}

#[test]
fn a_query_without_a_json_form_is_an_error_that_names_the_trial() {
    let trials = vec![trial(Unwritable, None)];
    let error = Table::of(&history(trials)).unwrap_err().to_string();
    assert!(error.contains("trial 0") && error.contains("a handle"), "{error}");
}

proptest! {
    #[test]
    fn numbers_come_back_from_csv_and_json(
        losses in prop::collection::vec(any::<f64>().prop_filter("finite", |x| x.is_finite()), 1..20),
        words in prop::collection::vec("[ -~\n\"]{0,12}", 20),
    ) {
        let trials = losses.iter().zip(&words).map(|(loss, word)| {
            trial(config(&[("word", Value::Str(word.clone()))]), Some((*loss).into()))
        });
        let table = Table::of(&history(trials.collect())).unwrap();
        let text = csv(&table);
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let at = |name: &str| table.names().position(|known| known == name).unwrap();
        for ((record, loss), word) in reader.records().zip(&losses).zip(&words) {
            let record = record.unwrap();
            prop_assert_eq!(record[at("objective")].parse::<f64>().unwrap().to_bits(), loss.to_bits());
            prop_assert_eq!(&record[at("word")], word);
        }
        let mut json = Vec::new();
        table.write_json(&mut json).unwrap();
        let rows: Vec<serde_json::Value> = serde_json::from_slice(&json).unwrap();
        prop_assert_eq!(rows.len(), losses.len());
        for ((row, loss), word) in rows.iter().zip(&losses).zip(&words) {
            prop_assert_eq!(row["objective"].as_f64().unwrap().to_bits(), loss.to_bits());
            prop_assert_eq!(row["word"].as_str().unwrap(), word);
        }
    }
}

#[test]
fn tables_and_columns_know_their_sizes() {
    let none = Table::of(&history::<Config>(Vec::new())).unwrap();
    assert!(none.is_empty());
    assert_eq!(none.len(), 0);
    let two = Table::of(&history(vec![
        trial(config(&[("x", Value::Float(0.5))]), Some(Outcome::from(1.0))),
        trial(config(&[("x", Value::Float(0.25))]), None),
    ]))
    .unwrap();
    assert!(!two.is_empty() && two.len() == 2);
    for column in two.columns() {
        assert!(column.values.len() == 2 && !column.values.is_empty(), "{}", column.name);
    }
    for values in [
        Values::Bool(vec![None, Some(true), None]),
        Values::Int(vec![Some(3); 3]),
        Values::Float(vec![None; 3]),
        Values::Text(vec![Some("a".to_owned()), None, None]),
    ] {
        assert!(values.len() == 3 && !values.is_empty(), "{values:?}");
    }
    assert!(Values::Float(Vec::new()).is_empty());
}

#[test]
fn maximised_objectives_and_reports_are_in_the_units_of_the_user() {
    let measured = Measurement {
        objectives: vec![-0.9, 3.0],
        constraints: vec![-1.0],
        noise_variance: Some(0.25),
        ..Measurement::default()
    };
    let mut one = trial(1.0, Some(measured.into()));
    one.reports = vec![(1, -0.5), (2, 0.0)];
    let directions = Directions::new(vec![Direction::Maximize, Direction::Minimize]);
    let history = history(vec![one]).with_directions(directions);
    let table = csv(&Table::of(&history).unwrap());
    assert!(
        table.starts_with("trial,state,objective.0,objective.1,constraint.0,noise_variance")
            && table.contains("\n0,measured,0.9,3.0,-1.0,0.25,"),
        "{table}"
    );
    assert_eq!(csv(&Table::of_reports(&history)), "trial,step,value\n0,1,0.5\n0,2,0.0\n");
}
