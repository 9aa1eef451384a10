//! The two classes of a sum of ten squares.

use std::io::{self, Write};

use rand_distr::{Distribution, StandardNormal};
use thrifty_sampling::{Seed, Stream};

use crate::{Rows, Targets};

/// Attributes of a row.
pub const COLUMNS: usize = 10;

/// Median of the sum of ten squares.
pub const MEDIAN: f64 = 9.34;

/// Rows for training and then for testing, as the book has them.
const ROWS: usize = 2_000 + 10_000;

/// Draws rows of ten normal numbers with their class: 1 where the squares add up to more than 9.34. A share of the classes is `wrong`.
///
/// Source: Hastie, Tibshirani & Friedman (2009), eq. 10.2, which has none wrong.
pub fn draw(count: usize, wrong: f64, rng: &mut Stream) -> (Vec<Vec<f64>>, Vec<u32>) {
    let mut one = || {
        let row: Vec<f64> = (0..COLUMNS).map(|_| StandardNormal.sample(rng)).collect();
        let far = row.iter().map(|v: &f64| v * v).sum::<f64>() > MEDIAN;
        let class = u32::from(far != (rng.uniform() < wrong));
        (row, class)
    };
    (0..count).map(|_| one()).unzip()
}

/// Rows of the set with none of the classes wrong.
pub fn rows(count: usize, seed: Seed) -> Rows {
    let (rows, classes) = draw(count, 0.0, &mut seed.stream("hastie", 0));
    Rows {
        x: rows.iter().flatten().map(|x| *x as f32).collect(),
        columns: COLUMNS,
        targets: Targets::Classes(classes.iter().map(|class| *class == 1).collect()),
    }
}

/// Writes the set as CSV: 12,000 rows, of which the first 2,000 are for training. Numbers have nine decimals.
///
/// # Errors
/// [`io::Error`] of the writer.
pub fn write(out: &mut dyn Write) -> io::Result<()> {
    let names: Vec<String> = (1..=COLUMNS).map(|column| format!("x{column}")).collect();
    writeln!(out, "{},class", names.join(","))?;
    let (rows, classes) = draw(ROWS, 0.0, &mut Seed(0).stream("hastie-10-2", 0));
    for (row, class) in rows.iter().zip(classes) {
        let cells: Vec<String> = row.iter().map(|v| format!("{v:.9}")).collect();
        writeln!(out, "{},{class}", cells.join(","))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_rows_are_far_and_the_rest_is_near() {
        let mut text = Vec::new();
        write(&mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let mut far = 0;
        for line in text.lines().skip(1) {
            let cells: Vec<f64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
            let (class, row) = cells.split_last().unwrap();
            let sum = row.iter().map(|v| v * v).sum::<f64>();
            assert!((sum - MEDIAN).abs() < 1e-6 || (sum > MEDIAN) == (*class == 1.0));
            far += usize::from(*class == 1.0);
        }
        assert_eq!(text.lines().count(), 1 + ROWS);
        // The median of χ² with 10 degrees of freedom is 9.3418: 50.0 % are above, ± 1.4 % at three standard deviations.
        assert!((5_820..6_180).contains(&far), "{far}");
    }
}
