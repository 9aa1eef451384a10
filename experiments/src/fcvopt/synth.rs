//! Fractional cross-validation on synthetic folds.

use super::branin;
use super::comparison::{FoldComparison, NOTE};
use super::drawn::{Deviations, Drawn, FOLDS};
use super::methods::{ALL, is_variant};
use super::problem::FoldProblem;
use super::smac::with_peers;
use crate::data;
use crate::error::ExperimentError;
use crate::harness::claims::Kind;
use crate::harness::{Experiment, Report, RunContext};

pub const EXPERIMENT: Experiment = Experiment {
    id: "fcvopt/synth",
    paper: "FCVOpt (Yerramilli & Apley, 2025), on synthetic folds",
    claim: "at equal numbers of model fits fractional cross-validation has a lower true loss than full cross-validation and than other ways with single folds",
    quick_cost: "one draw and Branin, 2 seeds, 20 fits: some seconds",
    full_cost: "draws of three kinds and Branin, 30 seeds, 300 fits: an hour; SMAC3 with --python half of that again",
    run,
};

/// Smooth deviations are nearly offsets; rough ones bend as much as the true loss and move its minimum.
const DRAWS: [(&str, usize, Deviations); 3] = [
    ("smooth-2d", 2, Deviations { std_dev: 0.5, lengthscale: 0.6, noise: 0.05 }),
    ("rough-2d", 2, Deviations { std_dev: 0.5, lengthscale: 0.25, noise: 0.05 }),
    ("rough-4d", 4, Deviations { std_dev: 0.5, lengthscale: 0.25, noise: 0.05 }),
];

/// A pseudomedian of paired differences of at most a fiftieth of the true loss's standard deviation is no worse.
const MARGIN: f64 = 0.02;

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let (_, coefficients) = branin::problem(context.data.as_deref())?;
    let draws = context.pick(&DRAWS[..1], &DRAWS[..]);
    let (replications, fits) = (context.replications(2, 30), context.pick(20, 300));
    let methods = with_peers(&ALL, context);
    let comparison = FoldComparison {
        id: EXPERIMENT.id,
        context,
        data: data::identity_of(context.data.as_deref(), &[branin::FILE.to_owned()])?,
        measure: "regret",
        problems: std::iter::once("branin")
            .chain(draws.iter().map(|draw| draw.0))
            .map(String::from)
            .collect(),
        methods: &methods,
        replications,
        fits,
        // Lower than every other way, and not worse than the method's own variants.
        claim: |method| {
            Some(if is_variant(method) { Kind::NotInferior { margin: MARGIN } } else { Kind::Superior })
        },
        columns: [20, 50, 100, 200, 300].into_iter().filter(|at| *at <= fits).collect(),
        early: None,
    };
    let outcome = comparison.run(|k, seed| {
        Ok(match k.checked_sub(1) {
            None => Box::new(branin::problem(context.data.as_deref())?.0) as Box<dyn FoldProblem>,
            Some(draw) => Box::new(Drawn::new(draws[draw].1, draws[draw].2, seed)?),
        })
    })?;
    let mut report = outcome.report([replications.run, fits, FOLDS], vec![
            "branin: deviations are sums of cosines that vanish on average over the folds, no noise. Draws: the true loss has \
             deviation 1, each fold adds another of deviation 0.5, smoother than it or as rough, an observation noise of \
             deviation 0.05. The truth is the mean over the ten folds."
                .into(),
            NOTE.into(),
        ]);
    report.settings.insert("coefficients of Branin".into(), coefficients.to_owned());
    Ok(report)
}
