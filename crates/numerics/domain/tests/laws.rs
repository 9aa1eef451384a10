//! Laws of domains: snapping is a projection, neighbours differ by one move, counting agrees with brute force.

use std::collections::BTreeSet;

use proptest::prelude::*;
use thrifty_domain::{Domain, DomainError, FILLER, Points, Spacing, Variable, VariableKind};

fn bits(x: &[f64]) -> Vec<u64> {
    x.iter().map(|v| v.to_bits()).collect()
}

fn variable() -> impl Strategy<Value = Variable> {
    prop_oneof![
        (1_u64..5).prop_map(Variable::stepped),
        (1_usize..4).prop_map(Variable::one_hot),
        (1_usize..4).prop_map(Variable::level),
        (1_u64..5, 0.6..9.0_f64).prop_map(|(count, first)| {
            VariableKind::Stepped { count, spacing: Spacing::Log { first } }.into()
        }),
    ]
}

/// Up to four discrete variables, each active at one level of up to two earlier ones.
fn discrete() -> impl Strategy<Value = Domain> {
    let conditions = prop::collection::vec((any::<u64>(), any::<u64>()), 0..3);
    prop::collection::vec((variable(), conditions), 1..5).prop_map(|drawn| {
        let mut variables: Vec<Variable> = Vec::new();
        for (mut variable, conditions) in drawn {
            let earlier = variables.len() as u64;
            for (parent, level) in conditions.into_iter().filter(|_| earlier > 0) {
                let parent = (parent % earlier) as usize;
                let count = variables[parent].levels().expect("all are discrete");
                variable = variable.when(parent, vec![level % count]);
            }
            variables.push(variable);
        }
        Domain::new(variables).expect("levels and parents exist")
    })
}

/// All feasible points: every combination of levels, set in turn, duplicates removed.
fn brute_force(domain: &Domain) -> BTreeSet<Vec<u64>> {
    let mut points = vec![vec![0.0; domain.dim()]];
    points.iter_mut().for_each(|x| domain.snap(x));
    for (index, variable) in domain.variables().iter().enumerate() {
        let count = variable.levels().expect("all are discrete");
        points = points
            .iter()
            .flat_map(|x| {
                (0..count).map(move |level| {
                    let mut next = x.clone();
                    domain.set_level(index, level, &mut next);
                    next
                })
            })
            .collect();
    }
    points.iter().map(|x| bits(x)).collect()
}

proptest! {
    #[test]
    fn counting_and_enumeration_agree_with_brute_force(domain in discrete()) {
        let expected = brute_force(&domain);
        let count = expected.len() as u64;
        prop_assert_eq!(domain.cardinality(count), Some(count));
        prop_assert_eq!(domain.cardinality(u64::MAX), Some(count));
        prop_assert_eq!(domain.cardinality(count - 1), None);
        let points = domain.enumerate(count).expect("not above the limit");
        prop_assert_eq!(points.len(), expected.len(), "each point once");
        prop_assert_eq!(points.iter().map(|x| bits(x)).collect::<BTreeSet<_>>(), expected);
        prop_assert!(points.iter().all(|x| domain.is_feasible(x)));
        prop_assert!(domain.enumerate(count - 1).is_none());
    }

    #[test]
    fn snapping_is_a_projection_onto_feasible_points(domain in discrete(), u in prop::collection::vec(-0.5..1.5_f64, 20)) {
        let mut x: Vec<f64> = u.iter().cycle().take(domain.dim()).copied().collect();
        domain.snap(&mut x);
        prop_assert!(domain.is_feasible(&x));
        prop_assert!(brute_force(&domain).contains(&bits(&x)));
        let once = bits(&x);
        domain.snap(&mut x);
        prop_assert_eq!(bits(&x), once);
    }

    /// Neighbours of a point are the feasible points reached by changing one active variable.
    /// Quantiles are evenly spread over the levels of each category and ordered variable, whatever else there is; the point is feasible
    /// and that of a snap where each variable has one column.
    #[test]
    fn quantiles_reach_each_level_evenly(domain in discrete(), count in 1_usize..9, others in 0.0..1.0_f64) {
        for (index, variable) in domain.variables().iter().enumerate() {
            let levels = variable.levels().expect("all are discrete");
            let is_even = !matches!(variable.kind, VariableKind::Stepped { spacing: Spacing::Log { .. }, .. });
            let draws = levels * count as u64;
            let mut hit = vec![0; levels as usize];
            for i in 0..draws {
                let mut u = vec![others; domain.variables().len()];
                u[index] = (i as f64 + 0.5) / draws as f64;
                let x = domain.at_quantiles(&u);
                prop_assert!(domain.is_feasible(&x));
                if domain.is_active(index, &x) {
                    hit[domain.level(index, &x).expect("discrete") as usize] += 1;
                }
            }
            prop_assert!(!is_even || hit.iter().all(|h| *h == count || *h == 0), "{hit:?}");
            prop_assert!(hit.iter().sum::<usize>() == draws as usize || hit.iter().all(|h| *h == 0));
        }
        let cube = Domain::unit_cube(3);
        prop_assert_eq!(cube.at_quantiles(&[others, 0.5, 1.0]), vec![others, 0.5, 1.0]);
    }

    #[test]
    fn neighbors_are_one_move_away_and_mutual(domain in discrete(), u in prop::collection::vec(0.0..1.0_f64, 20)) {
        let mut x: Vec<f64> = u.iter().cycle().take(domain.dim()).copied().collect();
        domain.snap(&mut x);
        let neighbors = domain.neighbors(&x);
        let moves = |index: usize| {
            let level = domain.level(index, &x).expect("all are discrete");
            let count = domain.variables()[index].levels().expect("all are discrete");
            match domain.variables()[index].kind {
                _ if !domain.is_active(index, &x) => 0,
                VariableKind::Stepped { .. } => u64::from(level > 0) + u64::from(level + 1 < count),
                _ => count - 1,
            }
        };
        let expected: u64 = (0..domain.variables().len()).map(moves).sum();
        prop_assert_eq!(neighbors.len() as u64, expected);
        let distinct: BTreeSet<Vec<u64>> = neighbors.iter().map(|y| bits(y)).collect();
        prop_assert_eq!(distinct.len(), neighbors.len());
        for y in &neighbors {
            prop_assert!(domain.is_feasible(y) && *y != x);
            let changed = (0..domain.variables().len())
                .filter(|&i| domain.is_active(i, &x) && domain.is_active(i, y))
                .filter(|&i| domain.level(i, &x) != domain.level(i, y));
            prop_assert!(changed.count() <= 1);
        }
    }

    #[test]
    fn levels_sit_in_their_own_cells(count in 1_u64..40, first in 0.51..50.0_f64) {
        for spacing in [Spacing::Linear, Spacing::Log { first }] {
            let positions: Vec<f64> = (0..count).map(|k| spacing.position(k, count)).collect();
            prop_assert!(positions.iter().all(|u| (0.0..1.0).contains(u)));
            prop_assert!(positions.windows(2).all(|pair| pair[0] < pair[1]));
            for (k, u) in positions.iter().enumerate() {
                prop_assert_eq!(spacing.level(*u, count), k as u64);
            }
            prop_assert_eq!((spacing.level(-1.0, count), spacing.level(f64::NAN, count)), (0, 0));
            prop_assert_eq!(spacing.level(1.0, count), count - 1);
        }
    }
}

#[test]
fn quantiles_may_be_anything() {
    let variables = vec![Variable::one_hot(3), Variable::continuous().when(0, vec![2]), Variable::stepped(2)];
    let domain = Domain::new(variables).unwrap();
    let at = |u: [f64; 3]| domain.at_quantiles(&u);
    assert_eq!(at([f64::NAN; 3]), [1.0, 0.0, 0.0, FILLER, 0.0, 0.25]);
    assert_eq!(at([1.0, 2.0, f64::INFINITY]), [0.0, 0.0, 1.0, 1.0, 1.0, 0.75]);
    assert_eq!(at([-1.0, 0.5, 0.0]), [1.0, 0.0, 0.0, FILLER, 0.0, 0.25]);
    let pinned = domain.clone().pinned(&[0], &at([1.0, 0.3, 0.0]));
    assert_eq!(pinned.at_quantiles(&[0.0, 0.6, 0.9]), [0.0, 0.0, 1.0, 0.6, 1.0, 0.75]);
}

#[test]
fn linear_levels_sit_in_the_middle_of_equal_cells() {
    let positions: Vec<f64> = (0..4).map(|k| Spacing::Linear.position(k, 4)).collect();
    assert_eq!(positions, [0.125, 0.375, 0.625, 0.875]);
    // Levels 1, 2, 3: the axis runs from ln ½ to ln 3½.
    let log = Spacing::Log { first: 1.0 };
    assert!((log.position(1, 3) - 4_f64.ln() / 7_f64.ln()).abs() < 1e-15);
}

#[test]
fn the_unit_cube_has_one_continuous_column_per_dimension() {
    let cube = Domain::unit_cube(3);
    assert_eq!((cube.dim(), cube.columns(0), cube.columns(2)), (3, 0..1, 2..3));
    assert_eq!(cube.continuous_columns().collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(cube, Domain::new(vec![Variable::continuous(); 3]).expect("nothing to go wrong"));
    assert!(!cube.is_discrete() && cube.cardinality(u64::MAX).is_none() && cube.enumerate(9).is_none());
    let mut x = [-0.5, 0.3, f64::NAN];
    cube.snap(&mut x);
    assert_eq!(x, [0.0, 0.3, 0.0]);
    assert!(cube.is_feasible(&[0.0, 1.0, 0.5]) && !cube.is_feasible(&[0.0, 1.0]));
}

#[test]
fn inactive_variables_hold_the_filler_and_are_counted_once() {
    // Three levels; four of the second only at level 1; five of the third, always.
    let variables = vec![Variable::one_hot(3), Variable::stepped(4).when(0, vec![1]), Variable::stepped(5)];
    let domain = Domain::new(variables).expect("an earlier parent");
    assert_eq!((domain.dim(), domain.columns(1), domain.columns(2)), (6, 3..5, 5..6));
    assert_eq!(domain.cardinality(100), Some((2 + 4) * 5));
    let mut x = vec![1.0, 0.0, 0.0, 0.9, 1.0, 0.1];
    domain.snap(&mut x);
    assert_eq!(x, [1.0, 0.0, 0.0, FILLER, 0.0, 0.1]);
    domain.set_level(0, 1, &mut x);
    assert_eq!(x, [0.0, 1.0, 0.0, 0.625, 1.0, 0.1]);
    // Two other categories, two steps of the second, one of the third, which stands at its lowest level.
    assert_eq!(domain.neighbors(&x).len(), 2 + 2 + 1);
}

#[test]
fn largest_column_wins_and_the_first_of_equals() {
    let domain = Domain::new(vec![Variable::one_hot(3)]).expect("three categories");
    for (given, level) in
        [([0.1, 0.7, 0.3], 1), ([0.4, 0.4, 0.4], 0), ([f64::NAN, 0.0, 0.2], 2), ([0.0, 0.5, 0.5], 1)]
    {
        let mut x = given;
        domain.snap(&mut x);
        assert_eq!(domain.level(0, &x), Some(level), "{given:?}");
        assert_eq!(x.iter().sum::<f64>(), 1.0);
    }
}

#[test]
fn impossible_variables_are_named() {
    let error = |variables| Domain::new(variables).expect_err("impossible");
    assert_eq!(
        error(vec![Variable::continuous(), Variable::one_hot(0)]),
        DomainError::NoLevels { variable: 1 }
    );
    let half: Variable = VariableKind::Stepped { count: 2, spacing: Spacing::Log { first: 0.5 } }.into();
    assert_eq!(error(vec![half]), DomainError::InvalidLogGrid { variable: 0, first: 0.5 });
    let own_parent = vec![Variable::stepped(2).when(0, vec![0])];
    assert_eq!(error(own_parent), DomainError::InvalidParent { variable: 0, parent: 0 });
    let levels = vec![Variable::stepped(2), Variable::stepped(2).when(0, vec![2])];
    let expected = DomainError::InvalidLevels { variable: 1, parent: 0, levels: vec![2], count: 2 };
    assert_eq!(error(levels), expected);
}

#[test]
fn flat_coordinates_are_points_one_after_the_other() {
    let points = Points::from_flat(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2);
    assert_eq!((points.len(), points.dim()), (3, 2));
    assert_eq!(points.rows().collect::<Vec<_>>(), [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]);
}

/// Writing a level alone touches the columns of its variable, and makes them those of the level.
#[test]
fn levels_are_written_into_their_columns_alone() {
    let variables = vec![Variable::stepped(4), Variable::one_hot(3), Variable::stepped(5).when(1, vec![2])];
    let domain = Domain::new(variables).expect("an earlier parent");
    let mut x = vec![0.9, 0.3, 0.3, 0.3, 0.7, 0.2];
    domain.write_level(1, 2, &mut x);
    assert_eq!(x, [0.9, 0.0, 0.0, 1.0, 0.7, 0.2]);
    domain.write_level(0, 1, &mut x);
    assert_eq!(x, [0.375, 0.0, 0.0, 1.0, 0.7, 0.2]);
}

/// A pinned variable is fixed at the level nearest to where it was pinned, and nothing else is.
#[test]
fn pins_are_levels() {
    let variables = vec![Variable::continuous(), Variable::stepped(5), Variable::one_hot(3)];
    let domain = Domain::new(variables).unwrap();
    let pinned = domain.clone().pinned(&[1, 2], &[0.5, 0.35, 0.2, 0.9, 0.4]);
    assert!((0..3).map(|index| pinned.is_pinned(index)).eq([false, true, true]));
    for start in [[0.0; 5], [1.0; 5], [0.7, 0.9, 0.8, 0.1, 0.2]] {
        let mut x = start;
        pinned.snap(&mut x);
        assert_eq!(x, [start[0], 0.3, 0.0, 1.0, 0.0]);
        assert!(pinned.is_feasible(&x) && domain.is_feasible(&x));
    }
    assert!(!pinned.is_feasible(&[0.5, 0.5, 0.0, 1.0, 0.0]));
    assert_eq!(pinned.continuous_columns().collect::<Vec<_>>(), [0]);
    assert!(pinned.neighbors(&[0.5, 0.3, 0.0, 1.0, 0.0]).is_empty());
    // All at once: one point is left.
    let one = domain.pinned(&[0, 1, 2], &[0.5, 0.35, 0.2, 0.9, 0.4]);
    assert_eq!(one.enumerate(10), Some(vec![vec![0.5, 0.3, 0.0, 1.0, 0.0]]));
    assert_eq!((one.cardinality(10), one.is_discrete()), (Some(1), true));
}

/// Another pin of a variable replaces the first, whatever its kind. A variable that is inactive where it would be pinned stays free.
#[test]
fn the_last_pin_counts_and_inactive_variables_have_none() {
    let variables = vec![Variable::continuous(), Variable::stepped(2), Variable::one_hot(3).when(1, vec![1])];
    let domain = Domain::new(variables).unwrap();
    let first = [0.2, 0.75, 1.0, 0.0, 0.0, 1.0];
    let moved = domain.clone().pinned(&[0, 2], &first).pinned(&[0, 2], &[0.9, 0.75, 0.0, 0.0, 1.0, 1.0]);
    let mut x = first.to_vec();
    moved.snap(&mut x);
    assert_eq!(x, [0.9, 0.75, 0.0, 0.0, 1.0, 1.0]);
    let inactive = domain.clone().pinned(&[0, 2], &[0.2, 0.25, 0.0, 0.0, 1.0, 1.0]);
    assert!(inactive.is_pinned(0) && !inactive.is_pinned(2));
    let mut x = first.to_vec();
    inactive.snap(&mut x);
    assert!(x == first && domain.is_feasible(&x));
}

/// A domain of which one variable is continuous, wherever it stands: it is discrete once that one is fixed.
#[test]
fn one_continuous_variable_makes_a_domain_continuous() {
    for at in 0..3 {
        let mut variables = vec![Variable::stepped(3); 3];
        variables[at] = Variable::continuous();
        let domain = Domain::new(variables).expect("nothing to go wrong");
        assert!(!domain.is_discrete(), "variable {at} is continuous");
        assert!(domain.pinned(&[at], &[0.5; 3]).is_discrete(), "variable {at} is fixed");
    }
}

/// Pinned variables before, between and after others: what is left is counted and listed.
#[test]
fn what_is_beside_a_pinned_variable_is_counted() {
    let counts = [2, 3, 4];
    let domain = Domain::new(counts.map(Variable::stepped).to_vec()).expect("nothing to go wrong");
    for (pinned, expected) in [(vec![0], 12), (vec![1], 8), (vec![2], 6), (vec![0, 1], 4), (vec![1, 2], 2)] {
        let left = domain.clone().pinned(&pinned, &[0.4; 3]);
        assert_eq!(left.cardinality(100), Some(expected), "{pinned:?}");
        assert_eq!(left.enumerate(100).map(|points| points.len() as u64), Some(expected), "{pinned:?}");
    }
}

/// The first coordinate that is not finite, by its row and column.
#[test]
fn coordinates_that_are_not_finite_are_named() {
    let mut points = Points::from_flat(vec![0.0; 6], 2);
    assert_eq!(points.as_ref().require_finite(), Ok(()));
    points.as_flat_mut()[5] = f64::NEG_INFINITY;
    let error = DomainError::NonFinite { index: 2, column: 1, value: f64::NEG_INFINITY };
    assert_eq!(points.as_ref().require_finite(), Err(error));
    points.as_flat_mut()[2] = f64::INFINITY;
    let error = DomainError::NonFinite { index: 1, column: 0, value: f64::INFINITY };
    assert_eq!(points.as_ref().require_finite(), Err(error));
}

/// Two levels per variable, each active only while all variables before it are at level 1.
fn chain(count: usize) -> Domain {
    let variable = |index| (0..index).fold(Variable::stepped(2), |v, parent| v.when(parent, vec![1]));
    Domain::new((0..count).map(variable).collect()).expect("earlier parents")
}

/// Conditions on all variables before: the number of paths to the first one doubles with each variable, the time does not.
#[test]
fn many_paths_to_an_ancestor_are_no_more_work() {
    let domain = chain(40);
    let mut x = vec![1.0; domain.dim()];
    domain.snap(&mut x);
    assert!((0..40).all(|index| domain.is_active(index, &x)) && domain.is_feasible(&x));
    for last in [0, 20, 38] {
        let mut cut = x.clone();
        domain.set_level(last, 0, &mut cut);
        assert!((0..40).all(|index| domain.is_active(index, &cut) == (index <= last)), "{last}");
    }
    assert_eq!((domain.cardinality(41), domain.cardinality(40)), (Some(41), None));
    assert_eq!(domain.enumerate(41).map(|points| points.len()), Some(41));
}

/// Conditions of ancestors hold or not, whatever the activity columns say.
#[test]
fn activity_is_that_of_the_levels() {
    let variables = vec![
        Variable::stepped(2),
        Variable::stepped(2).when(0, vec![1]),
        Variable::continuous().when(1, vec![0, 1]),
    ];
    let domain = Domain::new(variables).expect("earlier parents");
    for (first, expected) in [(0.75, true), (0.25, false)] {
        for activity in [0.0, 1.0] {
            let x = [first, 0.25, activity, 0.3, activity];
            assert_eq!([1, 2].map(|index| domain.is_active(index, &x)), [expected; 2], "{first} {activity}");
        }
    }
}

/// Counting needs no more of the stack for more variables, whether they depend on each other or not.
#[test]
fn many_variables_are_counted() {
    let many = |variable: Variable| Domain::new(vec![variable; 30_000]).expect("no conditions");
    assert_eq!(many(Variable::stepped(4)).cardinality(1_000_000), None);
    assert_eq!(many(Variable::stepped(1)).cardinality(1), Some(1));
    let line = |index: usize| match index.checked_sub(1) {
        Some(parent) => Variable::stepped(2).when(parent, vec![1]),
        None => Variable::stepped(2),
    };
    let line = Domain::new((0..4_000).map(line).collect()).expect("earlier parents");
    assert_eq!((line.cardinality(4_001), line.cardinality(4_000)), (Some(4_001), None));
}
