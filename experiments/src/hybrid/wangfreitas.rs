//! Hybrids on a function whose optimum is a narrow spike.

use std::collections::BTreeMap;
use std::path::Path;

use thrifty_gp::Noise;
use thrifty_hybrid::{Exploration, OnConvergence};
use thrifty_prob::Prior;
use thrifty_sampling::Seed;
use thrifty_space::Config;
use thrifty_study::MaxTrials;
use thrifty_testbed::{Problem, TestFunction};

use super::methods::{Method, Setting};
use crate::bench::egreedy::{self, DESIGNS};
use crate::data;
use crate::error::ExperimentError;
use crate::harness::claims::{Claim, ClaimError, Family, Judgement, Kind, Rule, Sample, Test};
use crate::harness::compare::Comparison;
use crate::harness::replicate::{Run, studies, study};
use crate::harness::{Experiment, JobName, Report, RunContext, Runs, Table};

pub const EXPERIMENT: Experiment = Experiment {
    id: "hybrid/wangfreitas",
    paper: "A Hybrid Monte Carlo Architecture for Parameter Optimization, sections 3 and 3.1, on the deceptive function of \
            De Ath et al. (2021)",
    claim: "exploring the most uncertain point by coin flip (Algorithm 2) finds a hidden global optimum more often than \
            expected improvement, and the variable threshold (Algorithm 3) does too",
    quick_cost: "16 designs, 30 evaluations, 8 methods: some seconds",
    full_cost: "51 designs, 50 evaluations, 8 methods: about fifteen seconds",
    run,
};

fn methods() -> Vec<Method> {
    use OnConvergence::Ignore;
    let coin = |rate| Method::Hybrid(Exploration::FixedRate { rate }, Ignore);
    let scaled = |floor| Method::Hybrid(Exploration::PiScaled { basis: 1.0, floor }, Ignore);
    vec![
        Method::Hybrid(Exploration::Never, Ignore),
        coin(0.1),
        coin(0.2),
        scaled(0.0),
        scaled(0.1),
        Method::Hybrid(Exploration::EpsRandom { epsilon: 0.1 }, Ignore),
        Method::Hybrid(Exploration::EpsPareto { epsilon: 0.1 }, Ignore),
        Method::Random,
    ]
}

/// A run that ends below this regret is on the spike, a tenth of the range.
const FOUND: f64 = 0.4;

/// Designs of two points, as many as wanted: the published ones where they are, else Latin hypercubes.
fn designs(
    context: &RunContext,
    path: Option<&Path>,
    count: usize,
) -> Result<Vec<Vec<Config>>, ExperimentError> {
    let mut designs = match path {
        Some(path) => egreedy::designs(path, &TestFunction::wang_freitas().name(), 1)?,
        None => (0..count as u64)
            .map(|i| {
                let mut rng = Seed(context.seed).child("hybrid/wangfreitas", i).stream("design", 0);
                let points = thrifty_sampling::latin_hypercube(2, 1, &mut rng);
                points.rows().map(TestFunction::config).collect()
            })
            .collect(),
    };
    designs.truncate(count);
    Ok(designs)
}

/// Finds more often than expected improvement: Algorithm 2 at one of its rates, and Algorithm 3.
fn judge(finals: &[Vec<f64>], planned: usize) -> Result<Judgement, ClaimError> {
    let labels: Vec<String> = methods().iter().map(Method::label).collect();
    let found = |m: usize| finals[m].iter().map(|regret| f64::from(u8::from(*regret < FOUND)));
    let more = |m: usize| {
        let name = format!("{} finds the spike more often than {}", labels[m], labels[0]);
        let gains = found(m).zip(found(0)).map(|(own, base)| own - base).collect();
        (Claim::new(name, Kind::Superior, Test::SignFlip, planned), Sample::Gains(gains))
    };
    let family = |rule, members: &[usize]| {
        let mut family = Family::new(rule);
        for m in members {
            let (claim, sample) = more(*m);
            family.push(claim, sample);
        }
        family.judge()
    };
    Ok(Judgement::all(vec![family(Rule::AtLeast(1), &[1, 2])?, family(Rule::All, &[3])?]))
}

fn runs(
    context: &RunContext,
    designs: &[Vec<Config>],
    data: String,
    evaluations: usize,
) -> Result<Vec<Run>, ExperimentError> {
    let problem = TestFunction::wang_freitas();
    let jobs: Vec<(Method, usize)> =
        methods().into_iter().flat_map(|m| (0..designs.len()).map(move |i| (m.clone(), i))).collect();
    // Learnt noise: near the spike two evaluations may differ by more than any smooth function explains.
    let prior = Some(Prior::LogNormal { mu: -10.0, sigma: 3.0 });
    let noise = Noise::Learned { start: 1e-6, floor: 1e-8, ceiling: 1.0, prior };
    studies(
        &Runs::new(EXPERIMENT.id, context).data(data),
        &jobs,
        |(method, i)| JobName::new(problem.name(), method.label(), *i),
        |(method, i)| {
            let seed = Seed(context.seed).child("hybrid/wangfreitas", *i as u64);
            let (space, initial) = (problem.space(), &designs[*i][..]);
            let setting = Setting { space, initial, epsilon: 1e-3, turns: evaluations, noise: noise.clone() };
            let optimizer = method.optimizer(&setting)?;
            study(&method.label(), &problem, optimizer, seed, *i, MaxTrials(evaluations))
        },
    )
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let path = data::file(context.data.as_deref(), DESIGNS);
    let replications = context.replications(16, 51);
    let designs = designs(context, path.as_deref(), replications.run)?;
    let evaluations = context.pick(30, 50);
    let runs = runs(context, &designs, data::identity(path.as_deref())?, evaluations)?;
    let comparison = Comparison::new(&runs, evaluations);
    let finals: Vec<Vec<f64>> = (0..methods().len()).map(|m| comparison.finals(m)).collect();
    let (mut numbers, mut rows) = (BTreeMap::new(), Vec::new());
    for (method, finals) in methods().iter().zip(&finals) {
        let below = |limit: f64| finals.iter().filter(|regret| **regret < limit).count();
        numbers.insert(format!("found by {}", method.label()), below(FOUND) as f64);
        let of = |n: usize| format!("{n} of {}", finals.len());
        rows.push(vec![method.label(), of(below(FOUND)), of(below(0.01))]);
    }
    numbers.insert("designs".into(), designs.len() as f64);
    let source = match &path {
        Some(_) => format!("the {} published designs of De Ath et al. (2021)", designs.len()),
        None => format!(
            "{} seeded Latin hypercubes of two points; the published designs are those of the set egreedy",
            designs.len()
        ),
    };
    let settings = [
        ("initial designs", source.clone()),
        ("evaluations", format!("{evaluations}, the design's two included")),
    ];
    Ok(Report {
        judgement: judge(&finals, replications.planned)?,
        numbers,
        settings: settings.map(|(name, value)| (name.to_owned(), value)).into(),
        notes: vec![
            format!("Designs: {source}. No run stops early: convergence is ignored."),
            "The claim has two halves: Algorithm 2, at one of its two rates, and Algorithm 3 without a floor. The rate of the latter \
             is the probability of improvement at the most uncertain point, by the posterior that has not seen the spike."
                .into(),
        ],
        tables: vec![
            Table {
                name: "finds".into(),
                caption: "Runs that ended on the spike (regret below 0.4, a tenth of the range) and at its top (below 0.01)."
                    .into(),
                header: ["method", "on the spike", "at its top"].map(String::from).to_vec(),
                rows,
            },
            comparison.table("regret")?,
        ],
        figures: vec![comparison.anytime("anytime")?, comparison.ecdf("ecdf")?],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Verdict;

    #[test]
    fn finds_decide_both_ways() {
        let never = vec![4.0; 20];
        let always = vec![0.0; 20];
        let of = |ei: &[f64], coin: &[f64], scaled: &[f64], planned: usize| {
            judge(&[ei, coin, coin, scaled].map(<[f64]>::to_vec), planned).unwrap().verdict()
        };
        let with = |ei: &[f64], coin: &[f64], scaled: &[f64]| of(ei, coin, scaled, 20);
        assert_eq!(of(&never, &always, &always, 21), Verdict::Inconclusive);
        assert_eq!(with(&never, &always, &always), Verdict::Holds);
        assert_eq!(with(&always, &never, &never), Verdict::DoesNotHold);
        assert_eq!(with(&never, &always, &never), Verdict::Inconclusive);
    }
}
