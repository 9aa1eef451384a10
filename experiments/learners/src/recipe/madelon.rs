//! The artificial set of the feature selection challenge, made anew.

use std::io::{self, Write};

use rand_distr::{Distribution, StandardNormal};
use thrifty_sampling::{Seed, Stream};

/// Rows: as many as the published training and validation sets have together.
const ROWS: usize = 2_000 + 600;
/// Attributes: informative ones, linear combinations of these, and probes without any use.
const INFORMATIVE: usize = 5;
const COMBINED: usize = 15;
const COLUMNS: usize = 500;
/// Clusters, one at each vertex of a cube of five dimensions.
const CLUSTERS: usize = 1 << INFORMATIVE;
/// Half the side of the cube, in standard deviations of a cluster before its own mixing.
const SEPARATION: f64 = 2.0;
/// Share of the classes that are wrong.
const WRONG: f64 = 0.01;

/// A made set: rows of numbers and their classes.
struct Made {
    rows: Vec<Vec<f64>>,
    classes: Vec<bool>,
}

fn normal(rng: &mut Stream) -> f64 {
    StandardNormal.sample(rng)
}

/// A matrix of numbers between -1 and 1.
fn mixing(rows: usize, columns: usize, rng: &mut Stream) -> Vec<Vec<f64>> {
    (0..rows).map(|_| (0..columns).map(|_| 2.0 * rng.uniform() - 1.0).collect()).collect()
}

fn times(matrix: &[Vec<f64>], x: &[f64]) -> Vec<f64> {
    matrix.iter().map(|row| row.iter().zip(x).map(|(a, b)| a * b).sum()).collect()
}

/// Draws the set.
///
/// Rows lie in 32 clusters at the vertices of a cube in five dimensions; half of the clusters, drawn at random, are of each class. A cluster is
/// normal with random covariance. Fifteen attributes are random linear combinations of the five, and 480 are probes. Attributes and rows are
/// shuffled.
///
/// Source: Guyon (2003). What the text leaves open is chosen here: half the side is two standard deviations, covariances and combinations have
/// coefficients between -1 and 1, one class in a hundred is wrong.
fn draw(rng: &mut Stream) -> Made {
    let mut class_of: Vec<bool> = (0..CLUSTERS).map(|cluster| cluster % 2 == 0).collect();
    rng.shuffle(&mut class_of);
    let covariance: Vec<_> = (0..CLUSTERS).map(|_| mixing(INFORMATIVE, INFORMATIVE, rng)).collect();
    let combination = mixing(COMBINED, INFORMATIVE, rng);
    let mut places: Vec<usize> = (0..COLUMNS).collect();
    rng.shuffle(&mut places);
    let mut clusters: Vec<usize> = (0..ROWS).map(|row| row % CLUSTERS).collect();
    rng.shuffle(&mut clusters);
    let mut one = |cluster: usize| {
        let around: Vec<f64> = (0..INFORMATIVE).map(|_| normal(rng)).collect();
        let vertex = |axis: usize| if cluster >> axis & 1 == 1 { SEPARATION } else { -SEPARATION };
        let mut x: Vec<f64> = times(&covariance[cluster], &around);
        x.iter_mut().enumerate().for_each(|(axis, v)| *v += vertex(axis));
        x.extend(times(&combination, &x));
        x.resize_with(COLUMNS, || normal(rng));
        let row = places.iter().map(|place| x[*place]).collect();
        (row, class_of[cluster] != (rng.uniform() < WRONG))
    };
    let (rows, classes) = clusters.into_iter().map(&mut one).unzip();
    Made { rows, classes }
}

/// Writes the set as CSV. Numbers are moved and rounded to integers between 0 and 999, as the published ones are.
///
/// # Errors
/// [`io::Error`] of the writer.
pub fn write(out: &mut dyn Write) -> io::Result<()> {
    let names: Vec<String> = (1..=COLUMNS).map(|column| format!("X{column}")).collect();
    writeln!(out, "{},class", names.join(","))?;
    let Made { rows, classes } = draw(&mut Seed(0).stream("madelon", 0));
    for (row, class) in rows.iter().zip(classes) {
        let cells: Vec<String> =
            row.iter().map(|v| format!("{:.0}", (500.0 + 30.0 * v).round().clamp(0.0, 999.0))).collect();
        writeln!(out, "{},{}", cells.join(","), if class { 1 } else { -1 })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_even_and_no_single_attribute_tells_them() {
        let Made { rows, classes } = draw(&mut Seed(0).stream("madelon", 0));
        assert_eq!((rows.len(), rows[0].len()), (ROWS, COLUMNS));
        let of_class = classes.iter().filter(|class| **class).count();
        assert!((1_230..1_370).contains(&of_class), "{of_class}");
        let variance = |column: usize| {
            let values: Vec<f64> = rows.iter().map(|row| row[column]).collect();
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / values.len() as f64
        };
        // Probes have variance 1 (± 0.09 at three standard deviations); the five of the cube have more than 4.
        let wide = (0..COLUMNS).filter(|column| variance(*column) > 4.0).count();
        let narrow = (0..COLUMNS).filter(|column| (variance(*column) - 1.0).abs() < 0.11).count();
        assert!((INFORMATIVE..=INFORMATIVE + COMBINED).contains(&wide), "{wide}");
        assert!(narrow >= COLUMNS - INFORMATIVE - COMBINED, "{narrow}");
    }

    #[test]
    fn neighbors_in_the_cube_know_the_class_and_those_among_probes_do_not() {
        let Made { rows, classes } = draw(&mut Seed(1).stream("madelon", 0));
        let variance =
            |column: usize| rows.iter().map(|row| row[column].powi(2)).sum::<f64>() / rows.len() as f64;
        let share = |columns: &[usize]| {
            let distance = |a: usize, b: usize| -> f64 {
                columns.iter().map(|column| (rows[a][*column] - rows[b][*column]).powi(2)).sum()
            };
            let right = (0..200).filter(|at| {
                let nearest = (200..ROWS).min_by(|a, b| distance(*at, *a).total_cmp(&distance(*at, *b)));
                classes[nearest.unwrap()] == classes[*at]
            });
            right.count() as f64 / 200.0
        };
        let (wide, probes): (Vec<usize>, Vec<usize>) =
            (0..COLUMNS).partition(|column| variance(*column) > 1.2);
        assert!(share(&wide) > 0.8, "{}", share(&wide));
        assert!((0.38..0.62).contains(&share(&probes)), "{}", share(&probes));
    }

    #[test]
    fn the_file_has_integers_in_the_published_range() {
        let mut text = Vec::new();
        write(&mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert_eq!(text.lines().count(), 1 + ROWS);
        for line in text.lines().skip(1) {
            let cells: Vec<i32> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
            let (class, row) = cells.split_last().unwrap();
            assert!(row.len() == COLUMNS && class.abs() == 1 && row.iter().all(|v| (0..1000).contains(v)));
        }
    }
}
