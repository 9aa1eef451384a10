//! Stated optima of the test functions, and the behaviour of the wrappers.

use thrifty_optim::Lbfgsb;
use thrifty_sampling::{Seed, Sobol};
use thrifty_study::Outcome;
use thrifty_testbed::{Failing, Maximized, Noisy, Problem, Shifted, TestFunction};

fn descend(function: &TestFunction, start: &[f64]) -> f64 {
    let numeric = |x: &[f64], gradient: &mut [f64]| {
        for (i, &(low, high)) in function.bounds().iter().enumerate() {
            let step = 1e-7 * (high - low);
            let at = |offset: f64| {
                let mut moved = x.to_vec();
                moved[i] += offset;
                function.value(&moved)
            };
            gradient[i] = (at(step) - at(-step)) / (2.0 * step);
        }
        function.value(x)
    };
    Lbfgsb::default().minimize(numeric, start, function.bounds()).map_or(f64::INFINITY, |found| found.value)
}

#[test]
fn optima_are_what_they_say_and_nothing_is_lower() {
    let bigger = [
        TestFunction::ackley(5),
        TestFunction::rosenbrock(10),
        TestFunction::styblinski_tang(10),
        TestFunction::log_rosenbrock(10),
        TestFunction::log_styblinski_tang(10),
    ];
    for function in TestFunction::all().into_iter().chain(bigger) {
        let (name, optimum) = (function.name(), function.optimum());
        for x in function.optimizers() {
            let value = function.value(x);
            assert!(
                (value - optimum).abs() <= 1e-12 * optimum.abs().max(1.0),
                "{name}: {value} against {optimum}"
            );
            assert_eq!(function.regret(&TestFunction::config(x)), Ok(value - optimum));
        }
        let dim = function.bounds().len();
        let mut lowest = f64::INFINITY;
        for point in Sobol::scrambled(dim, &mut Seed(1).stream("starts", 0)).take(300).rows() {
            let start: Vec<f64> =
                point.iter().zip(function.bounds()).map(|(u, (l, h))| l + u * (h - l)).collect();
            lowest = lowest.min(descend(&function, &start));
        }
        assert!(lowest >= optimum - 1e-11 * optimum.abs().max(1.0), "{name}: {lowest} below {optimum}");
        // Beside the optimiser too: no random start finds the needle of Ackley's function.
        let beside: Vec<f64> = function.optimizers()[0]
            .iter()
            .zip(function.bounds())
            .map(|(x, (l, h))| x + 0.003 * (h - l))
            .collect();
        lowest = lowest.min(descend(&function, &beside));
        if dim <= 6 {
            assert!(lowest <= optimum + 1e-4, "{name}: only {lowest} above {optimum}");
        }
    }
}

#[test]
fn published_values() {
    for (name, optimum) in
        [("branin", 0.397_887), ("hartmann6", -3.322_37), ("wangfreitas", -4.0), ("cosines", -1.6)]
    {
        let function = TestFunction::by_name(name).expect(name);
        assert!((function.optimum() - optimum).abs() < 1e-5, "{name}");
    }
    assert!(TestFunction::by_name("nothing").is_none());
    // The local maximum of x sin x at which expected improvement is stuck.
    approx::assert_abs_diff_eq!(
        TestFunction::x_sin_x().value(&[2.028_757_838_1]),
        -1.819_705_741_159_653,
        epsilon = 1e-12
    );
}

#[test]
fn wrappers() {
    let branin = TestFunction::branin();
    let config = TestFunction::config(&[1.0, 2.0]);
    let truth = branin.truth(&config).unwrap();
    let rng = |id| Seed(2).stream("evaluation", id);

    let noisy = Noisy { problem: branin.clone(), std_dev: 2.0 };
    let draws: Vec<f64> =
        (0..4000).map(|id| noisy.evaluate(&config, &mut rng(id)).objective().unwrap()).collect();
    let mean = draws.iter().sum::<f64>() / 4000.0;
    let std_dev = (draws.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / 4000.0).sqrt();
    assert!((mean - truth).abs() < 0.19 && (std_dev - 2.0).abs() < 0.14, "{mean} {std_dev}");
    assert_eq!(noisy.truth(&config), Ok(truth));
    assert_eq!(noisy.evaluate(&config, &mut rng(7)), noisy.evaluate(&config, &mut rng(7)));

    let shifted = Shifted::new(branin.clone(), &[("x1", 100.0)]).unwrap();
    assert_eq!(shifted.truth(&TestFunction::config(&[1.0, 102.0])), Ok(truth));
    assert!(shifted.truth(&config).is_err(), "outside the moved bounds");
    assert!(Shifted::new(branin.clone(), &[("y", 1.0)]).is_err());

    let maximized = Maximized(branin.clone());
    assert_eq!(maximized.evaluate(&config, &mut rng(0)), Outcome::from(-truth));
    assert_eq!(maximized.regret(&config), branin.regret(&config));

    let failing = Failing { problem: branin, rate: 0.25 };
    let failed =
        (0..4000).filter(|&id| failing.evaluate(&config, &mut rng(id)).measurement().is_none()).count();
    assert!((836..1164).contains(&failed), "{failed} of 4000, expected 1000 ± 27");
    assert!(failing.evaluate(&TestFunction::config(&[99.0, 0.0]), &mut rng(1)).measurement().is_none());
}
