//! Parts of the Parzen estimator, one changed at a time.

use thrifty_study::MaxTrials;
use thrifty_tpe::{
    BandwidthRule, Branching, CategoricalKernel, Floor, Joint, Split, SplitScope, Startup, TpeOptimizer,
    TpeSettings, Truncation, Weights,
};

use super::development::KINDS;
use crate::error::ExperimentError;
use crate::harness::ablation::{Ablation, NOTE};
use crate::harness::replicate::study;
use crate::harness::{Experiment, Report, RunContext};

pub const EXPERIMENT: Experiment = Experiment {
    id: "tpe/ablation",
    paper: "none: where the defaults of the Parzen estimator come from",
    claim: "no change of a single part makes the estimator better over problems that are used for nothing else",
    quick_cost: "3 problems, 4 variants, 4 replications, 50 evaluations: a second",
    full_cost: "10 problems, 33 variants, 100 replications, 100 evaluations: some minutes",
    run,
};

type Change = fn(&mut TpeSettings);

/// Changes of the default, the first of them none.
const VARIANTS: [(&str, Change); 33] = [
    ("default", |_| ()),
    ("good: ⌈0.05 n⌉", |s| s.split = Split::Linear { gamma: 0.05, cap: 25 }),
    ("good: ⌈0.15 n⌉", |s| s.split = Split::Linear { gamma: 0.15, cap: 25 }),
    ("good: ⌈0.25 n⌉", |s| s.split = Split::Linear { gamma: 0.25, cap: 25 }),
    ("good: ⌈¼ √n⌉", |s| s.split = Split::SquareRoot { gamma: 0.25, cap: 25 }),
    ("good: ⌈½ √n⌉", |s| s.split = Split::SquareRoot { gamma: 0.5, cap: 25 }),
    ("good: ⌈√n⌉", |s| s.split = Split::SquareRoot { gamma: 1.0, cap: 25 }),
    ("weights: uniform", |s| s.weights = Weights::Uniform),
    ("weights: forgetting", |s| s.weights = Weights::LinearForgetting),
    ("neighbours: with prior", |s| s.kernels.bandwidth.rule = neighbors(true, false)),
    ("neighbours: with bounds", |s| s.kernels.bandwidth.rule = neighbors(false, true)),
    ("neighbours: with both", |s| s.kernels.bandwidth.rule = neighbors(true, true)),
    ("width: Scott", |s| s.kernels.bandwidth.rule = BandwidthRule::Scott),
    ("width: fifth of range", |s| s.kernels.bandwidth.rule = BandwidthRule::FifthOfRange),
    ("floor: magic clip", |s| s.kernels.bandwidth.floor = Floor::MAGIC_CLIP),
    ("floor: 0.03, n⁻²", |s| s.kernels.bandwidth.floor = Floor::WATANABE),
    ("floor: 0.03, n⁻¹", |s| {
        s.kernels.bandwidth.floor = Floor { factor: 0.03, exponent: 1.0, steps: 0.5 }
    }),
    ("floor: 0.01, n⁻¹·⁵", |s| {
        s.kernels.bandwidth.floor = Floor { factor: 0.01, exponent: 1.5, steps: 0.5 }
    }),
    ("floor: 0.05, n⁻¹·⁵", |s| {
        s.kernels.bandwidth.floor = Floor { factor: 0.05, exponent: 1.5, steps: 0.5 }
    }),
    ("floor: without steps", |s| s.kernels.bandwidth.floor.steps = 0.0),
    ("floor: a step", |s| s.kernels.bandwidth.floor.steps = 1.0),
    ("truncation: mixture", |s| s.kernels.truncation = Truncation::Mixture),
    ("choices: counts", |s| s.kernels.categorical = CategoricalKernel::Counts),
    ("joint: one by one", |s| s.joint = Joint::Independent),
    ("joint: unconditional", |s| s.joint = Joint::Unconditional),
    ("joint: grouped", |s| s.joint = Joint::Grouped),
    ("branches: by ratio", |s| s.branching = Branching::ByRatio),
    ("joint: grouped, own split", |s| {
        s.joint = Joint::Grouped;
        s.scope = SplitScope::OwnTrials;
    }),
    ("64 candidates", |s| s.candidates = 64),
    ("start: 16 Sobol", |s| s.startup = Startup::Sobol(16)),
    ("start: 20 random", |s| s.startup = Startup::Random(20)),
    ("start: 10 random", |s| s.startup = Startup::Random(10)),
    ("prior weight: 2", |s| s.kernels.prior_weight = 2.0),
];

fn neighbors(prior: bool, bounds: bool) -> BandwidthRule {
    BandwidthRule::Neighbors { prior, bounds }
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let n = context.replications(4, 100);
    let (replications, evaluations) = (n.run, context.pick(50, 100));
    let kinds = context.pick(&KINDS[5..8], &KINDS[..]);
    let variants = context.pick(&VARIANTS[..4], &VARIANTS[..]);
    let names: Vec<&str> = variants.iter().map(|(name, _)| *name).collect();
    let labels: Vec<String> = kinds.iter().map(|kind| kind.label()).collect();
    let one = |k: usize, v: usize, i: usize| {
        let seed = context.seed_of("tpe/ablation", k, i);
        let problem = kinds[k].problem(seed)?;
        let (name, change) = variants[v];
        let mut settings = TpeSettings::default();
        change(&mut settings);
        let optimizer =
            TpeOptimizer::new(problem.space().clone()).and_then(|tpe| tpe.with_settings(settings))?;
        study(name, &*problem, optimizer, seed, i, MaxTrials(evaluations))
    };
    let Ablation { table, numbers, judgement } =
        Ablation::run((EXPERIMENT.id, context), &names, &labels, n, one)?;
    Ok(Report {
        judgement,
        numbers,
        settings: [("replications", replications), ("evaluations", evaluations)]
            .map(|(name, value)| (name.to_owned(), value.to_string()))
            .into(),
        notes: vec![NOTE.into()],
        tables: vec![table],
        figures: Vec::new(),
    })
}
