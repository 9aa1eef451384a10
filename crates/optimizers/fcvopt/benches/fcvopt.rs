//! One iteration of fractional cross-validation in two dimensions with ten folds: fit from four starts, maximise, choose
//! the fold. Expect a few milliseconds at 50 observations for the confidence bound, some tens for the knowledge gradients,
//! and a tenth of a millisecond for the log posterior with its gradient at 100.

use criterion::{Criterion, criterion_group, criterion_main};
use thrifty_cv::FoldQuery;
use thrifty_domain::Points;
use thrifty_fcvopt::{FoldAcquisition, FractionalCv, FractionalSettings};
use thrifty_gp::ExactLikelihood;
use thrifty_hgp::Hgp;
use thrifty_params::MapObjective;
use thrifty_sampling::Seed;
use thrifty_space::Space;
use thrifty_study::{History, MaxTrials, Optimizer, Study, TrialId};

const FOLDS: usize = 10;

fn space() -> Space {
    Space::unit_cube(2)
}

fn loss(query: &FoldQuery) -> f64 {
    let (x, y) = (query.config.float("x0").unwrap_or(0.0), query.config.float("x1").unwrap_or(0.0));
    let phase = query.fold as f64;
    (5.0 * x).sin() + (y - 0.6).powi(2) + 0.15 * (phase * 2.1 + 3.0 * x).sin() + 0.1 * (phase + 2.0 * y).cos()
}

fn history(n: usize) -> History<FoldQuery> {
    let optimizer = FractionalCv::new(space(), FOLDS).unwrap();
    let mut study = Study::new(optimizer, Seed(2)).with_stop(MaxTrials(n));
    study.run(|query: &FoldQuery, _| loss(query)).unwrap();
    study.history().clone()
}

fn iteration(c: &mut Criterion) {
    for n in [25, 50, 100] {
        let history = history(n);
        for (name, acquisition) in [
            ("bound", FractionalSettings::new(FOLDS).acquisition),
            ("kg", FoldAcquisition::KnowledgeGradient),
            ("joint-kg", FoldAcquisition::JointKnowledgeGradient),
        ] {
            let settings = FractionalSettings { acquisition, ..FractionalSettings::new(FOLDS) };
            let mut optimizer =
                FractionalCv::new(space(), settings.folds).and_then(|cv| cv.with_settings(settings)).unwrap();
            c.bench_function(&format!("fcvopt/iteration/{name}/{n}"), |b| {
                b.iter(|| optimizer.ask(&history, TrialId(n as u64)).unwrap());
            });
        }
        let optimizer = FractionalCv::new(space(), FOLDS).unwrap();
        c.bench_function(&format!("fcvopt/fit/{n}"), |b| {
            b.iter(|| optimizer.state(&history, TrialId(n as u64)).unwrap().unwrap());
        });
    }
}

fn likelihood(c: &mut Criterion) {
    for n in [25, 50, 100, 200] {
        let mut rng = Seed(1).stream("data", 0);
        let flat = (0..n).flat_map(|i| [rng.uniform(), rng.uniform(), (i % FOLDS) as f64]).collect();
        let x = Points::from_flat(flat, 3);
        let y: Vec<f64> = x.rows().map(|row| (5.0 * row[0]).sin() + row[1] + 0.1 * row[2]).collect();
        let hgp = Hgp::matern52(2);
        let mut kernel = hgp.kernel().clone();
        let settings = hgp.settings();
        let mut likelihood =
            ExactLikelihood::new(&mut kernel, x.as_ref(), &y, &settings.noise, settings.mean);
        let mut objective = MapObjective::new(&mut likelihood).unwrap();
        let start = objective.start();
        let mut gradient = vec![0.0; start.len()];
        c.bench_function(&format!("fcvopt/log-posterior/{n}"), |b| {
            b.iter(|| objective.value_and_gradient(&start, &mut gradient));
        });
    }
}

criterion_group!(benches, iteration, likelihood);
criterion_main!(benches);
