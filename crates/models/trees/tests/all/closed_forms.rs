//! Trees small enough to be written down: where they split, how deep, from how many rows.

use thrifty_check::InputError;
use thrifty_sampling::Seed;
use thrifty_trees::{Boosting, BoostingSettings, Forest, ForestSettings, Table, TreesError};

/// Rows 0 to n - 1 of one feature, which is its own number.
fn ramp(n: usize) -> Table {
    Table::new((0..n).map(|i| i as f32).collect(), 1, 1000).unwrap()
}

fn one_tree(max_depth: usize, min_leaf: usize) -> BoostingSettings {
    BoostingSettings { rounds: 1, rate: 1.0, max_depth, min_leaf }
}

fn distinct(values: &[f64]) -> usize {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.dedup();
    sorted.len()
}

/// The number of trees and the nodes of the first, as the file has them.
fn nodes(model: &impl serde::Serialize) -> (usize, Vec<serde_json::Value>) {
    let file = serde_json::to_value(model).unwrap();
    let trees = file["trees"].as_array().unwrap();
    let first = trees.first().and_then(|tree| tree["nodes"].as_array()).cloned();
    (trees.len(), first.unwrap_or_default())
}

/// Forests for regression by default: Breiman (2001) and Hastie et al. (2009), section 15.3: m = p/3, leaves of five.
#[test]
fn default_forests_have_a_hundred_trees_a_third_of_the_features_and_leaves_of_five() {
    let expected = ForestSettings {
        trees: 100,
        features: None,
        min_leaf: 5,
        min_split: 2,
        min_decrease: 0.0,
        max_depth: None,
        sample: 1.0,
    };
    assert_eq!(ForestSettings::default(), expected);
}

#[test]
fn default_boosting_adds_a_tenth_of_150_trees_of_depth_4() {
    let expected = BoostingSettings { rounds: 150, rate: 0.1, max_depth: 4, min_leaf: 20 };
    assert_eq!(BoostingSettings::default(), expected);
}

/// The best split of a line is its middle: depth d halves 64 rows d times, and each leaf has the mean of its rows.
#[test]
fn a_line_is_halved_at_every_level() {
    let (table, y) = (ramp(64), (0..64).map(f64::from).collect::<Vec<_>>());
    let x: Vec<f32> = (0..64).map(|i| i as f32).collect();
    for depth in 0..=6 {
        let found = Boosting::fit(&table, &y, &one_tree(depth, 1)).unwrap().predict(&x).unwrap();
        let size = 64 >> depth;
        for (i, found) in found.iter().enumerate() {
            let mean = (i / size * size) as f64 + 0.5 * (size - 1) as f64;
            assert!((found - mean).abs() < 1e-5, "depth {depth}, row {i}: {found}, expected {mean}");
        }
    }
    // A tree of 15 nodes: 8 leaves.
    assert_eq!(nodes(&Boosting::fit(&table, &y, &one_tree(3, 1)).unwrap()).1.len(), 15);
}

#[test]
fn forests_are_as_deep_as_they_may_be() {
    let (table, y) = (ramp(400), (0..400).map(f64::from).collect::<Vec<_>>());
    let x: Vec<f32> = (0..400).map(|i| i as f32).collect();
    for (max_depth, leaves) in [(0, 1), (1, 2), (2, 4), (3, 8), (4, 16)] {
        let settings =
            ForestSettings { trees: 1, min_leaf: 1, max_depth: Some(max_depth), ..ForestSettings::default() };
        let forest = Forest::fit(&table, &y, &settings, Seed(2), 1).unwrap();
        assert_eq!(distinct(&forest.predict(&x).unwrap()), leaves);
        assert_eq!(nodes(&forest).1.len(), 2 * leaves - 1);
    }
}

/// Depth d halves a line, and nodes of fewer rows than asked are left whole.
#[test]
fn small_nodes_are_not_split() {
    let (table, y) = (ramp(64), (0..64).map(f64::from).collect::<Vec<_>>());
    let x: Vec<f32> = (0..64).map(|i| i as f32).collect();
    let mut before = usize::MAX;
    for min_split in [0, 2, 8, 32, 1000] {
        let settings = ForestSettings { trees: 1, min_leaf: 1, min_split, ..ForestSettings::default() };
        let forest = Forest::fit(&table, &y, &settings, Seed(2), 1).unwrap();
        let leaves = distinct(&forest.predict(&x).unwrap());
        assert!(leaves <= before && (min_split < 8 || leaves < before), "{min_split}: {leaves}");
        before = leaves;
        if min_split < 2 {
            let default = ForestSettings { trees: 1, min_leaf: 1, ..ForestSettings::default() };
            assert_eq!(forest, Forest::fit(&table, &y, &default, Seed(2), 1).unwrap());
        }
    }
    assert_eq!(before, 1);
}

/// Classes 0 and 1 that one split separates: the mean squared error falls by p (1 - p), the whole of it.
#[test]
fn splits_of_too_little_use_are_not_made() {
    let table = ramp(40);
    let y: Vec<f64> = (0..40).map(|i| f64::from(u8::from(i >= 10))).collect();
    let x: Vec<f32> = (0..40).map(|i| i as f32).collect();
    let leaves = |min_decrease| {
        let settings = ForestSettings { trees: 1, min_leaf: 1, min_decrease, ..ForestSettings::default() };
        Forest::fit(&table, &y, &settings, Seed(4), 1).unwrap()
    };
    let whole = leaves(1e9).predict(&x).unwrap();
    // What was drawn for the tree has this share of ones, and the split takes away all of the error.
    let share = whole[0];
    let fall = share * (1.0 - share);
    assert!(distinct(&whole) == 1 && fall > 0.05);
    assert_eq!(distinct(&leaves(fall * (1.0 - 1e-6)).predict(&x).unwrap()), 2);
    assert_eq!(distinct(&leaves(fall * (1.0 + 1e-6)).predict(&x).unwrap()), 1);
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        let settings = ForestSettings { min_decrease: bad, ..ForestSettings::default() };
        let error = Forest::fit(&table, &y, &settings, Seed(4), 1).unwrap_err().to_string();
        assert!(error.contains("least decrease"), "{error}");
    }
}

/// Seven zeros and one 100: the best leaf is the 100 alone, and else as few zeros with it as may be.
#[test]
fn leaves_hold_at_least_as_many_rows_as_asked() {
    let table = ramp(8);
    let mut y = vec![0.0; 8];
    y[7] = 100.0;
    let x: Vec<f32> = (0..8).map(|i| i as f32).collect();
    for (min_leaf, alone) in [(0, 1), (1, 1), (2, 2), (3, 3), (4, 4)] {
        let found = Boosting::fit(&table, &y, &one_tree(1, min_leaf)).unwrap().predict(&x).unwrap();
        for (i, found) in found.iter().enumerate() {
            let expected = if i < 8 - alone { 0.0 } else { 100.0 / alone as f64 };
            assert!((found - expected).abs() < 1e-5, "{min_leaf}: row {i} is {found}");
        }
    }
    // Two leaves of five need ten rows: no tree is left, and the mean.
    let boosting = Boosting::fit(&table, &y, &one_tree(1, 5)).unwrap();
    assert_eq!((nodes(&boosting).0, boosting.predict(&[3.0]).unwrap()), (0, vec![12.5]));
}

/// After r rounds at rate ν the share (1 - ν)^r of the deviations from the mean remains, for rows with two values.
#[test]
fn boosting_leaves_a_power_of_what_there_was() {
    let table = ramp(40);
    let y: Vec<f64> = (0..40).map(|i| if i < 10 { -1.0 } else { 3.0 }).collect();
    for (rounds, rate) in [(1, 0.5), (2, 0.5), (5, 0.1), (3, 0.9), (0, 0.5)] {
        let settings = BoostingSettings { rounds, rate, max_depth: 1, min_leaf: 1 };
        let boosting = Boosting::fit(&table, &y, &settings).unwrap();
        assert_eq!(nodes(&boosting).0, rounds);
        let found = boosting.predict(&[0.0, 39.0]).unwrap();
        let left = (1.0 - rate).powi(rounds as i32);
        for (found, truth) in found.iter().zip([-1.0, 3.0]) {
            assert!((found - (truth + left * (2.0 - truth))).abs() < 1e-5, "{rounds} {rate}: {found}");
        }
    }
}

/// Trees on a share s of n rows see round(s n) of them, at least one.
#[test]
fn trees_are_grown_on_the_share_of_rows_that_is_asked() {
    let (table, y) = (ramp(100), (0..100).map(f64::from).collect::<Vec<_>>());
    let x: Vec<f32> = (0..100).map(|i| i as f32).collect();
    for (sample, drawn) in [(0.001, 1), (0.01, 1), (0.02, 2), (0.025, 3), (0.034, 3), (0.05, 5)] {
        let sizes = (0..60).map(|seed| {
            let settings = ForestSettings { trees: 1, min_leaf: 1, sample, ..ForestSettings::default() };
            distinct(&Forest::fit(&table, &y, &settings, Seed(seed), 1).unwrap().predict(&x).unwrap())
        });
        // Rows may come twice, which of few of a hundred they seldom do.
        assert_eq!(sizes.max(), Some(drawn), "{sample}");
    }
}

/// A bootstrap sample has 1 - 1/e of the rows: 632 of 1000, with a standard deviation of 10.
#[test]
fn bootstrap_samples_repeat_rows() {
    let (table, y) = (ramp(1000), (0..1000).map(f64::from).collect::<Vec<_>>());
    let x: Vec<f32> = (0..1000).map(|i| i as f32).collect();
    let settings = ForestSettings { trees: 1, min_leaf: 1, ..ForestSettings::default() };
    let forest = Forest::fit(&table, &y, &settings, Seed(7), 1).unwrap();
    let found = distinct(&forest.predict(&x).unwrap());
    assert!((592..=672).contains(&found), "{found}");
}

/// Noise of so many features that none is better than another.
fn noise(columns: usize, seed: u64) -> (Table, Vec<f64>) {
    let mut rng = Seed(seed).stream("noise", 0);
    let x: Vec<f32> = (0..60 * columns).map(|_| rng.uniform() as f32).collect();
    let y: Vec<f64> = (0..60).map(|_| rng.uniform()).collect();
    (Table::new(x, columns, 256).unwrap(), y)
}

#[test]
fn a_third_of_the_features_is_tried_rounded_up() {
    for (columns, third) in [(1, 1), (3, 1), (4, 2), (6, 2), (7, 3)] {
        let (table, y) = noise(columns, columns as u64);
        let forest = |features| {
            let settings = ForestSettings { trees: 5, features, ..ForestSettings::default() };
            Forest::fit(&table, &y, &settings, Seed(1), 1).unwrap()
        };
        assert!(forest(None) == forest(Some(third)), "{columns}");
        assert!(columns == 1 || forest(None) != forest(Some(third + 1)), "{columns}");
        // None is one, and more than there are is all.
        assert!(forest(Some(0)) == forest(Some(1)) && forest(Some(99)) == forest(Some(columns)));
    }
}

/// One of three features that are alike: 200 of 600 roots each, with a standard deviation of 12.
#[test]
fn features_are_drawn_alike() {
    let (table, y) = noise(3, 5);
    let settings = ForestSettings {
        trees: 600,
        features: Some(1),
        min_leaf: 1,
        max_depth: Some(1),
        ..ForestSettings::default()
    };
    let forest = Forest::fit(&table, &y, &settings, Seed(4), 2).unwrap();
    let file = serde_json::to_value(&forest).unwrap();
    let mut counts = [0_u32; 3];
    for tree in file["trees"].as_array().unwrap() {
        counts[tree["nodes"][0]["feature"].as_u64().unwrap() as usize] += 1;
    }
    assert!(counts.iter().all(|count| (150..=250).contains(count)), "{counts:?}");
}

#[test]
fn features_that_do_not_split_give_way_to_others() {
    let x: Vec<f32> = (0..50).flat_map(|i| [1.0, 2.0, i as f32, 3.0]).collect();
    let y: Vec<f64> = (0..50).map(|i| if i < 20 { 0.0 } else { 1.0 }).collect();
    let table = Table::new(x, 4, 256).unwrap();
    let settings = ForestSettings { trees: 20, features: Some(1), ..ForestSettings::default() };
    let forest = Forest::fit(&table, &y, &settings, Seed(1), 1).unwrap();
    let file = serde_json::to_value(&forest).unwrap();
    for tree in file["trees"].as_array().unwrap() {
        assert_eq!(tree["nodes"][0]["feature"], 2);
    }
    let found = forest.predict(&[1.0, 2.0, 5.0, 3.0, 1.0, 2.0, 45.0, 3.0]).unwrap();
    assert!(found[0].abs() < 1e-12 && (found[1] - 1.0).abs() < 1e-12, "{found:?}");
}

/// Rows go down in blocks of sixteen and 256; alone they go the same way.
#[test]
fn a_row_is_predicted_alike_alone_and_among_others() {
    let mut rng = Seed(3).stream("rows", 0);
    let x: Vec<f32> = (0..2 * 531).map(|_| rng.uniform() as f32).collect();
    let y: Vec<f64> = x.chunks(2).map(|row| f64::from((7.0 * row[0]).sin() * row[1])).collect();
    let table = Table::new(x.clone(), 2, 64).unwrap();
    let settings = ForestSettings { trees: 9, min_leaf: 2, ..ForestSettings::default() };
    let forest = Forest::fit(&table, &y, &settings, Seed(1), 1).unwrap();
    let boosting = Boosting::fit(&table, &y, &BoostingSettings::default()).unwrap();
    let (by_forest, by_boosting) = (forest.predict(&x).unwrap(), boosting.predict(&x).unwrap());
    assert_eq!((by_forest.len(), by_boosting.len()), (531, 531));
    for (i, row) in x.chunks(2).enumerate() {
        assert_eq!(forest.predict(row).unwrap(), [by_forest[i]]);
        assert_eq!(boosting.predict(row).unwrap(), [by_boosting[i]]);
    }
    assert!(distinct(&by_forest) > 200);
}

/// A forest is the mean of its trees: in a file each can be read alone.
#[test]
fn a_forest_is_the_mean_of_its_trees() {
    let (table, y) = noise(2, 9);
    let settings = ForestSettings { trees: 4, min_leaf: 1, ..ForestSettings::default() };
    let forest = Forest::fit(&table, &y, &settings, Seed(1), 1).unwrap();
    let file = serde_json::to_value(&forest).unwrap();
    let at = [0.3, 0.8];
    let alone = |tree: &serde_json::Value| {
        let one = serde_json::json!({"bins": file["bins"], "trees": [tree]});
        serde_json::from_value::<Forest>(one).unwrap().predict(&at).unwrap()[0]
    };
    let each: Vec<f64> = file["trees"].as_array().unwrap().iter().map(alone).collect();
    assert!(distinct(&each) > 1);
    let mean = each.iter().sum::<f64>() / 4.0;
    assert!((forest.predict(&at).unwrap()[0] - mean).abs() < 1e-12);
}

#[test]
fn bins_are_two_to_65536() {
    let table = |bins| Table::new(vec![1.0, 2.0], 1, bins);
    for bins in [0, 1, 65537] {
        let error = table(bins).unwrap_err();
        assert_eq!(
            error,
            TreesError::Input(InputError::Number {
                name: "bins",
                value: bins as f64,
                expected: "2 to 65536"
            })
        );
    }
    assert!(table(2).is_ok() && table(65536).is_ok());
    assert_eq!((table(2).unwrap().rows(), table(2).unwrap().columns()), (2, 1));
}

/// Two numbers next to each other have no number between them: the border is the lower one.
#[test]
fn neighboring_numbers_are_told_apart() {
    let (a, b) = (1.0_f32, 1.0_f32.next_up());
    let table = Table::new(vec![a, b, b.next_up(), 2.0], 1, 256).unwrap();
    let found = Boosting::fit(&table, &[1.0, 2.0, 4.0, 8.0], &one_tree(3, 1)).unwrap();
    let found = found.predict(&[a, b, b.next_up(), 2.0]).unwrap();
    assert!(found.iter().zip([1.0, 2.0, 4.0, 8.0]).all(|(a, b)| (a - b).abs() < 1e-5), "{found:?}");
}

#[test]
fn settings_are_refused_beyond_their_bounds_and_taken_at_them() {
    let (table, y) = (ramp(10), vec![1.0; 10]);
    let boost = |rate| Boosting::fit(&table, &y, &BoostingSettings { rate, ..BoostingSettings::default() });
    for rate in [0.0, -0.5, 1.001, f64::NAN] {
        assert!(
            matches!(boost(rate), Err(TreesError::Input(InputError::Number { name: "rate", .. }))),
            "{rate}"
        );
    }
    assert!(boost(1.0).is_ok() && boost(1e-9).is_ok());
    let forest = |sample| {
        let settings = ForestSettings { sample, trees: 1, ..ForestSettings::default() };
        Forest::fit(&table, &y, &settings, Seed(0), 1)
    };
    for sample in [0.0, -0.5, 1.001, f64::NAN] {
        assert!(
            matches!(forest(sample), Err(TreesError::Input(InputError::Number { name: "sample", .. }))),
            "{sample}"
        );
    }
    assert!(forest(1.0).is_ok() && forest(1e-9).is_ok());
    let short = Boosting::fit(&table, &y[1..], &BoostingSettings::default()).unwrap_err();
    assert_eq!(short, TreesError::Input(InputError::Length { name: "targets", found: 9, expected: 10 }));
    let error = forest(1.0).unwrap();
    assert_eq!(error.predict(&[1.0]).unwrap(), [1.0]);
    let two = Table::new(vec![0.0; 4], 2, 4).unwrap();
    let boosting = Boosting::fit(&two, &[1.0, 1.0], &BoostingSettings::default()).unwrap();
    let error = TreesError::Input(InputError::Length { name: "features", found: 3, expected: 2 });
    assert_eq!(boosting.predict(&[0.0; 3]), Err(error));
    let none = Table::new(vec![0.0; 4], 0, 4).unwrap_err();
    assert_eq!(none, TreesError::Input(InputError::Length { name: "features", found: 4, expected: 1 }));
    let nan = Table::new(vec![0.0, 1.0, 2.0, 3.0, 4.0, f32::INFINITY], 3, 4).unwrap_err();
    assert_eq!(nan, TreesError::Feature { row: 1, column: 2, value: f32::INFINITY });
}
