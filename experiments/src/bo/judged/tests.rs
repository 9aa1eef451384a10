//! Tests of the comparison on made-up runs, and of a small real one.

use super::methods::{DEFAULT, GREEDY, NOISY, RANDOM};
use super::run::UNSUPPORTED;
use super::*;
use crate::harness::{Effort, Verdict};

fn done(regret: f64) -> Done {
    Done {
        regret: vec![1.0, regret],
        cpu_seconds: 2.0,
        wall_seconds: 3.0,
        version: "1".into(),
        failure: String::new(),
    }
}

fn full() -> (RunContext, Vec<JudgedProblem>) {
    let context = RunContext { effort: Effort::Full, ..RunContext::default() };
    let problems = problems(&context).unwrap();
    (context, problems)
}

/// Regrets of ours, and of a peer by a factor.
fn results(problems: &[JudgedProblem], factor: impl Fn(usize) -> f64) -> Results {
    results_of(problems, 20, factor)
}

/// Regrets of twenty runs of ours, and of so many of a peer by a factor.
fn results_of(problems: &[JudgedProblem], runs: usize, factor: impl Fn(usize) -> f64) -> Results {
    let mut results = Results::default();
    for (k, problem) in problems.iter().enumerate() {
        for i in 0..20 {
            let own = 0.01 * (1.0 + (i * 7 % 20) as f64);
            results.insert(methods::judged_on(problem), &problem.label, i, done(own));
            let other = own * factor(k) * (1.0 + 0.01 * (i % 3) as f64);
            if i < runs {
                results.insert("cma", &problem.label, i, done(other));
            }
        }
    }
    results
}

#[test]
fn verdicts_go_both_ways_and_nothing_is_decided_without_runs() {
    let (context, problems) = full();
    let judge = |results: &Results| verdicts::judge(&context, results, &problems, 20).unwrap().0;
    let of = |found: &[verdicts::Against], name: &str| {
        let found = found.iter().find(|against| against.method == name).unwrap();
        (found.not_inferior.verdict(), found.superior.verdict())
    };
    let overall = |found: &[verdicts::Against]| found[1].overall.verdict();
    let better = judge(&results(&problems, |_| 10.0));
    assert_eq!(of(&better, "cma"), (Verdict::Holds, Verdict::Holds));
    assert_eq!(of(&better, "botorch"), (Verdict::Inconclusive, Verdict::Inconclusive));
    assert_eq!(
        (better[1].method, overall(&better), better[2].overall.verdict()),
        ("cma", Verdict::Holds, Verdict::Inconclusive)
    );
    let few = judge(&results_of(&problems, 19, |_| 10.0));
    assert_eq!((of(&few, "cma").0, overall(&few)), (Verdict::Inconclusive, Verdict::Inconclusive));
    let worse = judge(&results(&problems, |_| 0.1));
    assert_eq!(of(&worse, "cma"), (Verdict::DoesNotHold, Verdict::DoesNotHold));
    assert_eq!(overall(&worse), Verdict::DoesNotHold);
    // Better by too little to be superior anywhere but on the first twelve of 33.
    let some = judge(&results(&problems, |k| if k < 12 { 2.0 } else { 1.0 }));
    assert_eq!(of(&some, "cma"), (Verdict::Holds, Verdict::Holds));
    let one = judge(&results(&problems, |k| if k == 20 { 0.1 } else { 10.0 }));
    assert_eq!(of(&one, "cma"), (Verdict::DoesNotHold, Verdict::Holds));
}

#[test]
fn problems_without_a_type_are_left_out_and_named() {
    let (context, problems) = full();
    let mut results = results(&problems, |_| 10.0);
    let refused = Done { regret: Vec::new(), failure: format!("{UNSUPPORTED}: no choices"), ..done(0.0) };
    (0..20).for_each(|i| results.insert("cma", &problems[3].label, i, refused.clone()));
    let (peers, worse) = verdicts::judge(&context, &results, &problems, 20).unwrap();
    let cma = peers.iter().find(|against| against.method == "cma").unwrap();
    assert_eq!(
        (&cma.left_out[..], cma.superior.verdict()),
        (&[problems[3].label.clone()][..], Verdict::Holds)
    );
    assert_eq!(cma.not_inferior.findings().len(), problems.len() - 1);
    assert!(results.failures("cma").is_empty() && results.cpu_seconds("cma") == 2.0);
    let table = verdicts::table(&results, &peers, &worse);
    assert_eq!(table.rows.len(), PEERS.len() + 2);
    assert_eq!(table.rows[1][..2], ["cma", "1"]);
    let newer = Done { version: "2".into(), ..done(0.1) };
    (0..3).for_each(|i| results.insert("cma", &problems[0].label, i, newer.clone()));
    let both = verdicts::table(&results, &peers, &worse);
    let count = results.of_method("cma").count() - 3;
    assert_eq!(both.rows[1][1], format!("1 ({count}), 2 (3)"));
}

#[test]
fn a_quick_run_is_repeatable_and_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let context = RunContext { out: Some(folder.path().into()), seeds: Some(1), ..RunContext::default() };
    let first = run(&context).unwrap();
    let again = run(&context).unwrap();
    let regrets = |report: &Report| report.tables.iter().find(|t| t.name == "regret").unwrap().rows.clone();
    assert_eq!(regrets(&first), regrets(&again));
    let elsewhere = run(&RunContext { out: None, ..context.clone() }).unwrap();
    assert_eq!(regrets(&first), regrets(&elsewhere));
    assert_eq!(first.judgement.verdict(), Verdict::Inconclusive);
    let lines = std::fs::read_to_string(folder.path().join("bo/judged/runs.csv")).unwrap();
    // Four methods on the first problem, five on the noisy one, and the header.
    assert_eq!(lines.lines().count(), 10);
    for method in [DEFAULT, NOISY, GREEDY, RANDOM] {
        assert!(lines.contains(&format!(",{method},")), "{method}");
    }
    let only = |method: &str| RunContext { methods: Some(vec![method.into()]), out: None, ..context.clone() };
    // Without an interpreter, another library has no runs.
    let none = run(&only(PEERS[0].name)).unwrap();
    assert!(regrets(&none).iter().all(|row| row[1..].iter().all(String::is_empty)));
    let error = run(&only("nobody")).unwrap_err().to_string();
    assert!(error.contains("bo/judged has no method \"nobody\""), "{error}");
}
