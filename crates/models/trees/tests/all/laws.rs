//! Properties of trees: means of constants, exact splits, forests and boosting, files.

use proptest::prelude::*;
use thrifty_check::InputError;
use thrifty_sampling::Seed;
use thrifty_trees::{Boosting, BoostingSettings, Forest, ForestSettings, GroupedRows, Table, TreesError};

/// Rows of three features and a target that two of them explain.
fn data(rows: usize, seed: u64) -> (Vec<f32>, Vec<f64>) {
    let mut rng = Seed(seed).stream("data", 0);
    let x: Vec<f32> = (0..3 * rows).map(|_| rng.uniform() as f32).collect();
    let y = x.chunks_exact(3).map(|r| f64::from(r[0] * r[0] + if r[1] > 0.4 { 1.0 } else { 0.0 })).collect();
    (x, y)
}

fn error(found: &[f64], truth: &[f64]) -> f64 {
    let sum: f64 = found.iter().zip(truth).map(|(a, b)| (a - b).powi(2)).sum();
    (sum / truth.len() as f64).sqrt()
}

/// A single tree on all rows: a forest whose leaves are rows.
fn memory() -> ForestSettings {
    ForestSettings { trees: 1, features: Some(3), min_leaf: 1, ..ForestSettings::default() }
}

#[test]
fn forests_and_boosting_learn_what_is_there() {
    let ((x, y), (new, truth)) = (data(2000, 1), data(500, 2));
    let table = Table::new(x, 3, 256).unwrap();
    let forest = Forest::fit(&table, &y, &ForestSettings::default(), Seed(3), 1).unwrap();
    let boosting = Boosting::fit(&table, &y, &BoostingSettings::default()).unwrap();
    let of_forest = error(&forest.predict(&new).unwrap(), &truth);
    let of_boosting = error(&boosting.predict(&new).unwrap(), &truth);
    assert!(of_forest < 0.06 && of_boosting < 0.03, "{of_forest} {of_boosting}");
    // More trees average more.
    let few = Forest::fit(&table, &y, &ForestSettings { trees: 3, ..ForestSettings::default() }, Seed(3), 1)
        .unwrap();
    assert!(error(&few.predict(&new).unwrap(), &truth) > of_forest);
}

#[test]
fn threads_and_files_change_nothing() {
    let (x, y) = data(300, 4);
    let table = Table::new(x.clone(), 3, 64).unwrap();
    let settings = ForestSettings { trees: 7, ..ForestSettings::default() };
    let one = Forest::fit(&table, &y, &settings, Seed(5), 1).unwrap();
    assert!(one == Forest::fit(&table, &y, &settings, Seed(5), 3).unwrap());
    assert!(one != Forest::fit(&table, &y, &settings, Seed(6), 1).unwrap());
    let back: Forest = serde_json::from_str(&serde_json::to_string(&one).unwrap()).unwrap();
    assert!(one == back);
    let boosting = Boosting::fit(&table, &y, &BoostingSettings::default()).unwrap();
    let back: Boosting = serde_json::from_str(&serde_json::to_string(&boosting).unwrap()).unwrap();
    assert_eq!(boosting.predict(&x).unwrap(), back.predict(&x).unwrap());
    // Indices out of range are refused.
    let text =
        r#"{"bins":[[0.5]],"trees":[{"nodes":[{"code":0,"feature":0,"left":7}],"values":[1.0],"depth":1}]}"#;
    assert!(serde_json::from_str::<Forest>(text).unwrap_err().to_string().contains("node 0"));
    let endless =
        r#"{"bins":[[0.5]],"trees":[{"nodes":[{"code":0,"feature":0,"left":0}],"values":[1.0],"depth":1}]}"#;
    assert!(serde_json::from_str::<Forest>(endless).is_err());
}

#[test]
fn a_step_is_found_between_its_rows() {
    let x: Vec<f32> = (0..40).map(|i| i as f32).collect();
    let y: Vec<f64> = (0..40).map(|i| if i < 13 { -1.0 } else { 2.0 }).collect();
    let table = Table::new(x, 1, 256).unwrap();
    let settings = BoostingSettings { rounds: 1, rate: 1.0, max_depth: 1, min_leaf: 1 };
    let stump = Boosting::fit(&table, &y, &settings).unwrap();
    let found = stump.predict(&[-5.0, 12.4, 12.6, 99.0]).unwrap();
    for (found, truth) in found.iter().zip([-1.0, -1.0, 2.0, 2.0]) {
        assert!((found - truth).abs() < 1e-6, "{found}");
    }
}

/// Targets far from 0 are split as those around 0, and files keep what was taken off.
#[test]
fn an_offset_hides_no_split() {
    let x: Vec<f32> = (0..100).map(|i| i as f32).collect();
    let table = Table::new(x.clone(), 1, 256).unwrap();
    let predicted = |offset: f64| {
        let y: Vec<f64> = (0..100).map(|i| offset + f64::from(u8::from(i >= 50))).collect();
        let forest = Forest::fit(&table, &y, &ForestSettings::default(), Seed(1), 1).unwrap();
        let file = serde_json::to_string(&forest).unwrap();
        let read: Forest = serde_json::from_str(&file).unwrap();
        assert_eq!(read, forest);
        forest.predict(&x).unwrap().iter().map(|found| found - offset).collect::<Vec<f64>>()
    };
    let near = predicted(0.0);
    assert!(near[0] < 0.1 && near[99] > 0.9);
    for offset in [1e6, -1e9] {
        let far = predicted(offset);
        let worst = near.iter().zip(&far).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-6, "{offset}: {worst}");
    }
}

/// Two halves of which the upper is 2e6 higher: each is split as if it were alone.
#[test]
fn a_node_far_from_0_is_split() {
    let x: Vec<f32> = (0..100_u8).flat_map(|i| [f32::from(i / 50), f32::from(i % 50)]).collect();
    let table = Table::new(x.clone(), 2, 256).unwrap();
    let within = |i: usize| (i % 50) as f64 / 49.0;
    let y: Vec<f64> = (0..100).map(|i| if i < 50 { within(i) } else { 2e6 + within(i) }).collect();
    let settings = ForestSettings { features: Some(2), min_leaf: 1, ..ForestSettings::default() };
    let found = Forest::fit(&table, &y, &settings, Seed(1), 1).unwrap().predict(&x).unwrap();
    for half in [&found[..50], &found[50..]] {
        assert!(half[45] - half[4] > 0.5, "{} {}", half[4], half[45]);
    }
    // Leaves of single precision hold 2e6 to an eighth.
    assert!((0..100).all(|i| (found[i] - y[i]).abs() < 0.2));
}

#[test]
fn trees_count_their_features() {
    let columns = (1 << 16) + 1;
    let error = Table::new(vec![0.5; 2 * columns], columns, 16).unwrap_err();
    assert!(error.to_string().contains("columns is 65537"), "{error}");
    assert!(Table::new(vec![0.5; 2 * (columns - 1)], columns - 1, 16).is_ok());
}

#[test]
fn edges_and_bad_input() {
    let one = Table::new(vec![3.0], 1, 2).unwrap();
    let forest = Forest::fit(&one, &[7.0], &ForestSettings::default(), Seed(0), 4).unwrap();
    assert!(forest.predict(&[100.0, -100.0]).unwrap().iter().all(|y| (y - 7.0).abs() < 1e-12));
    assert_eq!(forest.predict(&[]).unwrap(), Vec::<f64>::new());
    let constant = Table::new(vec![1.0; 50], 1, 16).unwrap();
    let y: Vec<f64> = (0..50).map(f64::from).collect();
    let boosting = Boosting::fit(&constant, &y, &BoostingSettings::default()).unwrap();
    assert!((boosting.predict(&[1.0]).unwrap()[0] - 24.5).abs() < 1e-9);
    assert_eq!(
        Table::new(vec![1.0, f32::NAN], 2, 16).unwrap_err().to_string(),
        "feature 1 of row 0 is NaN, expected a finite number"
    );
    assert!(matches!(Table::new(vec![1.0; 3], 2, 16), Err(TreesError::Input(InputError::Length { .. }))));
    assert!(Table::new(vec![], 2, 16).is_err() && Table::new(vec![1.0], 1, 1).is_err());
    let settings = ForestSettings::default();
    assert!(Forest::fit(&one, &[1.0, 2.0], &settings, Seed(0), 1).is_err());
    let error = Forest::fit(&one, &[f64::INFINITY], &settings, Seed(0), 1).unwrap_err();
    assert_eq!(error.to_string(), "target 0 is inf, expected a finite number");
    // Leaves are of single precision: what they do not hold is refused, and what they hold is read back as it was.
    let two = Table::new(vec![1.0, 2.0], 1, 16).unwrap();
    let boosting = BoostingSettings { min_leaf: 1, ..BoostingSettings::default() };
    let forest_of = |y: &[f64]| Forest::fit(&two, y, &none_left(), Seed(0), 1).map_err(|e| e.to_string());
    let boosting_of = |y: &[f64]| Boosting::fit(&two, y, &boosting).map_err(|e| e.to_string());
    for far in [[1e39, -1e39], [0.0, 1e300], [f64::MAX, -f64::MAX]] {
        for message in [forest_of(&far).unwrap_err(), boosting_of(&far).unwrap_err()] {
            assert!(message.contains("within 1e37 of the base of the model"), "{far:?}: {message}");
        }
    }
    let near = [1e36, -1e36];
    let (forest_near, boosting_near) = (forest_of(&near).unwrap(), boosting_of(&near).unwrap());
    let text = serde_json::to_string(&(&forest_near, &boosting_near)).unwrap();
    let read: (Forest, Boosting) = serde_json::from_str(&text).unwrap();
    assert_eq!(read, (forest_near, boosting_near));
    assert!(read.1.predict(&[1.0]).unwrap()[0] > 0.9e36);
    let none = ForestSettings { trees: 0, ..settings };
    assert!(
        Forest::fit(&one, &[1.0], &none, Seed(0), 1)
            .unwrap_err()
            .to_string()
            .contains("number of trees is 0")
    );
    assert!(forest.predict(&[1.0, 2.0]).is_ok());
    let wide =
        Forest::fit(&Table::new(vec![1.0, 2.0], 2, 16).unwrap(), &[1.0], &none_left(), Seed(0), 1).unwrap();
    assert!(wide.predict(&[1.0, 2.0, 3.0]).is_err());
}

/// Invalid files give an error, not a division by zero or a panic later on.
#[test]
fn broken_files_are_refused() {
    let read = |json: &str| serde_json::from_str::<Forest>(json).map_err(|error| error.to_string());
    let leaf = r#"{"nodes": [{"code": 65535, "feature": 0, "left": 0}], "values": [1.0], "depth": 0}"#;
    let split = |depth: usize| {
        format!(
            r#"{{"nodes": [{{"code": 0, "feature": 0, "left": 1}}, {{"code": 65535, "feature": 0, "left": 1}},
            {{"code": 65535, "feature": 0, "left": 2}}], "values": [1.0, 0.0, 2.0], "depth": {depth}}}"#
        )
    };
    assert_eq!(
        read(&format!(r#"{{"bins": [[0.5]], "trees": [{leaf}]}}"#)).unwrap().predict(&[1.0]),
        Ok(vec![1.0])
    );
    assert!(read(&format!(r#"{{"bins": [[0.5]], "trees": [{}]}}"#, split(1))).is_ok());
    for (json, problem) in [
        (r#"{"bins": [], "trees": []}"#.to_owned(), "borders of feature 0"),
        (r#"{"bins": [[0.0], [1.0, 1.0]], "trees": []}"#.to_owned(), "borders of feature 1"),
        (r#"{"bins": [[2.0, 1.0]], "trees": []}"#.to_owned(), "borders of feature 0"),
        (format!(r#"{{"bins": [[0.5]], "trees": [{}]}}"#, split(0)), "node 1"),
    ] {
        let found = read(&json).unwrap_err();
        assert!(found.contains(problem), "{found} does not name {problem}");
    }
    let boosted = serde_json::from_str::<Boosting>(r#"{"bins": [], "base": 0.0, "rate": 0.1, "trees": []}"#);
    assert!(boosted.unwrap_err().to_string().contains("borders of feature 0"));
}

fn none_left() -> ForestSettings {
    ForestSettings { trees: 2, ..ForestSettings::default() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Predictions are means of targets: never beyond them, and shifted with them.
    #[test]
    fn predictions_stay_within_the_targets(rows in 1_usize..60, seed in 0_u64..500, bins in 2_usize..300, scale in -6..7_i32) {
        let (x, y) = data(rows, seed);
        let scale = 10_f64.powi(scale);
        let y: Vec<f64> = y.iter().map(|y| y * scale).collect();
        let (low, high) = y.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), y| (l.min(*y), h.max(*y)));
        let table = Table::new(x.clone(), 3, bins).unwrap();
        let forest = Forest::fit(&table, &y, &ForestSettings { trees: 5, ..memory() }, Seed(seed), 1).unwrap();
        for found in forest.predict(&x).unwrap() {
            prop_assert!(found >= low - 1e-6 * scale && found <= high + 1e-6 * scale, "{found} {low} {high}");
        }
    }

    /// Boosting at full rate reproduces every row, with one bin per value and leaves of one row.
    #[test]
    fn leaves_of_one_row_remember(rows in 2_usize..40, seed in 0_u64..500) {
        let (x, y) = data(rows, seed);
        let table = Table::new(x.clone(), 3, 1000).unwrap();
        let settings = BoostingSettings { rounds: 3, rate: 1.0, max_depth: 40, min_leaf: 1 };
        let found = Boosting::fit(&table, &y, &settings).unwrap().predict(&x).unwrap();
        prop_assert!(error(&found, &y) < 1e-5, "{}", error(&found, &y));
    }

    /// Groups predict what rows alone do, to the bit: groups of no row, of one, of more than fit a set, and more of them than do; features
    /// that are shared or vary, tie with those of the table, or are no numbers.
    #[test]
    fn rows_in_groups_predict_what_rows_alone_do(
        lengths in proptest::collection::vec(prop_oneof![0_usize..4, 8_usize..40, 120_usize..300], 1..5),
        many in 0_usize..140,
        shared in 0_usize..8,
        seed in 0_u64..1000,
        bins in prop_oneof![9 => 2_usize..300, 1 => Just(4000_usize)],
    ) {
        // More bins than sets are made of.
        let (x, y) = data(if bins == 4000 { 2500 } else { 600 }, seed);
        let table = Table::new(x.clone(), 3, bins).unwrap();
        let settings = ForestSettings { trees: 3, min_leaf: 1, ..ForestSettings::default() };
        let forest = Forest::fit(&table, &y, &settings, Seed(seed), 1).unwrap();
        let rounds = BoostingSettings { rounds: 5, ..BoostingSettings::default() };
        let boosting = Boosting::fit(&table, &y, &rounds).unwrap();
        let mut rng = Seed(seed).stream("groups", 0);
        let groups: Vec<usize> = lengths.into_iter().chain((0..many).map(|i| 3 + i % 9)).collect();
        let mut rows = GroupedRows::new(3);
        for count in &groups {
            rows.push(*count, &x[3 * rng.index(600)..][..3]).unwrap();
            let steps: Vec<f32> = (0..*count).map(|_| (50.0 * x[3 * rng.index(600)]).round() / 50.0).collect();
            // Bit by bit of `shared`: this feature is that of the group. The others rise or fall with the steps, or have an order of their own.
            for feature in (0..3).filter(|feature| shared >> feature & 1 == 0) {
                let (kind, by) = (rng.index(3), x[3 * rng.index(600)] - 0.5);
                let mut value = |step: &f32| match (rng.index(40), kind) {
                    (0, _) => f32::NAN,
                    (1, _) => f32::INFINITY,
                    (2, _) => f32::NEG_INFINITY,
                    (_, 0) => x[3 * rng.index(600) + feature],
                    _ => 0.5 + by * step,
                };
                let values: Vec<f32> = if kind == 2 {
                    steps.iter().map(|step| 0.5 + by * step).collect()
                } else {
                    steps.iter().map(&mut value).collect()
                };
                rows.vary(feature, values).unwrap();
            }
        }
        let alone = rows.row_major();
        let bits = |values: Vec<f64>| values.into_iter().map(f64::to_bits).collect::<Vec<_>>();
        prop_assert_eq!(
            bits(forest.predict_groups(&rows).unwrap()),
            bits(forest.predict(&alone).unwrap())
        );
        prop_assert_eq!(
            bits(boosting.predict_groups(&rows).unwrap()),
            bits(boosting.predict(&alone).unwrap())
        );
    }
}

/// Rows are refused with the number that is wrong, and what was there before stays.
#[test]
fn grouped_rows_name_what_does_not_fit() {
    let mut rows = GroupedRows::new(2);
    let message = |result: Result<(), TreesError>| result.unwrap_err().to_string();
    assert_eq!(message(rows.vary(0, [1.0])), "no groups, expected at least one");
    assert_eq!(message(rows.push(3, &[1.0])), "1 features, expected 2");
    rows.push(2, &[1.0, 2.0]).unwrap();
    assert_eq!(message(rows.vary(2, [1.0, 2.0])), "feature is 2, expected less than the number of features");
    assert_eq!(message(rows.vary(0, [1.0, 2.0, 3.0])), "3 values of a feature, expected 2");
    assert_eq!(rows.row_major(), [1.0, 2.0, 1.0, 2.0]);
    rows.vary(0, [5.0, 6.0]).unwrap();
    rows.vary(0, [7.0, 8.0]).unwrap();
    rows.push(0, &[9.0, 9.0]).unwrap();
    assert_eq!((rows.row_major(), rows.len(), rows.groups()), (vec![7.0, 2.0, 8.0, 2.0], 2, 2));

    let (x, y) = data(50, 1);
    let forest =
        Forest::fit(&Table::new(x, 3, 16).unwrap(), &y, &ForestSettings::default(), Seed(1), 1).unwrap();
    assert_eq!(forest.predict_groups(&GroupedRows::new(3)), Ok(vec![]));
    assert_eq!(forest.predict_groups(&rows).unwrap_err().to_string(), "2 features, expected 3");
}
