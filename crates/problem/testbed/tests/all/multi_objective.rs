//! Losses agree with the literature, and fronts have the stated volumes.

use proptest::prelude::*;
use thrifty_domain::Points;
use thrifty_pareto::hypervolume;
use thrifty_sampling::Seed;
use thrifty_testbed::MultiObjectiveFunction as Problem;

fn close(found: &[f64], expected: &[f64]) -> bool {
    found.len() == expected.len()
        && found.iter().zip(expected).all(|(f, e)| (f - e).abs() <= 1e-12 * e.abs().max(1.0))
}

/// At 0.25, 0.35, … and at 0.9, 0.77, … of every range; values of `BoTorch` 0.18.1.
#[test]
fn losses_are_those_of_botorch() {
    let at = |problem: &Problem, first: f64, step: f64| {
        let fraction = |i: usize| first + step * i as f64;
        let x: Vec<f64> =
            problem.bounds().iter().enumerate().map(|(i, (l, h))| l + (h - l) * fraction(i)).collect();
        (problem.losses(&x), problem.constraint(&x))
    };
    let cases: [(Problem, &[f64], &[f64]); 7] = [
        (
            Problem::branin_currin(),
            &[21.678_933_495_233_8, 10.423_227_429_590_849],
            &[99.176_436_027_863_22, 4.912_816_767_386_086],
        ),
        (Problem::zdt1(6), &[0.25, 4.730_368_908_234_953], &[0.9, 3.347_010_922_897_750_3]),
        (Problem::zdt2(6), &[0.25, 5.939_495_798_319_328], &[0.9, 5.445_098_389_982_11]),
        (
            Problem::dtlz2(6, 2),
            &[1.027_815_979_918_806_5, 0.425_735_318_506_162_4],
            &[0.182_950_106_864_550_07, 1.155_101_514_326_013_7],
        ),
        (
            Problem::dtlz2(6, 3),
            &[0.858_633_108_123_747_9, 0.526_171_045_381_272_1, 0.417_124_941_277_947_8],
            &[0.060_637_207_697_453_94, 0.160_471_713_857_513_33, 1.083_099_034_296_628],
        ),
        (
            Problem::vehicle_safety(),
            &[1_682.910_113_470_000_4, 9.861_303, 0.104_962_999_999_999_97],
            &[1_686.637_374_364_000_4, 9.328_785_520_000_002, 0.141_127_920_000_000_05],
        ),
        (
            Problem::c2_dtlz2(4),
            &[0.949_286_219_655_347_2, 0.393_207_226_755_129_76],
            &[0.170_920_296_502_956_31, 1.079_148_280_934_247_6],
        ),
    ];
    for (problem, one, two) in cases {
        assert!(close(&at(&problem, 0.25, 0.1).0, one), "{}: {:?}", problem.name(), at(&problem, 0.25, 0.1));
        assert!(
            close(&at(&problem, 0.9, -0.13).0, two),
            "{}: {:?}",
            problem.name(),
            at(&problem, 0.9, -0.13)
        );
    }
    // Theirs is a slack: positive where feasible.
    for (problem, one, two) in [
        (Problem::c2_dtlz2(4), 0.077_183_810_689_305_72, -0.004_521_801_868_494_915),
        (Problem::constrained_branin_currin(), -30.875, 2.402_500_000_000_007),
    ] {
        for (first, step, expected) in [(0.25, 0.1, one), (0.9, -0.13, two)] {
            let found = at(&problem, first, step).1.expect("a constraint");
            assert!((found - expected).abs() < 1e-12, "{}: {found}", problem.name());
        }
    }
    // Without g the second loss at a point of the front is that of BoTorch.
    assert!(close(
        &Problem::zdt3(6).losses(&[0.83, 0.0, 0.0, 0.0, 0.0, 0.0]),
        &[0.83, 1.0 - 0.83_f64.sqrt() - 0.83 * (8.3 * std::f64::consts::PI).sin(),]
    ));
    // The limit of Currin's function, not a division by 0.
    assert_eq!(Problem::branin_currin().losses(&[0.0, 0.0])[1], 3.0);
}

/// A fine grid on the front, whose volume falls short by about a step.
fn volume(problem: &Problem, points: impl Iterator<Item = Vec<f64>>) -> f64 {
    let mut front = Points::new(problem.objectives());
    points.filter(|x| problem.constraint(x).is_none_or(|c| c <= 0.0)).for_each(|x| {
        front.push(&problem.losses(&x));
    });
    hypervolume(front.as_ref(), problem.reference()).unwrap()
}

#[test]
fn fronts_have_the_volumes_that_are_published() {
    let steps = 20_000;
    let line = |rest: f64| {
        move |i: i32| {
            let mut x = vec![rest; 6];
            x[0] = f64::from(i) / f64::from(steps);
            x
        }
    };
    for (problem, rest) in [
        (Problem::zdt1(6), 0.0),
        (Problem::zdt2(6), 0.0),
        (Problem::zdt3(6), 0.0),
        (Problem::dtlz2(6, 2), 0.5),
        (Problem::c2_dtlz2(6), 0.5),
    ] {
        let found = volume(&problem, (0..=steps).map(line(rest)));
        let gap = problem.max_hypervolume() - found;
        // C2-DTLZ2's volume is that of a run, 4e-4 too small.
        assert!((-5e-4..1e-3).contains(&gap), "{}: {found}, {gap:e} short", problem.name());
    }
    assert!((Problem::dtlz2(6, 3).max_hypervolume() - 0.807_401_224_401_701_5).abs() < 1e-14);
    let side = 400;
    let grid = || (0..=side * side).map(|i| vec![f64::from(i / side), f64::from(i % side)]);
    let square = || grid().map(|x| x.iter().map(|v| v / f64::from(side)).collect::<Vec<f64>>());
    for problem in [Problem::branin_currin(), Problem::constrained_branin_currin()] {
        let found = volume(&problem, square());
        let gap = problem.max_hypervolume() - found;
        assert!((-1e-3..0.02).contains(&(gap / found)), "{}: {found}, {gap:e} short", problem.name());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    /// Nothing is better than the front where it is known: no point of DTLZ2 is inside the sphere, none of ZDT below g = 1.
    #[test]
    fn no_point_is_before_the_front(x in prop::collection::vec(0.0..=1.0_f64, 6), m in 2_usize..=6) {
        let losses = Problem::dtlz2(6, m).losses(&x);
        prop_assert!(losses.iter().map(|f| f * f).sum::<f64>() >= 1.0 - 1e-12);
        for (problem, front) in [
            (Problem::zdt1(6), 1.0 - x[0].sqrt()),
            (Problem::zdt2(6), 1.0 - x[0] * x[0]),
        ] {
            prop_assert!(problem.losses(&x)[1] >= front - 1e-12);
        }
    }
}

#[test]
fn evaluations_check_their_configuration() {
    for problem in Problem::all() {
        let mut rng = Seed(1).stream("evaluation", 0);
        let config = problem.space().sample(&mut rng);
        let measurement = problem.evaluate(&config, &mut rng).measurement().cloned().expect("a measurement");
        assert_eq!(Some(&measurement), problem.truth(&config).ok().as_ref());
        assert_eq!(measurement.objectives.len(), problem.objectives());
        assert_eq!(measurement.constraints.len(), usize::from(problem.constraint(&[1.0; 6]).is_some()));
        assert!(problem.evaluate(&Problem::config(&[99.0]), &mut rng).measurement().is_none());
    }
}
