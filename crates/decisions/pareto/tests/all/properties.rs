//! Laws of dominance, of volumes, and of boxes; on small integer grids, where ties are many and sums exact.

use proptest::prelude::*;
use thrifty_domain::Points;
use thrifty_pareto::{
    Duplicates, Hypervolume, LocalUpperBounds, NonDominatedBoxes, additive_epsilon, crowding_distance,
    dominates, hypervolume, igd_plus, non_dominated, non_dominated_ranks, weakly_dominates,
};
use thrifty_sampling::Seed;

const TOP: f64 = 5.0;

/// Up to 12 points with coordinates 0 to 6 and the reference point 5: some are outside.
fn sets(objectives: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Points> {
    objectives.prop_flat_map(|m| (Just(m), proptest::collection::vec(0..=6_u8, 0..12 * m))).prop_map(
        |(m, mut flat)| {
            flat.truncate(flat.len() / m * m);
            Points::from_flat(flat.into_iter().map(f64::from).collect(), m)
        },
    )
}

fn volume(points: &Points) -> f64 {
    hypervolume(points.as_ref(), &vec![TOP; points.dim()]).expect("a volume")
}

fn without(points: &Points, index: usize) -> Points {
    let mut rest = Points::new(points.dim());
    points.rows().enumerate().filter(|(at, _)| *at != index).for_each(|(_, row)| rest.push(row));
    rest
}

fn with(points: &Points, point: &[f64]) -> Points {
    let mut more = points.clone();
    more.push(point);
    more
}

/// Σ over subsets of (-1)^(size + 1) times the volume of the intersection of their boxes.
fn inclusion_exclusion(points: &Points) -> f64 {
    let rows: Vec<&[f64]> = points.rows().collect();
    let mut total = 0.0;
    for subset in 1..1_u32 << rows.len() {
        let mut corner = vec![f64::NEG_INFINITY; points.dim()];
        for row in rows.iter().enumerate().filter(|(i, _)| subset >> i & 1 == 1).map(|(_, row)| row) {
            corner.iter_mut().zip(*row).for_each(|(c, x)| *c = c.max(*x));
        }
        let content: f64 = corner.iter().map(|c| (TOP - c).max(0.0)).product();
        total += if subset.count_ones() % 2 == 1 { content } else { -content };
    }
    total
}

/// The midpoints of all cells of the grid inside the reference box and one cell below it.
fn cells(m: usize) -> impl Iterator<Item = Vec<f64>> {
    let side = TOP as usize + 1;
    (0..side.pow(m as u32))
        .map(move |cell| (0..m as u32).map(|j| (cell / side.pow(j) % side) as f64 - 0.5).collect())
}

proptest! {
    #[test]
    fn volumes_are_those_of_inclusion_and_exclusion(points in sets(1..=4)) {
        prop_assert_eq!(volume(&points), inclusion_exclusion(&points));
    }

    #[test]
    fn volumes_of_many_objectives_too(points in sets(5..=7)) {
        prop_assume!(points.len() <= 9);
        prop_assert_eq!(volume(&points), inclusion_exclusion(&points));
    }

    #[test]
    fn order_and_duplicates_do_not_matter(points in sets(1..=6), seed in 0..1000_u64) {
        let mut order: Vec<usize> = (0..points.len()).chain(0..points.len()).collect();
        Seed(seed).stream("order", 0).shuffle(&mut order);
        let mut twice = Points::new(points.dim());
        order.iter().for_each(|&i| twice.push(points.row(i)));
        prop_assert_eq!(volume(&twice), volume(&points));
    }

    #[test]
    fn more_points_are_never_less(points in sets(1..=6), index in 0..12_usize) {
        prop_assume!(!points.is_empty());
        let index = index % points.len();
        let rest = without(&points, index);
        let (all, less) = (volume(&points), volume(&rest));
        prop_assert!(all >= less);
        if rest.rows().any(|other| weakly_dominates(other, points.row(index))) {
            prop_assert_eq!(all, less);
        }
    }

    #[test]
    fn contributions_are_differences(points in sets(1..=6)) {
        let found = Hypervolume::new(&vec![TOP; points.dim()]).unwrap().contributions(points.as_ref()).unwrap();
        for (index, found) in found.into_iter().enumerate() {
            prop_assert_eq!(found, volume(&points) - volume(&without(&points, index)));
        }
    }

    #[test]
    fn samples_agree_within_six_errors(points in sets(2..=6), seed in 0..1000_u64) {
        let near = Hypervolume::new(&vec![TOP; points.dim()]).unwrap().approximate(points.as_ref(), 2000, Seed(seed)).unwrap();
        prop_assert!((near.value - volume(&points)).abs() <= 6.0 * near.standard_error + 1e-12);
    }

    #[test]
    fn ranks_peel_off_fronts(points in sets(1..=5)) {
        let ranks = non_dominated_ranks(points.as_ref()).unwrap();
        for (i, row) in points.rows().enumerate() {
            let best = (0..points.len()).filter(|&j| dominates(points.row(j), row)).map(|j| ranks[j] + 1).max();
            prop_assert_eq!(ranks[i], best.unwrap_or(0));
        }
        let front: Vec<usize> = (0..points.len()).filter(|&i| ranks[i] == 0).collect();
        prop_assert_eq!(&non_dominated(points.as_ref(), Duplicates::Keep).unwrap(), &front);
        let first = |&i: &usize| (0..i).all(|j| points.row(j) != points.row(i));
        let front: Vec<usize> = front.into_iter().filter(first).collect();
        prop_assert_eq!(non_dominated(points.as_ref(), Duplicates::First).unwrap(), front);
    }

    #[test]
    fn boxes_are_disjoint_and_cover_what_is_not_dominated(points in sets(1..=4), split in 0..12_usize) {
        let reference = vec![TOP; points.dim()];
        let whole = NonDominatedBoxes::new(points.as_ref(), &reference).unwrap();
        // The same by insertion of the points after the first ones.
        let split = split.min(points.len());
        let mut parts = NonDominatedBoxes::new(points.as_ref().slice(0, split), &reference).unwrap();
        points.as_ref().slice(split, points.len()).rows().for_each(|row| parts.insert(row).unwrap());
        let mut bounds = LocalUpperBounds::new(&reference).unwrap();
        points.rows().for_each(|row| bounds.insert(row).unwrap());
        for cell in cells(points.dim()) {
            let open = usize::from(!points.rows().any(|row| weakly_dominates(row, &cell)));
            for boxes in [&whole, &parts] {
                let inside = |(low, high): &(&[f64], &[f64])| weakly_dominates(low, &cell) && weakly_dominates(&cell, high);
                prop_assert_eq!(boxes.rows().filter(inside).count(), open);
            }
            prop_assert_eq!(usize::from(bounds.rows().any(|bound| weakly_dominates(&cell, bound))), open);
        }
    }

    #[test]
    fn boxes_are_few(points in sets(1..=3)) {
        let boxes = NonDominatedBoxes::new(points.as_ref(), &vec![TOP; points.dim()]).unwrap();
        let most = points.len() * (points.dim() - 1).max(1) + 1;
        prop_assert!(boxes.len() <= most, "{} boxes of {} points", boxes.len(), points.len());
    }

    #[test]
    fn improvements_are_differences(points in sets(1..=7), point in proptest::collection::vec(-1..=6_i8, 7)) {
        let point: Vec<f64> = point[..points.dim()].iter().map(|x| f64::from(*x)).collect();
        let boxes = NonDominatedBoxes::new(points.as_ref(), &vec![TOP; points.dim()]).unwrap();
        prop_assert_eq!(boxes.improvement(&point).unwrap(), volume(&with(&points, &point)) - volume(&points));
    }

    #[test]
    fn indicators_prefer_what_dominates(both in sets(1..=4)) {
        prop_assume!(both.len() >= 2);
        let half = both.len() / 2;
        let points = both.as_ref().slice(0, half).to_owned();
        let target = both.as_ref().slice(half, both.len()).to_owned();
        let mut worse = points.clone();
        worse.as_flat_mut().iter_mut().for_each(|x| *x += 1.0);
        let epsilon = |set: &Points| additive_epsilon(set.as_ref(), target.as_ref()).unwrap();
        prop_assert_eq!(epsilon(&worse), epsilon(&points) + 1.0);
        let distance = |set: &Points| igd_plus(set.as_ref(), target.as_ref()).unwrap();
        prop_assert!(distance(&worse) >= distance(&points));
        prop_assert_eq!(igd_plus(points.as_ref(), points.as_ref()).unwrap(), 0.0);
    }
}

/// The standard error of a share p of n samples is √(p (1 - p) / n); one success and one failure more keep it positive.
#[test]
fn standard_errors_of_samples_are_those_of_a_share() {
    let volume = Hypervolume::new(&[4.0, 4.0]).unwrap();
    // One point: the box is all dominated.
    let all = volume.approximate(Points::from_flat(vec![2.0, 0.0], 2).as_ref(), 100, Seed(1)).unwrap();
    assert_eq!(all.value, 8.0);
    let share: f64 = 101.0 / 102.0;
    assert!((all.standard_error - 8.0 * (share * (1.0 - share) / 100.0).sqrt()).abs() < 1e-12);
    // Two corners: 4 and 4 of 16, of which they share 1.
    let corners = Points::from_flat(vec![0.0, 3.0, 3.0, 0.0], 2);
    let part = volume.approximate(corners.as_ref(), 10_000, Seed(1)).unwrap();
    let share: f64 = 7.0 / 16.0;
    let expected = 16.0 * (share * (1.0 - share) / 1e4).sqrt();
    assert!((part.standard_error / expected - 1.0).abs() < 0.03, "{part:?}");
    assert!((part.value - 7.0).abs() < 6.0 * expected);
}

/// The boxes are those of a fixed order of cutting, not of the order in which points are given.
#[test]
fn boxes_do_not_depend_on_the_order_of_the_points() {
    let mut stream = Seed(9).stream("front", 0);
    for m in 2..=4 {
        let mut rows: Vec<Vec<f64>> =
            (0..12).map(|_| (0..m).map(|_| TOP * stream.uniform()).collect()).collect();
        let of = |rows: &[Vec<f64>]| {
            let front = Points::from_rows(rows).unwrap();
            let boxes = NonDominatedBoxes::new(front.as_ref(), &vec![TOP; m]).unwrap();
            let mut rows: Vec<Vec<f64>> = boxes.rows().map(|(low, high)| [low, high].concat()).collect();
            rows.sort_by(|a, b| a.partial_cmp(b).expect("no NaN"));
            rows
        };
        let boxes = of(&rows);
        for _ in 0..5 {
            stream.shuffle(&mut rows);
            assert_eq!(of(&rows), boxes);
        }
    }
}

/// Two steps of 1 to 3 in ranges of 6, with the whole front shifted and scaled.
#[test]
fn crowding_is_the_sum_of_relative_gaps_wherever_the_front_lies() {
    let front = [[1.0, 7.0], [2.0, 4.0], [4.0, 3.0], [7.0, 1.0]];
    let expected = [f64::INFINITY, 7.0 / 6.0, 8.0 / 6.0, f64::INFINITY];
    for (shift, scale) in [(0.0, 1.0), (-100.0, 1.0), (8.0, 0.25)] {
        let moved: Vec<[f64; 2]> = front.iter().map(|row| row.map(|v| shift + scale * v)).collect();
        let found = crowding_distance(Points::from_rows(&moved).unwrap().as_ref()).unwrap();
        for (found, expected) in found.iter().zip(expected) {
            assert!(*found == expected || (found - expected).abs() < 1e-12, "{found}, expected {expected}");
        }
    }
}
