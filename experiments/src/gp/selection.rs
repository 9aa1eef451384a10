//! Accuracy of criteria of model selection: how often they pick the kernel that generated the data.

use std::collections::BTreeMap;

use thrifty_gp::Gp;
use thrifty_gp::selection::{Candidate, Criterion, Outer, nested, select};
use thrifty_kernel::{Kernel, Matern12, SquaredExponential};
use thrifty_sampling::{Seed, latin_hypercube};

use super::draws::draw;
use crate::error::ExperimentError;
use crate::harness::claims::{Claim, ClaimError, Family, Kind, Rule, Sample, Test};
use crate::harness::{Experiment, JobName, Judgement, Report, RunContext, Runs, Table, number};

pub const EXPERIMENT: Experiment = Experiment {
    id: "gp/selection",
    paper: "Active learning with surrogates, model selection, with the outer folds left to report",
    claim: "evidence, leave-one-out and inner cross-validation each pick the generating kernel of at least 80 % of the draws",
    quick_cost: "12 draws, 4 criteria: some seconds",
    full_cost: "150 draws, 4 criteria and nested cross-validation: a minute and a half",
    run,
};

const CRITERIA: [(&str, Criterion); 4] = [
    ("evidence", Criterion::Evidence),
    ("leave-one-out", Criterion::LeaveOneOut),
    ("5-fold cross-validation", Criterion::CrossValidation { folds: 5 }),
    ("20 % hold-out", Criterion::HoldOut { share: 0.2 }),
];
const POINTS: usize = 60;
const DIM: usize = 2;
const NOISE: f64 = 1e-4;

/// By criterion: whether the generating kernel was picked, and the outer score of the choice.
type Found = Vec<(bool, f64)>;

fn study(i: u64, seed: Seed) -> Result<Found, ExperimentError> {
    let rng = &mut seed.stream("data", 0);
    let lengthscales: Vec<f64> = (0..DIM).map(|_| 0.2 + 0.6 * rng.uniform()).collect();
    let smooth = i.is_multiple_of(2);
    let kernel: Box<dyn Kernel> = if smooth {
        Box::new(SquaredExponential::new(lengthscales).map_err(ExperimentError::failed)?)
    } else {
        Box::new(Matern12::new(lengthscales).map_err(ExperimentError::failed)?)
    };
    let x = latin_hypercube(POINTS, DIM, rng);
    let y = draw(&*kernel, x.as_ref(), NOISE, rng)?;
    let candidates = [
        Candidate::new("squared exponential", &Gp::squared_exponential(DIM)),
        Candidate::new("Matérn 1/2", &Gp::matern12(DIM)),
    ];
    let one = |(c, (_, criterion)): (usize, &(&str, Criterion))| {
        let mut rng = seed.stream("selection", c as u64);
        let choice =
            select(&candidates, *criterion, x.as_ref(), &y, &mut rng).map_err(ExperimentError::failed)?;
        let report = nested(&candidates, *criterion, Outer::Folds(5), x.as_ref(), &y, &mut rng)
            .map_err(ExperimentError::failed)?;
        Ok((choice.best == usize::from(!smooth), report.nlpd()))
    };
    CRITERIA.iter().enumerate().map(one).collect()
}

/// Criteria of the claim, the first ones; a hold-out is shown beside.
const CLAIMED: usize = 3;

/// Each criterion picks the kernel that generated the data in at least four of five draws.
fn judge(found: &[Found], planned: usize) -> Result<Judgement, ClaimError> {
    let mut family = Family::new(Rule::All);
    for (c, (name, _)) in CRITERIA.iter().enumerate().take(CLAIMED) {
        let claim = format!("{name} picks the generating kernel");
        let claim = Claim::new(claim, Kind::RateAtLeast(0.8), Test::Binomial, planned);
        family.push(claim, Sample::count(found.iter().map(|found| found[c].0)));
    }
    family.judge()
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let n = context.replications(12, 150);
    let draws = n.run;
    let jobs: Vec<u64> = (0..draws as u64).collect();
    let name = |i: &u64| JobName::new("draws", "every criterion", *i as usize);
    let found: Vec<Found> = Runs::new(EXPERIMENT.id, context)
        .collect(&jobs, name, |&i| study(i, Seed(context.seed).child("gp/selection", i)))?;
    let (mut numbers, mut rows) = (BTreeMap::new(), Vec::new());
    for (c, (name, _)) in CRITERIA.iter().enumerate() {
        let of = |odd: usize| found.iter().skip(odd).step_by(2).filter(|f| f[c].0).count();
        let (smooth, rough) = (of(0), of(1));
        let share = (smooth + rough) as f64 / draws as f64;
        let nlpd = found.iter().map(|f| f[c].1).sum::<f64>() / draws as f64;
        numbers.insert(format!("picked by {name}"), share);
        rows.push(vec![
            (*name).to_owned(),
            format!("{smooth} of {}", draws.div_ceil(2)),
            format!("{rough} of {}", draws / 2),
            format!("{:.0} %", 100.0 * share),
            number(nlpd),
        ]);
    }
    Ok(Report {
        judgement: judge(&found, n.planned)?,
        numbers,
        settings: [
            ("draws", format!("{draws}, in turn squared exponential and Matérn 1/2")),
            ("data", format!("{POINTS} points in {DIM} dimensions, lengthscales 0.2 to 0.8, noise variance {NOISE}")),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into(),
        notes: vec![
            "The outer score is the mean negative log predictive density of five folds, each predicted by what the criterion \
             chose without it: it judges the whole procedure and chooses nothing."
                .into(),
        ],
        tables: vec![Table {
            name: "picked".into(),
            caption: "How often each criterion picks the kernel that generated the data.".into(),
            header: ["criterion", "squared exponential", "Matérn 1/2", "together", "outer NLPD"]
                .map(String::from)
                .to_vec(),
            rows,
        }],
        figures: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Verdict;

    /// A criterion made worse: it picks the wrong kernel, or tosses a coin.
    #[test]
    fn a_criterion_that_picks_wrong_is_found() {
        let draw = |good: bool, at: usize| -> Found {
            (0..CRITERIA.len()).map(|c| (if c == at { good } else { true }, 0.0)).collect()
        };
        let of = |at: usize, wrong: usize, planned: usize| {
            let found: Vec<Found> = (0..150).map(|i| draw(i >= wrong, at)).collect();
            judge(&found, planned).unwrap().verdict()
        };
        let with = |at: usize, wrong: usize| of(at, wrong, 150);
        assert_eq!(of(0, 3, 151), Verdict::Inconclusive);
        assert_eq!(with(0, 3), Verdict::Holds);
        for criterion in 0..CLAIMED {
            assert_eq!(with(criterion, 75), Verdict::DoesNotHold);
            assert_eq!(with(criterion, 30), Verdict::Inconclusive);
        }
        assert_eq!(with(CLAIMED, 150), Verdict::Holds);
    }
}
