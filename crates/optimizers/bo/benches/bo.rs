//! One step of Bayesian optimisation: fit with restarts, then maximise log expected improvement. Expect a few
//! milliseconds at n = 20 and some tens at n = 100, d = 6, on one core.

use criterion::{Criterion, criterion_group, criterion_main};
use thrifty_acquisition::AcquisitionKind;
use thrifty_bo::{BayesianOptimizer, MultiObjectiveOptimizer, MultiObjectiveRule, MultiObjectiveSettings};
use thrifty_gp::GpSurrogate;
use thrifty_sampling::Seed;
use thrifty_space::Config;
use thrifty_study::{History, MaxTrials, Optimizer, Study, TrialId};
use thrifty_testbed::{MultiObjectiveFunction, Noisy, Problem, TestFunction};

/// `n` evaluations of a six-dimensional function by Sobol search.
fn history(problem: &TestFunction, n: usize) -> History<Config> {
    let search = thrifty_search::SobolSearch::new(problem.space().clone());
    let mut study = Study::new(search, Seed(2)).with_stop(MaxTrials(n));
    study.run(|config, context| problem.evaluate(config, &mut context.noise())).unwrap();
    study.history().clone()
}

fn step(c: &mut Criterion) {
    let problem = TestFunction::hartmann6();
    for n in [20, 50, 100] {
        let history = history(&problem, n);
        let mut optimizer = BayesianOptimizer::new(problem.space().clone());
        c.bench_function(&format!("bo/step/{n}"), |b| {
            b.iter(|| optimizer.ask(&history, TrialId(n as u64)).unwrap());
        });
        let belief = optimizer.state(&history, TrialId(n as u64)).unwrap().unwrap();
        let acquisition = belief.acquisition(&AcquisitionKind::default()).unwrap();
        c.bench_function(&format!("acquisition/maximise/{n}"), |b| {
            b.iter(|| belief.maximize(&*acquisition, "bench"));
        });
    }
}

/// Noisy steps with sampled hyperparameters, of a study that goes on and of one that has three trials left: the latter are by the knowledge
/// gradient on every member of the mixture.
fn noisy(c: &mut Criterion) {
    let problem = Noisy { problem: TestFunction::hartmann6(), std_dev: 0.1 };
    let optimizer = || BayesianOptimizer::new(problem.space().clone()).with_surrogate(GpSurrogate::noisy());
    for n in [30, 60, 100] {
        let mut study = Study::new(optimizer(), Seed(2)).with_stop(MaxTrials(n));
        study.run(|config, context| problem.evaluate(config, &mut context.noise())).unwrap();
        for (name, planned) in [("noisy step", n + 100), ("last noisy step", n + 3)] {
            let mut optimizer = optimizer();
            optimizer.plan(planned);
            c.bench_function(&format!("bo/{name}/{n}"), |b| {
                b.iter(|| optimizer.ask(study.history(), TrialId(n as u64)).unwrap());
            });
        }
    }
}

/// A suggestion with several losses after 50 Sobol points: two or three models, and the improvement of a front.
fn several(c: &mut Criterion) {
    for problem in [MultiObjectiveFunction::zdt1(6), MultiObjectiveFunction::vehicle_safety()] {
        let search = thrifty_search::SobolSearch::new(problem.space().clone());
        let mut study = Study::new(search, Seed(2)).with_stop(MaxTrials(50));
        study.run(|config, context| problem.evaluate(config, &mut context.noise())).unwrap();
        for (name, rule) in [
            ("log EHVI", MultiObjectiveRule::ExpectedHypervolume),
            ("log NEHVI", MultiObjectiveRule::NoisyExpectedHypervolume { draws: 32 }),
            ("ParEGO", MultiObjectiveRule::Chebyshev { augmentation: 0.05 }),
        ] {
            let settings = MultiObjectiveSettings {
                rule,
                reference: Some(problem.reference().to_vec()),
                ..MultiObjectiveSettings::default()
            };
            let optimizer = MultiObjectiveOptimizer::new(problem.space().clone());
            let mut optimizer = optimizer.with_settings(settings).unwrap();
            c.bench_function(&format!("bo/several/{}/{name}", problem.name()), |b| {
                b.iter(|| optimizer.ask(study.history(), TrialId(50)).unwrap());
            });
        }
    }
}

criterion_group!(benches, step, noisy, several);
criterion_main!(benches);
