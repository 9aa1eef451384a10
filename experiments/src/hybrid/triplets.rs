use std::collections::BTreeMap;

use thrifty_hybrid::{Exploration, OnConvergence};
use thrifty_sampling::Seed;
use thrifty_space::Config;
use thrifty_study::MaxTrials;
use thrifty_testbed::{Problem, TestFunction};

use super::methods::{Method, Setting};
use super::success::{hit, noise, range};
use crate::error::ExperimentError;
use crate::harness::compare::Comparison;
use crate::harness::replicate::{Run, in_parallel, study};
use crate::harness::stats::quantile;
use crate::harness::{Experiment, Report, RunContext, Table, Verdict, number};

pub const EXPERIMENT: Experiment = Experiment {
    id: "hybrid/triplets",
    paper: "A Hybrid Monte Carlo Architecture for Parameter Optimization, section 3",
    claim: "the hybrid finds improved maxima where the original algorithm finds a poor local one, whatever the start",
    quick_cost: "15 random triplets, 3 settings, 9 methods, 20 turns: some seconds",
    full_cost: "100 random triplets, 3 settings, 9 methods, 20 turns: about twenty seconds",
    run,
};

const TURNS: usize = 20;

fn methods() -> Vec<Method> {
    use OnConvergence::{Force, Skip, Stop};
    let coin = Exploration::FixedRate { rate: 0.1 };
    let scaled = Exploration::PiScaled { basis: 1.0, floor: 0.0 };
    let hybrids = [coin, scaled].into_iter().flat_map(|e| [Stop, Skip, Force].map(|c| Method::Hybrid(e, c)));
    let mut methods = vec![Method::Hybrid(Exploration::Never, Stop)];
    methods.extend(hybrids);
    methods.extend([Method::RandomStarts, Method::Random]);
    methods
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let replications = context.replications(15, 100);
    let problems =
        [(TestFunction::x_sin_x(), 1e-2), (TestFunction::x_sin_x(), 1e-3), (TestFunction::forrester(), 1e-3)];
    let (mut numbers, mut tables, mut figures) = (BTreeMap::new(), Vec::new(), Vec::new());
    let mut rows: Vec<Vec<String>> = methods().iter().map(|m| vec![m.label()]).collect();
    let mut header = vec!["method".to_owned()];
    let mut gains = Vec::new();
    for (problem, epsilon) in &problems {
        let name = format!("{} at {epsilon}", problem.name());
        header.push(format!("{name}: success (median hit)"));
        let jobs: Vec<(Method, usize)> =
            methods().into_iter().flat_map(|m| (0..replications).map(move |i| (m.clone(), i))).collect();
        let runs = in_parallel(&format!("hybrid/triplets, {name}"), &jobs, |(method, i)| {
            let seed = Seed(context.seed).child("hybrid/triplets", *i as u64);
            let mut rng = seed.stream("triplet", 0);
            let triplet: Vec<Config> = (0..3).map(|_| problem.space().sample(&mut rng)).collect();
            let setting = Setting {
                space: problem.space(),
                initial: &triplet,
                epsilon: *epsilon,
                turns: TURNS,
                noise: noise(),
            };
            let optimizer = method.optimizer(&setting)?;
            study(&method.label(), problem, optimizer, seed, *i, MaxTrials(3 + TURNS))
        })?;
        let limit = 0.01 * range(problem);
        let mut shares = Vec::new();
        for (method, row) in methods().iter().zip(&mut rows) {
            let own: Vec<&Run> = runs.iter().filter(|run| run.method == method.label()).collect();
            let hits: Vec<f64> = own.iter().filter_map(|run| hit(run, 3, limit)).map(|t| t as f64).collect();
            let share = hits.len() as f64 / own.len() as f64;
            numbers.insert(format!("success of {} on {name}", method.label()), share);
            let median = if hits.is_empty() { "–".into() } else { number(quantile(&hits, 0.5)) };
            row.push(format!("{:.0} % ({median})", 100.0 * share));
            shares.push(share);
        }
        // The best reading of Algorithm 2 against the original.
        gains.push(shares[3] - shares[0]);
        let comparison = Comparison::new(&runs, 3 + TURNS);
        let slug = format!("{}-{epsilon}", problem.name().replace(' ', "-"));
        tables.push(comparison.table(&format!("regret-{slug}")));
        figures.push(comparison.ecdf(&format!("ecdf-{slug}"))?);
    }
    tables.insert(0, Table {
        name: "success".into(),
        caption: format!(
            "Share of {replications} random triplets from which the global maximum was found to 1 % of the range in \
             {TURNS} turns, and the median turn at which it was."
        ),
        header,
        rows,
    });
    let verdict = if gains.iter().all(|gain| *gain >= 0.0) && gains.iter().any(|gain| *gain > 0.0) {
        Verdict::Holds
    } else if gains.iter().any(|gain| *gain < 0.0) {
        Verdict::DoesNotHold
    } else {
        Verdict::Inconclusive
    };
    let settings = [
        ("turns", TURNS.to_string()),
        ("triplets", format!("{replications}, uniform, the same for every method")),
        (
            "verdict from",
            "success of Algorithm 2, rate 0.1, force, less that of EI, on every function".into(),
        ),
    ];
    Ok(Report {
        verdict,
        numbers,
        settings: settings.map(|(name, value): (&str, String)| (name.to_owned(), value)).into(),
        notes: vec![
            "How often expected improvement is stuck depends on when it counts as converged more than on anything else: \
             compare the two tolerances on x sin x. The paper's premise is mostly a stopping tolerance."
                .into(),
        ],
        tables,
        figures,
    })
}
