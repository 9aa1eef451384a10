//! Criteria of level-set search on a grid.

use std::collections::BTreeMap;

use thrifty_sampling::Seed;

use super::curves::{Job, Outcome, Protocol};
use super::methods::{ALL, ENTROPY, FEW, Method, RANDOM, STRADDLE, SUR};
use super::problems::{CASES, Case, SIDE};
use super::scored::Results;
use super::{maps, tables};
use crate::error::ExperimentError;
use crate::harness::claims::{ClaimError, Family, Kind, Rule};
use crate::harness::{Experiment, JobName, Judgement, Replications, Report, RunContext, Runs, Verdict};

pub const EXPERIMENT: Experiment = Experiment {
    id: "levelset/criteria",
    paper: "Chevalier et al. (2014), Gotovos et al. (2013), Bryan et al. (2005): F1 against evaluations on a 30 × 30 grid",
    claim: "stepwise uncertainty reduction is nowhere worse than straddle, early and late, and better early on at least two \
            problems; no criterion but the pointwise entropy is worse than random points late",
    quick_cost: "2 problems, 15 criteria, 15 evaluations, 2 seeds: some seconds",
    full_cost: "9 problems, 15 criteria, 60 evaluations, 30 seeds, and 7 criteria with learnt hyperparameters on 5 problems: half \
                an hour on one core",
    run,
};

const NOTE: &str = "Claims, over the runs with known hyperparameters: on no problem is the F1 of stepwise uncertainty reduction lower than that \
    of straddle by more than 0.02, at the early and at the last count; at the early count it is higher on at least two problems; on \
    no problem is a criterion other than the pointwise entropy lower than random points by more than 0.02 at the last count. Counts are \
    of evaluations that the criterion chose. Where hyperparameters are learnt the same questions are answered in the numbers, and \
    are no part of the verdict.";

/// A median F1 that is lower by at most this is no worse.
const MARGIN: f64 = 0.02;

/// Counts of evaluations that are looked at; the second is the early one, the last the late one.
type Counts = &'static [usize];

fn run_all(
    context: &RunContext,
    protocol: Protocol,
    cases: &[Case],
    methods: &[Method],
    (evaluations, Replications { run: replications, planned }): (usize, Replications),
) -> Result<Results, ExperimentError> {
    let mut jobs = Vec::new();
    for case in cases {
        for method in methods {
            for i in 0..replications {
                let seed = Seed(context.seed).child(EXPERIMENT.id, i as u64);
                jobs.push(Job { case: *case, method: *method, protocol, evaluations, seed });
            }
        }
    }
    let task = |job: &Job| {
        format!("{}, {}", job.case.name, if protocol == Protocol::Known { "known" } else { "learnt" })
    };
    let lines = Runs::new(EXPERIMENT.id, context);
    let numbered: Vec<(usize, Job)> = jobs.into_iter().enumerate().collect();
    let name = |(at, job): &(usize, Job)| JobName::new(task(job), job.method.0, at % replications);
    let outcomes: Vec<Outcome> = lines.collect(&numbered, name, |(_, job)| job.run())?;
    let by_case = outcomes.chunks(methods.len() * replications);
    let seconds = by_case.clone().map(|own| {
        let mean = |runs: &[Outcome]| runs.iter().map(|run| run.seconds).sum::<f64>() / runs.len() as f64;
        own.chunks(replications).map(mean).collect()
    });
    let f1 = by_case.map(|own| {
        own.chunks(replications).map(|runs| runs.iter().map(|run| run.f1.clone()).collect()).collect()
    });
    Ok(Results {
        cases: cases.iter().map(|case| case.name).collect(),
        methods: methods.iter().map(|method| method.0).collect(),
        seconds: seconds.collect(),
        f1: f1.collect(),
        planned,
    })
}

/// The claim in its three parts.
struct Parts {
    never_worse: Judgement,
    better_early: Judgement,
    above_random: Judgement,
}

impl Parts {
    fn of(results: &Results, early: usize, last: usize) -> Result<Self, ClaimError> {
        let (sur, straddle, random) = (results.method(SUR), results.method(STRADDLE), results.method(RANDOM));
        let not_worse = Kind::NotInferior { margin: MARGIN };
        let (mut never_worse, mut better) = (Family::new(Rule::All), Family::new(Rule::AtLeast(2)));
        let mut above_random = Vec::new();
        for case in 0..results.cases.len() {
            for k in [early, last] {
                let (claim, sample) = results.claim(not_worse, case, sur, straddle, k)?;
                never_worse.push(claim, sample);
            }
            let (claim, sample) = results.claim(Kind::Superior, case, sur, straddle, early)?;
            better.push(claim, sample);
            let mut above = Family::new(Rule::All);
            for m in (0..results.methods.len()).filter(|m| *m != random && results.methods[*m] != ENTROPY) {
                let (claim, sample) = results.claim(not_worse, case, m, random, last)?;
                above.push(claim, sample);
            }
            above_random.push(above.judge()?);
        }
        Ok(Self {
            never_worse: never_worse.judge()?,
            better_early: better.judge()?,
            above_random: Judgement::all(above_random),
        })
    }

    fn numbers(&self, protocol: &str) -> [(String, f64); 3] {
        let count = |part: &Judgement, which| part.count(which) as f64;
        let no = Verdict::DoesNotHold;
        [
            (
                format!("{protocol}: SUR better than straddle early"),
                count(&self.better_early, Verdict::Holds),
            ),
            (format!("{protocol}: SUR worse than straddle, early or late"), count(&self.never_worse, no)),
            (format!("{protocol}: criteria worse than random late"), count(&self.above_random, no)),
        ]
    }

    fn judgement(self) -> Judgement {
        Judgement::all(vec![self.never_worse, self.better_early, self.above_random])
    }
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let counts: Counts = context.pick(&[5, 10, 15], &[10, 20, 30, 40, 60]);
    let (early, last) = (counts[1], counts[counts.len() - 1]);
    let n = context.replications(2, 30);
    let replications = n.run;
    let cases = context.pick(&CASES[..2], &CASES[..]);
    let known = run_all(context, Protocol::Known, cases, &ALL, (last, n));
    let few: Vec<Method> = ALL.into_iter().filter(|method| FEW.contains(&method.0)).collect();
    let learnt_cases = context.pick(&CASES[..1], &CASES[..5]);
    let learnt = context.replications(1, 10);
    let learnt_replications = learnt.run.min(replications);
    let learnt = run_all(
        context,
        Protocol::Learnt,
        learnt_cases,
        &few,
        (last, Replications { run: learnt_replications, ..learnt }),
    );
    // Both are run before either is missed, so that a shard does its part of each.
    let (known, learnt) = (known?, learnt?);
    let parts = Parts::of(&known, early, last)?;
    let mut numbers = BTreeMap::from(parts.numbers("known"));
    numbers.extend(Parts::of(&learnt, early, last)?.numbers("learnt"));
    for (case, problem) in known.cases.iter().enumerate() {
        for name in [STRADDLE, SUR] {
            let mean = known.mean(case, known.method(name), early).0;
            numbers.insert(format!("F1 on {problem} at {early}: {name}"), mean);
        }
    }
    let mut result_tables = Vec::new();
    for (results, protocol) in [(&known, "known"), (&learnt, "learnt")] {
        result_tables.push(tables::summary(results, &format!("{protocol}_summary"), early, last)?);
        result_tables.push(tables::pairwise(results, &format!("{protocol}_pairwise"), early, last)?);
        result_tables.push(tables::means(results, &format!("{protocol}_f1"), counts, early)?);
    }
    let figures = vec![
        tables::curves(&known, "known_curves")?,
        tables::curves(&learnt, "learnt_curves")?,
        maps::side_by_side(context.pick(15, 30), Seed(context.seed).child(EXPERIMENT.id, 0))?,
    ];
    Ok(Report {
        judgement: parts.judgement(),
        numbers,
        settings: [
            ("grid", format!("{SIDE} × {SIDE}, points may be evaluated again")),
            (
                "known hyperparameters",
                "Matérn 5/2, 3 uniform points first; mean and twice the variance of the grid (draws: 0 and 1), noise 1e-4 of the \
                 variance"
                    .into(),
            ),
            ("learnt hyperparameters", "the default process, 6 uniform points first".into()),
            ("replications", format!("{replications} known, {learnt_replications} learnt, paired")),
            ("lengthscales", cases.iter().map(|c| format!("{} {}", c.name, c.lengthscale)).collect::<Vec<_>>().join(", ")),
            ("look ahead", "over the grid within 5 deviations (at most 300 points of it for misclassified volume and RMILE, 150 for boundary \
                 information), candidates the 300 of largest straddle".into()),
        ]
        .map(|(name, value): (&str, String)| (name.to_owned(), value))
        .into(),
        notes: vec![NOTE.into()],
        tables: result_tables,
        figures,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stepwise uncertainty reduction better than straddle, the same or worse on purpose, and a criterion below random.
    #[test]
    fn each_part_of_the_claim_can_fail() {
        let of = |sur: f64, other: f64, planned: usize| {
            let curve = |lift: f64| (0..20).map(|i| vec![0.5 + lift + 0.001 * f64::from(i % 7); 2]).collect();
            let of_case: Vec<Vec<Vec<f64>>> = [0.0, 0.1, sur, other].map(curve).to_vec();
            let results = Results {
                cases: vec!["one", "two"],
                methods: vec![RANDOM, STRADDLE, SUR, "LSE"],
                f1: vec![of_case.clone(), of_case],
                seconds: vec![vec![0.0; 4]; 2],
                planned,
            };
            Parts::of(&results, 0, 1).unwrap().judgement().verdict()
        };
        let judged = |sur: f64, other: f64| of(sur, other, 20);
        assert_eq!(judged(0.2, 0.1), Verdict::Holds);
        assert_eq!(of(0.2, 0.1, 21), Verdict::Inconclusive);
        assert_eq!(judged(0.1, 0.1), Verdict::Inconclusive);
        assert_eq!(judged(0.05, 0.1), Verdict::DoesNotHold);
        assert_eq!(judged(0.2, -0.1), Verdict::DoesNotHold);
    }
}
