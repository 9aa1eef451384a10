//! Rows that a learner is trained and tested on.

use thrifty_sampling::{Seed, Stream};

use super::measures::{relative_rmse, root_auc_loss};

/// Targets of a prediction, one per row.
#[derive(Debug, Clone, PartialEq)]
pub enum Targets {
    /// True for the positive class.
    Classes(Vec<bool>),
    /// A number of each row.
    Numbers(Vec<f64>),
}

impl Targets {
    /// Number of rows.
    #[allow(clippy::len_without_is_empty)] // no learner takes none
    pub fn len(&self) -> usize {
        match self {
            Self::Classes(classes) => classes.len(),
            Self::Numbers(numbers) => numbers.len(),
        }
    }

    /// Targets as numbers, the classes as 0 and 1.
    pub fn numbers(&self) -> Vec<f64> {
        match self {
            Self::Classes(classes) => classes.iter().map(|class| f64::from(u8::from(*class))).collect(),
            Self::Numbers(numbers) => numbers.clone(),
        }
    }

    /// Classes for stratified folds; equal for numbers, so that these are dealt at random.
    pub fn strata(&self) -> Vec<usize> {
        match self {
            Self::Classes(classes) => classes.iter().map(|class| usize::from(*class)).collect(),
            Self::Numbers(numbers) => vec![0; numbers.len()],
        }
    }

    fn picked(&self, rows: &[usize]) -> Self {
        match self {
            Self::Classes(classes) => Self::Classes(rows.iter().map(|row| classes[*row]).collect()),
            Self::Numbers(numbers) => Self::Numbers(rows.iter().map(|row| numbers[*row]).collect()),
        }
    }

    /// The loss of the source: √(1 - AUC) for classes, the relative root of the mean squared error for numbers.
    ///
    /// Nothing where that is not defined.
    pub fn loss(&self, predicted: &[f64]) -> Option<f64> {
        match self {
            Self::Classes(classes) => root_auc_loss(predicted, classes),
            Self::Numbers(numbers) => relative_rmse(predicted, numbers),
        }
    }
}

/// Rows of features with their targets.
#[derive(Debug, Clone, PartialEq)]
pub struct Rows {
    /// Row by row.
    pub x: Vec<f32>,
    /// Features of a row.
    pub columns: usize,
    /// Targets, one a row.
    pub targets: Targets,
}

impl Rows {
    /// Number of rows.
    #[allow(clippy::len_without_is_empty)] // no learner takes none
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// These rows, in this order.
    #[must_use]
    pub fn picked(&self, rows: &[usize]) -> Self {
        let x = rows.iter().flat_map(|row| &self.x[row * self.columns..(row + 1) * self.columns]);
        Self { x: x.copied().collect(), columns: self.columns, targets: self.targets.picked(rows) }
    }

    /// At most so many rows, drawn without repetition.
    #[must_use]
    pub fn sample(&self, most: usize, seed: Seed) -> Self {
        let mut order: Vec<usize> = (0..self.len()).collect();
        seed.stream("rows", 0).shuffle(&mut order);
        order.truncate(most);
        order.sort_unstable();
        self.picked(&order)
    }

    /// A tenth of the rows, and the others before it; of both classes in proportion.
    pub fn without_a_tenth(&self, rng: &mut Stream) -> (Self, Self) {
        let strata = self.targets.strata();
        let mut order: Vec<usize> = (0..self.len()).collect();
        rng.shuffle(&mut order);
        order.sort_by_key(|row| strata[*row]);
        let (held, kept): (Vec<usize>, Vec<usize>) = (0..order.len()).partition(|at| at % 10 == 9);
        let rows = |places: Vec<usize>| {
            let mut rows: Vec<usize> = places.into_iter().map(|at| order[at]).collect();
            rows.sort_unstable();
            self.picked(&rows)
        };
        (rows(kept), rows(held))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(count: usize) -> Rows {
        let classes = (0..count).map(|row| row % 4 == 0).collect();
        let x = (0..2 * count).map(|at| at as f32).collect();
        Rows { x, columns: 2, targets: Targets::Classes(classes) }
    }

    #[test]
    fn a_tenth_is_held_out_with_both_classes() {
        let all = rows(200);
        let (kept, held) = all.without_a_tenth(&mut Seed(3).stream("test", 0));
        assert_eq!((kept.len(), held.len()), (180, 20));
        let positive = |rows: &Rows| rows.targets.numbers().iter().sum::<f64>();
        assert_eq!((positive(&kept), positive(&held)), (45.0, 5.0));
        // Every row is in one of both, with its own class.
        let mut firsts: Vec<u32> =
            kept.x.chunks(2).chain(held.x.chunks(2)).map(|row| row[0] as u32).collect();
        firsts.sort_unstable();
        assert!(firsts.into_iter().eq((0..200).map(|row| 2 * row)));
        for (row, class) in held.x.chunks(2).zip(held.targets.numbers()) {
            assert_eq!(class == 1.0, (row[0] as u32 / 2).is_multiple_of(4));
        }
        // Fewer than ten rows hold none out.
        assert_eq!(rows(9).without_a_tenth(&mut Seed(0).stream("test", 0)).1.len(), 0);
    }

    #[test]
    fn samples_have_rows_once_and_the_same_for_a_seed() {
        let all = rows(50);
        let some = all.sample(20, Seed(1));
        assert_eq!((some.len(), some.x.len()), (20, 40));
        assert!(some.x.windows(3).all(|three| three[0] < three[2]));
        assert_eq!(some, all.sample(20, Seed(1)));
        assert_ne!(some, all.sample(20, Seed(2)));
        assert_eq!(all.sample(1000, Seed(1)), all);
    }
}
