use thrifty_sampling::Seed;
use thrifty_space::*;
use thrifty_study::*;
use thrifty_tpe::*;
fn main() {
    let joint = if std::env::args().nth(1).unwrap() == "u" { Joint::Independent } else { Joint::Tree };
    let n: usize = std::env::args().nth(2).unwrap().parse().unwrap();
    let reps: usize = std::env::args().nth(3).unwrap().parse().unwrap();
    let space = Space::builder()
        .float("x0", -5.0, 5.0)
        .float("x1", 0.0, 1.0)
        .log_float("x2", 1e-5, 1.0)
        .log_float("x3", 1e-3, 1e3)
        .int("x4", 1, 64)
        .categorical("x5", [0, 1, 2, 3, 4])
        .build()
        .unwrap();
    let loss = |c: &Config| {
        let x = |n| c.float(n).unwrap();
        (x("x0") - 1.0).powi(2)
            + x("x1")
            + (x("x2").log10() + 3.0).abs()
            + x("x3").log10().abs()
            + 0.01 * (x("x4") - 20.0).abs()
            + 0.3 * x("x5")
    };
    let s = TpeSettings { joint, startup: Startup::Random(n), ..TpeSettings::optuna5() };
    let mut study = Study::new(TpeOptimizer::with_settings(space, Seed(0), s).unwrap(), Seed(0));
    for _ in 0..n {
        let Ok(Next::Evaluate(t)) = study.ask() else { panic!() };
        study.tell(t.id, loss(&t.query)).unwrap();
    }
    let mut times = vec![];
    for _ in 0..reps {
        let b = std::time::Instant::now();
        let Ok(Next::Evaluate(t)) = study.ask() else { panic!() };
        study.tell(t.id, loss(&t.query)).unwrap();
        times.push(b.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    println!("n {n}: min {:.4} median {:.4} ms", times[0], times[reps / 2]);
}
