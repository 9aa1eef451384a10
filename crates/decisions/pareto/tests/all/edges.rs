//! Edge cases: sets that are empty, ties, points outside the reference box, values that are not numbers.

use thrifty_domain::Points;
use thrifty_pareto::{
    Duplicates, ExpectedHypervolumeImprovement, Hypervolume, NonDominatedBoxes, ParetoError, ReferencePoint,
    crowding_distance, hypervolume, igd, non_dominated, non_dominated_ranks,
};
use thrifty_sampling::Seed;

#[test]
fn nothing_dominates_nothing() {
    let none = Points::new(3);
    assert!(non_dominated(none.as_ref(), Duplicates::Keep).unwrap().is_empty());
    assert!(non_dominated_ranks(none.as_ref()).unwrap().is_empty());
    assert!(crowding_distance(none.as_ref()).unwrap().is_empty());
    // A list that never had a row has no number of objectives; that is no mismatch.
    for empty in [none, Points::default()] {
        assert_eq!(hypervolume(empty.as_ref(), &[1.0; 3]).unwrap(), 0.0);
        assert_eq!(NonDominatedBoxes::new(empty.as_ref(), &[1.0; 3]).unwrap().len(), 1);
        let volume = Hypervolume::new(&[1.0; 3]).unwrap();
        assert_eq!(volume.approximate(empty.as_ref(), 10, Seed(0)).unwrap().value, 0.0);
        assert!(matches!(ReferencePoint::inferred(empty.as_ref()), Err(ParetoError::Empty { .. })));
        assert!(matches!(igd(empty.as_ref(), empty.as_ref()), Err(ParetoError::Empty { .. })));
    }
    assert!(matches!(Hypervolume::new(&[]), Err(ParetoError::Empty { .. })));
}

#[test]
fn what_is_not_a_number_is_named() {
    let bad = Points::from_flat(vec![0.0, 1.0, 2.0, f64::NAN], 2);
    let named = |error: ParetoError| {
        assert!(matches!(error, ParetoError::NonFinite { index: 1, objective: 1, value } if value.is_nan()));
        assert_eq!(error.to_string(), "objective 1 of point 1 is NaN, expected a finite number");
    };
    named(non_dominated(bad.as_ref(), Duplicates::Keep).unwrap_err());
    named(non_dominated_ranks(bad.as_ref()).unwrap_err());
    named(crowding_distance(bad.as_ref()).unwrap_err());
    named(hypervolume(bad.as_ref(), &[3.0, 3.0]).unwrap_err());
    named(NonDominatedBoxes::new(bad.as_ref(), &[3.0, 3.0]).unwrap_err());
    named(ReferencePoint::inferred(bad.as_ref()).unwrap_err());
    let infinite = ParetoError::NonFiniteReference { objective: 1, value: f64::INFINITY };
    assert_eq!(Hypervolume::new(&[1.0, f64::INFINITY]).unwrap_err(), infinite);
    let two = Points::from_flat(vec![0.0, 1.0], 2);
    assert!(matches!(
        hypervolume(two.as_ref(), &[1.0; 3]),
        Err(ParetoError::ObjectiveMismatch { found: 2, .. })
    ));
}

#[test]
fn minus_zero_is_zero() {
    let points = Points::from_flat(vec![-0.0, 5.0, 0.0, 3.0, 0.0, 5.0], 2);
    assert_eq!(non_dominated_ranks(points.as_ref()).unwrap(), [1, 0, 1]);
    assert_eq!(non_dominated(points.as_ref(), Duplicates::Keep).unwrap(), [1]);
}

#[test]
fn a_reference_inside_the_front_counts_what_is_below_it() {
    let front = Points::from_flat(vec![0.0, 2.0, 1.0, 1.0, 2.0, 0.0], 2);
    assert_eq!(hypervolume(front.as_ref(), &[1.5, 1.5]).unwrap(), 0.25);
    assert_eq!(hypervolume(front.as_ref(), &[0.5, 0.5]).unwrap(), 0.0);
    let boxes = NonDominatedBoxes::new(front.as_ref(), &[0.5, 0.5]).unwrap();
    assert_eq!((boxes.len(), boxes.improvement(&[0.0, 0.0]).unwrap()), (1, 0.25));
}

#[test]
fn hundreds_of_duplicates() {
    for m in 1..=6 {
        let row: Vec<f64> = (0..m).map(|j| 0.25 + 0.125 * f64::from(j)).collect();
        let piled = Points::from_rows(&vec![row.clone(); 500]).unwrap();
        let single = Points::from_rows(&[row]).unwrap();
        let reference = vec![1.0; single.dim()];
        let volume = Hypervolume::new(&reference).unwrap();
        assert_eq!(volume.exact(piled.as_ref()).unwrap(), volume.exact(single.as_ref()).unwrap());
        assert_eq!(volume.contributions(piled.as_ref()).unwrap(), [0.0; 500]);
        assert_eq!(non_dominated_ranks(piled.as_ref()).unwrap(), [0; 500]);
        assert_eq!(non_dominated(piled.as_ref(), Duplicates::First).unwrap(), [0]);
        let boxes = |set: &Points| NonDominatedBoxes::new(set.as_ref(), &reference).unwrap();
        assert_eq!(boxes(&piled), boxes(&single));
        assert_eq!(crowding_distance(piled.as_ref()).unwrap(), [0.0; 500]);
    }
}

#[test]
fn too_much_work_is_refused() {
    let mut stream = Seed(0).stream("test", 0);
    let points = Points::from_flat((0..600).map(|_| stream.uniform()).collect(), 6);
    let volume = Hypervolume::new(&[1.0; 6]).unwrap();
    let strict = volume.clone().with_limit(1000);
    assert!(matches!(
        strict.exact(points.as_ref()),
        Err(ParetoError::TooMuchWork { points: 100, objectives: 6, limit: 1000, .. })
    ));
    assert!(strict.contributions(points.as_ref()).is_err());
    assert!(matches!(
        NonDominatedBoxes::with_limit(points.as_ref(), &[1.0; 6], 1000),
        Err(ParetoError::TooMuchWork { objectives: 6, limit: 1000, .. })
    ));
    let near = strict.approximate(points.as_ref(), 100_000, Seed(1)).unwrap();
    assert!((near.value - volume.exact(points.as_ref()).unwrap()).abs() < 5.0 * near.standard_error);
    assert_eq!(near, strict.approximate(points.as_ref(), 100_000, Seed(1)).unwrap());
}

#[test]
fn estimates_grow_and_long_staircases_are_no_trouble() {
    let volume = Hypervolume::new(&[1.0; 7]).unwrap();
    assert!(
        volume.estimated_steps(100) > 1e6 && volume.estimated_steps(200) > 4.0 * volume.estimated_steps(100)
    );
    assert_eq!(Hypervolume::new(&[1.0; 4]).unwrap().estimated_steps(1000), 0.0);
    // 1.5e5 · 2.9^(m - 5) · (n/100)^(2.2 + 0.16 (m - 5)).
    let steps =
        |objectives: usize, points| Hypervolume::new(&vec![1.0; objectives]).unwrap().estimated_steps(points);
    for (objectives, points, expected) in
        [(5, 100, 1.5e5), (7, 100, 1.5e5 * 2.9 * 2.9), (6, 1000, 1.5e5 * 2.9 * 10_f64.powf(2.36))]
    {
        assert!((steps(objectives, points) / expected - 1.0).abs() < 1e-12, "{objectives} {points}");
    }
    // On a line in two objectives and all alike in the third: the volume is that of the plane.
    let n = 20_000;
    let rows = (0..n).flat_map(|i| [f64::from(i), f64::from(n - 1 - i), 0.0]);
    let line = Points::from_flat(rows.collect(), 3);
    let top = f64::from(n);
    assert_eq!(hypervolume(line.as_ref(), &[top, top, 1.0]).unwrap(), 0.5 * top * (top + 1.0));
}

#[test]
fn references_without_range() {
    let inferred = |flat: Vec<f64>| {
        ReferencePoint::inferred(Points::from_flat(flat, 2).as_ref()).unwrap().values().to_vec()
    };
    assert_eq!(inferred(vec![-10.0, 0.0]), [-9.0, 0.1]);
    assert_eq!(inferred(vec![0.0, 7.0, 1.0, 5.0, 3.0, 9.0]), [1.1, 7.2]);
    // A range that is rounding.
    let nearly = inferred(vec![5.0, 0.3, 1.0, 0.1 + 0.2]);
    assert!(nearly[0] == 5.4 && (nearly[1] - 0.33).abs() < 1e-12, "{nearly:?}");
    let text = r#"{"values":[1.0,2.0],"origin":"explicit"}"#;
    let explicit = ReferencePoint::explicit(vec![1.0, 2.0]).unwrap();
    assert_eq!(serde_json::to_string(&explicit).unwrap(), text);
    assert_eq!(serde_json::from_str::<ReferencePoint>(text).unwrap(), explicit);
    assert!(serde_json::from_str::<ReferencePoint>(r#"{"values":[],"origin":"explicit"}"#).is_err());
    assert_eq!(ReferencePoint::restored(vec![1.0, 2.0], explicit.origin()), Ok(explicit.clone()));
    let infinite = ParetoError::NonFiniteReference { objective: 0, value: f64::INFINITY };
    assert_eq!(ReferencePoint::restored(vec![f64::INFINITY], explicit.origin()), Err(infinite));
}

#[test]
fn beliefs_without_variance_are_points() {
    let front = Points::from_flat(vec![0.0, 2.0, 1.0, 1.0, 2.0, 0.0], 2);
    let ehvi = ExpectedHypervolumeImprovement::new(front.as_ref(), &[3.0, 3.0]).unwrap();
    let boxes = NonDominatedBoxes::new(front.as_ref(), &[3.0, 3.0]).unwrap();
    let (mut by_mean, mut by_std_dev) = ([7.0; 2], [7.0; 2]);
    for mean in [[0.5, 0.75], [-1.0, -1.0], [1.0, 0.5], [2.5, 2.5], [9.0, 0.0]] {
        let value = ehvi.value_with_grad(&mean, &[0.0; 2], &mut by_mean, &mut by_std_dev).unwrap();
        assert!((value - boxes.improvement(&mean).unwrap()).abs() < 1e-15);
        assert_eq!(ehvi.log_value(&mean, &[0.0; 2]).unwrap().exp().max(0.0) > 0.0, value > 0.0);
    }
    assert_eq!(ehvi.log_value(&[2.5, 2.5], &[0.0; 2]).unwrap(), f64::NEG_INFINITY);
    // From (0.5, 0.75) a step left wins 0.25, a step down 0.5; up to (1, 1) and (2, 1) and so on.
    ehvi.value_with_grad(&[0.5, 0.75], &[0.0; 2], &mut by_mean, &mut by_std_dev).unwrap();
    assert!((by_mean[0] + 1.25).abs() < 1e-15 && (by_mean[1] + 1.5).abs() < 1e-15, "{by_mean:?}");
    assert_eq!(by_std_dev, [0.0; 2]);
    // One objective without variance, one with.
    assert!(ehvi.log_value(&[0.5, 90.0], &[0.0, 0.1]).unwrap().is_finite());
}

#[test]
fn beliefs_that_make_no_sense_are_named() {
    let ehvi = ExpectedHypervolumeImprovement::new(Points::new(2).as_ref(), &[1.0, 1.0]).unwrap();
    let error = ehvi.value(&[0.0, 0.0], &[0.1, -0.1]).unwrap_err();
    assert_eq!(error, ParetoError::InvalidBelief { objective: 1, mean: 0.0, std_dev: -0.1 });
    assert!(ehvi.value(&[f64::NAN, 0.0], &[0.1, 0.1]).is_err());
    assert!(ehvi.value(&[0.0], &[0.1, 0.1]).is_err());
}

/// The fewest steps with which a volume is found: those of its recursion are counted.
#[test]
fn steps_are_counted_and_limited() {
    let mut rng = Seed(2).stream("points", 0);
    for (m, count, expected) in STEPS {
        let x = Points::from_flat((0..m * count).map(|_| rng.uniform()).collect(), m);
        let found = |limit: u64| Hypervolume::new(&vec![1.0; m]).unwrap().with_limit(limit).exact(x.as_ref());
        let fewest = (0..100_000).find(|limit| found(*limit).is_ok()).expect("a limit that is enough");
        assert_eq!(fewest, expected, "{count} points of {m} objectives");
        assert_eq!(found(fewest), found(u64::MAX));
    }
}

/// Objectives, points and the fewest steps, recorded.
const STEPS: [(usize, usize, u64); 4] = [(4, 6, 0), (5, 4, 60), (5, 9, 245), (6, 8, 298)];

#[test]
fn indicators_name_what_is_not_a_number() {
    let (good, bad) = (Points::from_flat(vec![0.1, 0.2], 2), Points::from_flat(vec![0.1, f64::NAN], 2));
    for indicator in [igd, thrifty_pareto::igd_plus, thrifty_pareto::additive_epsilon] {
        assert!(indicator(good.as_ref(), good.as_ref()).is_ok());
        assert!(matches!(indicator(bad.as_ref(), good.as_ref()), Err(ParetoError::NonFinite { .. })));
        assert!(matches!(indicator(good.as_ref(), bad.as_ref()), Err(ParetoError::NonFinite { .. })));
    }
}

/// Invalid input is named by every way to a value.
#[test]
fn logarithms_of_beliefs_that_make_no_sense_are_refused() {
    let ehvi = ExpectedHypervolumeImprovement::new(Points::new(2).as_ref(), &[1.0, 1.0]).unwrap();
    for (mean, std_dev) in [
        (&[f64::NAN, 0.0][..], &[0.1, 0.1][..]),
        (&[0.0, 0.0], &[0.1, -0.1]),
        (&[0.0, 0.0], &[f64::INFINITY, 0.1]),
        (&[0.0], &[0.1, 0.1]),
        (&[0.0, 0.0], &[0.1]),
    ] {
        let error = ehvi.value(mean, std_dev).unwrap_err();
        assert_eq!(ehvi.log_value(mean, std_dev).unwrap_err().to_string(), error.to_string());
        let mut slopes = ([0.0; 2], [0.0; 2]);
        let found = ehvi.log_value_with_grad(mean, std_dev, &mut slopes.0, &mut slopes.1);
        assert_eq!(found.unwrap_err().to_string(), error.to_string());
    }
}

/// Gaps are relative to their range, however small that is beside 1.
#[test]
fn crowding_does_not_depend_on_the_unit() {
    let front = [[0.0, 4.0], [1.0, 2.5], [1.5, 2.0], [4.0, 0.0]];
    let of = |unit: f64| {
        let flat: Vec<f64> = front.iter().flatten().map(|v| v * unit).collect();
        crowding_distance(Points::from_flat(flat, 2).as_ref()).unwrap()
    };
    for unit in [1e-20, 1e-300, 1e-3, 1e20] {
        for (a, b) in of(unit).iter().zip(of(1.0)) {
            assert!(*a == b || (a - b).abs() < 1e-12, "{unit}: {:?}", of(unit));
        }
    }
}

/// Boxes of fronts in space whose points share objectives: none is empty, and there are at most two a point and one more.
#[test]
fn boxes_of_ties_are_not_empty() {
    let fronts = [
        vec![[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]],
        vec![[0.0, 2.0, 1.0], [1.0, 1.0, 1.0], [2.0, 0.0, 1.0], [2.0, 2.0, 0.0]],
        vec![[0.0, 1.0, 2.0], [0.0, 2.0, 1.0], [1.0, 0.0, 2.0], [2.0, 0.0, 1.0]],
    ];
    for front in fronts {
        let boxes = NonDominatedBoxes::new(Points::from_rows(&front).unwrap().as_ref(), &[3.0; 3]).unwrap();
        assert!(boxes.len() <= 2 * front.len() + 1, "{} boxes of {front:?}", boxes.len());
        for (lower, upper) in boxes.rows() {
            assert!(lower.iter().zip(upper).all(|(l, u)| l < u), "{lower:?} to {upper:?} of {front:?}");
        }
    }
}
