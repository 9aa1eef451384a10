//! A suggestion after so many trials of six mixed parameters, and telling its loss. Expect about 0.03, 0.1 and 0.7 ms
//! one by one, 0.02, 0.1 and 1.3 ms together, at 100, 1,000 and 10,000 trials with AVX-512.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{Next, Study};
use thrifty_tpe::{Joint, Startup, TpeOptimizer, TpeSettings};

fn space() -> Space {
    Space::builder()
        .float("x0", -5.0, 5.0)
        .float("x1", 0.0, 1.0)
        .log_float("x2", 1e-5, 1.0)
        .log_float("x3", 1e-3, 1e3)
        .int("x4", 1, 64)
        .categorical("x5", [0, 1, 2, 3, 4])
        .build()
        .expect("a space")
}

fn loss(config: &Config) -> f64 {
    let x = |name| config.float(name).expect("a number");
    (x("x0") - 1.0).powi(2)
        + x("x1")
        + (x("x2").log10() + 3.0).abs()
        + x("x3").log10().abs()
        + 0.01 * (x("x4") - 20.0).abs()
        + 0.3 * x("x5")
}

fn ask_and_tell(c: &mut Criterion) {
    for (name, joint) in [("one by one", Joint::Independent), ("together", Joint::Tree)] {
        let mut group = c.benchmark_group(format!("tpe/{name}"));
        for n in [100, 1_000, 10_000] {
            let settings = TpeSettings { joint, startup: Startup::Random(n), ..TpeSettings::optuna5() };
            let optimizer =
                TpeOptimizer::new(space()).and_then(|tpe| tpe.with_settings(settings)).expect("an optimiser");
            let mut study = Study::new(optimizer, Seed(0));
            let mut step = || {
                let Ok(Next::Evaluate(trial)) = study.ask() else { panic!("a suggestion") };
                study.tell(trial.id, loss(&trial.query)).expect("a trial");
            };
            (0..n).for_each(|_| step());
            group.bench_function(BenchmarkId::from_parameter(n), |b| b.iter(&mut step));
        }
        group.finish();
    }
}

criterion_group! {
    name = benches;
    // Every iteration adds a trial: few of them, or n is another.
    config = Criterion::default().sample_size(10).warm_up_time(std::time::Duration::from_millis(1)).measurement_time(std::time::Duration::from_millis(5));
    targets = ask_and_tell
}
criterion_main!(benches);
