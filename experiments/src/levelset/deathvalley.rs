//! Treatments of responses that are cut off, on problems with a valley where nothing is seen.

use std::collections::BTreeMap;

use thrifty_figures::{LinePlot, Series};
use thrifty_sampling::Seed;
use thrifty_testbed::LevelSetProblem;

use super::responses::{CRITERIA, Case, Job, Kind, Scores};
use super::valley_map;
use crate::error::ExperimentError;
use crate::harness::claims::{Claim, ClaimError, Family, Judgement, Kind as ClaimKind, Rule, Sample, Test};
use crate::harness::stats::mean_and_std_dev;
use crate::harness::{Experiment, Figure, JobName, Report, RunContext, Runs, Table, number};

pub const EXPERIMENT: Experiment = Experiment {
    id: "levelset/deathvalley",
    paper: "Active learning with surrogates: the death valley of a protocol for oblivious transfer",
    claim: "where only responses cut off at 0 are seen, taking those at 0 for bounds finds the viable region with a higher F1 under SUR \
            than taking them for values, on every problem",
    quick_cost: "DeathValley2, 2 designs, 16 evaluations: some seconds",
    full_cost: "3 problems, 30 designs, 40 to 80 evaluations, 4 models, 3 criteria: forty minutes",
    run,
};

const NOTE: &str = "Claims: under SUR at the last judgement, censored has the larger F1 than both ways of taking clipped responses for values on \
                    every problem. Volume error: |volume said to be above - true volume| / true volume. The margin is judged \
                    by the set where it is positive, clipped responses by that where at least one bit comes out (half a bit in \
                    8,192 for DeathValley4, whose responses fall off without an edge where decoding fails): the two differ there.";

/// Cases of the study; those of the quick study come first in the full one.
fn cases(context: &RunContext) -> Vec<Case> {
    const BITS: f64 = 4096.0;
    let margin = LevelSetProblem::death_valley2();
    let own = margin.clone();
    let clipped = LevelSetProblem::new("DeathValley2 clipped", margin.space().clone(), 0.0, move |config| {
        Ok((own.truth(config)?.max(0.0) * BITS).floor() / BITS)
    });
    let valley2 = Case {
        margin,
        clipped,
        bit: 1.0 / BITS,
        design: 8,
        judged: context.pick(vec![10, 16], vec![10, 15, 20, 30, 40]),
    };
    let valley4 = Case {
        margin: LevelSetProblem::death_valley4(),
        clipped: LevelSetProblem::death_valley4_clipped(),
        bit: 1.0 / 8192.0,
        design: 12,
        judged: vec![20, 30, 40, 60, 80],
    };
    let caligo9 = Case {
        margin: LevelSetProblem::caligo9(),
        clipped: LevelSetProblem::caligo9_clipped(),
        bit: 1e-6,
        design: 20,
        judged: vec![30, 40, 60, 80],
    };
    let all = vec![valley2, valley4, caligo9];
    all.into_iter().take(context.pick(1, 3)).collect()
}

/// The runs of one problem: by kind, criterion and replication.
struct Found<'a> {
    case: &'a Case,
    scores: Vec<Vec<Vec<Scores>>>,
}

impl Found<'_> {
    /// A score of every replication when judged for the `at`-th time.
    fn of(&self, kind: usize, criterion: usize, at: usize, pick: fn(&Scores) -> &[f64]) -> Vec<f64> {
        self.scores[kind][criterion].iter().map(|scores| pick(scores)[at]).collect()
    }

    fn table(&self, what: &str, pick: fn(&Scores) -> &[f64]) -> Table {
        let mut rows = Vec::new();
        for (k, kind) in Kind::ALL.iter().enumerate() {
            for (c, (criterion, _)) in CRITERIA.iter().enumerate() {
                let cells = (0..self.case.judged.len()).map(|at| with_error(&self.of(k, c, at, pick)));
                let seconds: Vec<f64> = self.scores[k][c].iter().map(|s| s.seconds).collect();
                rows.push(
                    [kind.name().to_owned(), (*criterion).to_owned()]
                        .into_iter()
                        .chain(cells)
                        .chain([number(mean_and_std_dev(&seconds).0)])
                        .collect(),
                );
            }
        }
        let judged = self.case.judged.iter().map(|k| format!("k = {k}"));
        let header = ["model", "criterion"].map(String::from).into_iter();
        let name = self.case.margin.name();
        Table {
            name: format!("{what} {name}").to_lowercase().replace(' ', "-"),
            caption: format!(
                "{name}: {what} after k evaluations, mean ± standard error over {} paired designs; seconds of the optimiser a run.",
                self.scores[0][0].len()
            ),
            header: header.chain(judged).chain(["s a run".to_owned()]).collect(),
            rows,
        }
    }

    fn figure(&self) -> Result<Figure, ExperimentError> {
        let mut series = Vec::new();
        for (k, kind) in Kind::ALL.iter().enumerate() {
            for c in [0, 1] {
                let each = self.case.judged.iter().enumerate().map(|(at, evaluations)| {
                    let values = self.of(k, c, at, |s| &s.f1);
                    let (mean, std_dev) = mean_and_std_dev(&values);
                    let error = std_dev / (values.len() as f64).sqrt();
                    (*evaluations as f64, mean, error)
                });
                let each: Vec<(f64, f64, f64)> = each.collect();
                series.push(Series {
                    bars: each.iter().map(|(x, m, e)| (*x, m - e, m + e)).collect(),
                    ..Series::line(
                        format!("{}, {}", kind.name(), CRITERIA[c].0),
                        each.iter().map(|(x, m, _)| (*x, *m)).collect(),
                    )
                });
            }
        }
        let name = self.case.margin.name();
        let plot = LinePlot {
            title: format!("{name}: F1 of the points classified as above"),
            x_label: "evaluations".into(),
            y_label: "F1".into(),
            series,
            ..LinePlot::default()
        };
        let file = format!("f1-{}", name.to_lowercase());
        Figure::of(&file, "Mean over designs, bars of one standard error.", plot.draw())
    }
}

/// Mean and standard error.
fn with_error(values: &[f64]) -> String {
    let (mean, std_dev) = mean_and_std_dev(values);
    format!("{mean:.3} ± {:.3}", std_dev / (values.len() as f64).sqrt())
}

/// Censored against each way of taking clipped responses for values, under SUR at the last judgement.
fn judge(found: &[Found<'_>], planned: usize) -> Result<Judgement, ClaimError> {
    let mut family = Family::new(Rule::All);
    for one in found {
        let last = one.case.judged.len() - 1;
        let ours = one.of(3, 0, last, |s| &s.f1);
        for other in [1, 2] {
            let theirs = one.of(other, 0, last, |s| &s.f1);
            let name = format!("{}: F1 higher than of {}", one.case.margin.name(), Kind::ALL[other].name());
            // A higher F1 is better.
            let sample = Sample::losses(&name, &theirs, &ours)?;
            family.push(Claim::new(name, ClaimKind::Superior, Test::SignedRank, planned), sample);
        }
    }
    family.judge()
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let n = context.replications(2, 30);
    let (cases, replications) = (cases(context), n.run);
    let seed = |i: usize| Seed(context.seed).child(EXPERIMENT.id, i as u64);
    let mut jobs = Vec::new();
    for case in &cases {
        for kind in Kind::ALL {
            for criterion in CRITERIA {
                jobs.extend((0..replications).map(|i| Job { case, kind, criterion, seed: seed(i) }));
            }
        }
    }
    let numbered: Vec<(usize, Job<'_>)> = jobs.into_iter().enumerate().collect();
    let name = |(at, job): &(usize, Job<'_>)| {
        let method = format!("{}, {}", job.kind.name(), job.criterion.0);
        JobName::new(job.case.margin.name(), method, at % replications)
    };
    let found: Vec<Scores> =
        Runs::new(EXPERIMENT.id, context).collect(&numbered, name, |(_, job)| job.run())?;
    let mut scores = found.into_iter();
    let mut found = Vec::new();
    for case in &cases {
        let mut own = Vec::new();
        for _ in Kind::ALL {
            own.push(CRITERIA.iter().map(|_| scores.by_ref().take(replications).collect()).collect());
        }
        found.push(Found { case, scores: own });
    }
    let judgement = judge(&found, n.planned)?;
    let mut numbers = BTreeMap::new();
    for finding in judgement.findings() {
        numbers.insert(format!("p (Holm), {}", finding.claim), finding.two_sided());
    }
    let mut tables = Vec::new();
    let mut figures = vec![valley_map::figure(&cases[0], context.pick(16, 20), seed(0))?];
    for one in &found {
        let name = one.case.margin.name();
        let last = one.case.judged.len() - 1;
        for (k, kind) in Kind::ALL.iter().enumerate() {
            let f1 = mean_and_std_dev(&one.of(k, 0, last, |s| &s.f1)).0;
            numbers.insert(format!("mean F1 on {name}: {}, SUR", kind.name()), f1);
        }
        tables.push(one.table("F1", |s| &s.f1));
        tables.push(one.table("volume error", |s| &s.volume_error));
        figures.push(one.figure()?);
    }
    Ok(Report {
        judgement,
        numbers,
        settings: [
            ("designs", replications.to_string()),
            ("points judged", "4,096, quasi-random".to_owned()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into(),
        notes: vec![NOTE.to_owned()],
        tables,
        figures,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Verdict;

    /// A censored model made worse: as good as values with threshold 0, or worse than values with half a bit.
    #[test]
    fn a_worse_censored_model_is_found() {
        let cases = cases(&RunContext::default());
        let score = |f1: f64, i: usize| Scores {
            f1: vec![0.0, f1 + 0.001 * i as f64],
            volume_error: vec![0.0; 2],
            seconds: 0.0,
        };
        let of = |censored: f64, planned: usize| {
            let f1 = [0.9, 0.4, 0.5, censored];
            let runs = f1.map(|f1| vec![(0..20).map(|i| score(f1, i)).collect::<Vec<Scores>>()]);
            judge(&[Found { case: &cases[0], scores: runs.into() }], planned).unwrap().verdict()
        };
        let verdict = |censored: f64| of(censored, 20);
        assert_eq!(of(0.7, 21), Verdict::Inconclusive);
        assert_eq!(verdict(0.7), Verdict::Holds);
        assert_eq!(verdict(0.45), Verdict::DoesNotHold);
        assert_eq!(verdict(0.3), Verdict::DoesNotHold);
        assert_eq!(verdict(0.5), Verdict::Inconclusive);
    }
}
