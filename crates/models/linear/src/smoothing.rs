//! Smoothing splines.

use std::f64::consts::PI;

use thrifty_check::{InputError, all_finite, dimension, length, number, positive};
use thrifty_domain::{Points, PointsRef};
use thrifty_linalg::{Matrix, SymmetricEigen};
use thrifty_optim::golden_section;

use crate::LinearError;
use crate::coefficients::dot;

/// Smoothing splines over points: natural cubic ones of one number, thin-plate ones of two or three.
///
/// ```text
/// f minimizes Σ_i (y_i - f(x_i))² + λ J(f),   J(f) = ∫ Σ_ab (∂²f / ∂x_a ∂x_b)²
/// ```
///
/// Everything that depends on the points alone is worked out once, so that another y costs n². λ is chosen by generalised
/// cross-validation unless it is given. Source: Wahba (1990), sections 2.4 and 4.
#[derive(Debug, Clone)]
pub struct SmoothingSpline {
    points: Points,
    /// Orthonormal columns that span what is not penalised: constants and straight lines.
    lines: Vec<Vec<f64>>,
    /// Each of them as a line in the coordinates: its constant, then its slopes.
    slopes: Vec<Vec<f64>>,
    /// Eigendecomposition of the kernel between the points, after lines are projected out.
    eigen: SymmetricEigen,
}

/// A spline that was fitted.
#[derive(Debug, Clone, PartialEq)]
pub struct Smoothed {
    /// At the points.
    pub fitted: Vec<f64>,
    /// λ.
    pub lambda: f64,
    /// Trace of the map from y to what is fitted: from the number of lines to that of the points.
    pub degrees_of_freedom: f64,
    points: Points,
    weights: Vec<f64>,
    line: Vec<f64>,
}

/// The kernel whose weighted sums have J for their norm: `r³/12`, `r² ln r / 8π`, `-r / 8π`.
fn kernel(a: &[f64], b: &[f64]) -> f64 {
    let r = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    match a.len() {
        1 => r.powi(3) / 12.0,
        2 if r > 0.0 => r * r * r.ln() / (8.0 * PI),
        2 => 0.0,
        _ => -r / (8.0 * PI),
    }
}

impl SmoothingSpline {
    /// Largest number of points: a spline needs n² numbers, and once n³ operations.
    pub const MOST_POINTS: usize = 3000;

    /// Over points of one to three numbers, more than lie on a line, plane or space of less. Points may repeat.
    ///
    /// # Errors
    /// [`LinearError`] for points of more numbers, numbers that are not finite, too few different points, or more than
    /// [`SmoothingSpline::MOST_POINTS`].
    pub fn new(points: PointsRef<'_>) -> Result<Self, LinearError> {
        let (n, dim) = (points.len(), points.dim());
        number("number of points of a smoothing spline", n as f64, n <= Self::MOST_POINTS, "at most 3000")?;
        let few = (1..=3).contains(&dim);
        number("dimension of the points", dim as f64, few, "1 to 3")?;
        points.rows().try_for_each(|row| all_finite("coordinate", row))?;
        let (lines, slopes) = orthonormal_lines(points)?;
        let (penalized, scale) = penalized_kernel(points, &lines);
        let mut eigen = SymmetricEigen::new(&penalized).map_err(|_| InputError::Number {
            name: "kernel of the points",
            value: f64::NAN,
            expected: "finite numbers",
        })?;
        // Lines, and differences between points that are the same, are in no kernel: what is left there is rounding.
        let nothing = 1e-14 * scale * n as f64;
        eigen.values.iter_mut().for_each(|d| *d = if *d > nothing { *d } else { 0.0 });
        Ok(Self { points: points.to_owned(), lines, slopes, eigen })
    }

    /// Fits with λ by generalised cross-validation, the minimum of `n Σ r_i² / (n - trace)²`.
    ///
    /// # Errors
    /// [`LinearError`] for another number of values than points, or values that are not finite.
    pub fn smooth(&self, y: &[f64]) -> Result<Smoothed, LinearError> {
        let along = self.along(y)?;
        self.smooth_with(y, self.cross_validated(&along))
    }

    /// [`Smoothed::fitted`] of [`SmoothingSpline::smooth`] to the bit, without the curve between the points, which costs more.
    ///
    /// # Errors
    /// As [`SmoothingSpline::smooth`].
    pub fn fitted(&self, y: &[f64]) -> Result<Vec<f64>, LinearError> {
        let along = self.along(y)?;
        let shares = self.left_over(self.cross_validated(&along));
        let mut fitted = y.to_vec();
        for (k, (share, z)) in shares.iter().zip(&along).enumerate() {
            subtract(&mut fitted, share * z, self.eigen.vectors.column(k));
        }
        Ok(fitted)
    }

    /// λ by generalised cross-validation, of the values in the directions of the eigenvectors; 1 where there is nothing but lines.
    fn cross_validated(&self, along: &[f64]) -> f64 {
        let largest = self.eigen.values.iter().copied().fold(0.0, f64::max);
        if largest == 0.0 {
            return 1.0;
        }
        let n = along.len() as f64;
        let score = |log: f64| {
            let lambda = largest * log.exp();
            let (mut residual, mut freedom) = (0.0, 0.0);
            for (d, z) in self.eigen.values.iter().zip(along) {
                let share = lambda / (d + lambda);
                residual += (share * z).powi(2);
                freedom += share;
            }
            let freedom: f64 = freedom - self.lines.len() as f64;
            n * residual / (freedom * freedom).max(f64::MIN_POSITIVE)
        };
        largest * golden_section(score, (-25.0, 10.0), 70, 1e-6).exp()
    }

    /// Fits with a given λ > 0.
    ///
    /// # Errors
    /// As [`SmoothingSpline::smooth`], and for a λ that is not positive.
    pub fn smooth_with(&self, y: &[f64], lambda: f64) -> Result<Smoothed, LinearError> {
        positive("λ of a smoothing spline", lambda)?;
        let (along, shares) = (self.along(y)?, self.left_over(lambda));
        let n = y.len();
        let (mut fitted, mut weights) = (y.to_vec(), vec![0.0; n]);
        for (k, (share, z)) in shares.iter().zip(&along).enumerate() {
            for (i, entry) in self.eigen.vectors.column(k).iter().enumerate() {
                let residual = share * z * entry;
                fitted[i] -= residual;
                if self.eigen.values[k] > 0.0 {
                    weights[i] += residual / lambda;
                }
            }
        }
        // What the kernel part leaves is a line.
        let bent = |row: &[f64]| bent(&self.points, &weights, row);
        let rest: Vec<f64> = self.points.rows().zip(&fitted).map(|(row, f)| f - bent(row)).collect();
        let mut line = vec![0.0; self.points.dim() + 1];
        for (own, slope) in self.lines.iter().zip(&self.slopes) {
            subtract(&mut line, -dot(own, &rest), slope);
        }
        let freedom = n as f64 + self.lines.len() as f64 - shares.iter().sum::<f64>();
        Ok(Smoothed {
            fitted,
            lambda,
            degrees_of_freedom: freedom,
            points: self.points.clone(),
            weights,
            line,
        })
    }

    /// Values in the directions of the eigenvectors, lines taken out.
    fn along(&self, y: &[f64]) -> Result<Vec<f64>, LinearError> {
        length("values to smooth", y.len(), self.points.len())?;
        all_finite("value to smooth", y)?;
        let mut rest = y.to_vec();
        take_out(&self.lines, &mut rest);
        Ok((0..y.len()).map(|k| dot(self.eigen.vectors.column(k), &rest)).collect())
    }

    /// The share of each direction that is not fitted: λ / (d + λ).
    fn left_over(&self, lambda: f64) -> Vec<f64> {
        self.eigen.values.iter().map(|d| lambda / (d + lambda)).collect()
    }
}

fn take_out(lines: &[Vec<f64>], column: &mut [f64]) {
    for line in lines {
        let part = dot(line, column);
        subtract(column, part, line);
    }
}

fn subtract(from: &mut [f64], times: f64, what: &[f64]) {
    from.iter_mut().zip(what).for_each(|(entry, w)| *entry -= times * w);
}

/// The weighted sum of kernels.
fn bent(points: &Points, weights: &[f64], x: &[f64]) -> f64 {
    points.rows().zip(weights).map(|(row, w)| w * kernel(x, row)).sum()
}

impl Smoothed {
    /// Anywhere.
    ///
    /// # Errors
    /// [`LinearError`] for a point of another dimension.
    pub fn eval(&self, x: &[f64]) -> Result<f64, LinearError> {
        dimension("points", x.len(), self.points.dim())?;
        Ok(bent(&self.points, &self.weights, x) + self.line[0] + dot(x, &self.line[1..]))
    }
}

/// An orthonormal basis of the linear functions at the points, and the coefficients of each.
fn orthonormal_lines(points: PointsRef<'_>) -> Result<(Vec<Vec<f64>>, Vec<Vec<f64>>), LinearError> {
    let dim = points.dim();
    // Gram and Schmidt, twice, for what is left of a column is small where points nearly lie on a line.
    let (mut lines, mut slopes): (Vec<Vec<f64>>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
    for column in 0..=dim {
        let mut own: Vec<f64> =
            points.rows().map(|row| if column == 0 { 1.0 } else { row[column - 1] }).collect();
        let mut slope: Vec<f64> = (0..=dim).map(|c| f64::from(u8::from(c == column))).collect();
        let size = dot(&own, &own).sqrt();
        for _ in 0..2 {
            for (line, known) in lines.iter().zip(&slopes) {
                let part = dot(line, &own);
                subtract(&mut own, part, line);
                subtract(&mut slope, part, known);
            }
        }
        let left = dot(&own, &own).sqrt();
        if left <= 1e-10 * size {
            let name = "different points of a smoothing spline in general position";
            return Err(InputError::Length { name, found: lines.len(), expected: dim + 1 }.into());
        }
        own.iter_mut().chain(&mut slope).for_each(|entry| *entry /= left);
        lines.push(own);
        slopes.push(slope);
    }
    Ok((lines, slopes))
}

/// The kernel at the points with linear functions taken out on both sides, and the largest entry of the kernel.
fn penalized_kernel(points: PointsRef<'_>, lines: &[Vec<f64>]) -> (Matrix, f64) {
    let n = points.len();
    // P K P: columns first, then rows.
    let mut scale = 0.0_f64;
    let columns: Vec<Vec<f64>> = (0..n)
        .map(|j| {
            let mut column: Vec<f64> = (0..n).map(|i| kernel(points.row(i), points.row(j))).collect();
            scale = column.iter().fold(scale, |scale, entry| scale.max(entry.abs()));
            take_out(lines, &mut column);
            column
        })
        .collect();
    let rows: Vec<Vec<f64>> = (0..n)
        .map(|i| {
            let mut row: Vec<f64> = columns.iter().map(|column| column[i]).collect();
            take_out(lines, &mut row);
            row
        })
        .collect();
    let penalized = Matrix::from_fn(n, n, |i, j| f64::midpoint(rows[i][j], rows[j][i]));
    (penalized, scale)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const X: [f64; 10] = [0.0, 0.1, 0.25, 0.3, 0.5, 0.55, 0.7, 0.8, 0.95, 1.0];
    const Y: [f64; 10] = [0.2, 0.5, 0.45, 0.8, 0.9, 0.7, 0.75, 0.4, 0.35, 0.1];

    fn line(x: &[f64]) -> SmoothingSpline {
        SmoothingSpline::new(Points::from_flat(x.to_vec(), 1).as_ref()).unwrap()
    }

    /// Reference: `SciPy` 1.17, `make_smoothing_spline`.
    #[test]
    fn cubic_splines_are_the_known_ones() {
        let spline = line(&X).smooth_with(&Y, 1e-3).unwrap();
        let truth = [
            0.244_997_917_200_379_17,
            0.415_609_008_008_893_7,
            0.620_562_633_340_834_3,
            0.685_807_455_284_613_7,
            0.806_348_810_435_928,
            0.790_336_087_522_118_7,
            0.659_155_921_273_013,
            0.505_185_773_789_19,
            0.257_144_122_882_023_6,
            0.164_852_270_263_003_67,
        ];
        for ((x, fitted), truth) in X.iter().zip(&spline.fitted).zip(truth) {
            assert!((fitted - truth).abs() < 1e-12, "{fitted} {truth}");
            assert!((spline.eval(&[*x]).unwrap() - truth).abs() < 1e-11);
        }
        assert!((spline.eval(&[0.42]).unwrap() - 0.791_541_179_917_663_7).abs() < 1e-11);
        // By cross-validation.
        let chosen = line(&X).smooth(&Y).unwrap();
        for (at, truth) in
            [(0, 0.284_405_938_915_437_1), (4, 0.765_143_048_434_969), (9, 0.196_347_901_449_442_67)]
        {
            assert!((chosen.fitted[at] - truth).abs() < 1e-4, "{} {truth}", chosen.fitted[at]);
        }
    }

    /// Reference: `SciPy` 1.17, `RBFInterpolator` with a thin-plate spline and a smoothing of 0.05.
    #[test]
    fn thin_plates_are_the_known_ones() {
        let points = vec![0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.5, 0.5, 0.3, 0.8, 0.9, 0.4];
        let spline = SmoothingSpline::new(Points::from_flat(points, 2).as_ref()).unwrap();
        let fit = spline.smooth_with(&[0.0, 1.0, 0.5, 0.2, 0.9, 0.4, 0.7], 0.05 / (8.0 * PI)).unwrap();
        let truth = [
            0.034_477_875_155_440_26,
            0.978_488_120_431_71,
            0.466_462_782_378_884_2,
            0.219_839_115_976_794_4,
            0.815_512_972_111_115_4,
            0.454_634_905_025_854,
            0.730_584_228_920_201_8,
        ];
        for (fitted, truth) in fit.fitted.iter().zip(truth) {
            assert!((fitted - truth).abs() < 1e-12, "{fitted} {truth}");
        }
        assert!((fit.eval(&[0.2, 0.6]).unwrap() - 0.518_928_497_224_997_8).abs() < 1e-12);
    }

    proptest! {
        /// Lines stay as they are in any dimension, and the smoothest fit of anything is its line of least squares.
        #[test]
        fn lines_are_not_penalized(dim in 1_usize..4, coordinates in prop::collection::vec(-2.0..2.0_f64, 36), slopes in prop::collection::vec(-3.0..3.0_f64, 4), lambda in -6..7_i32) {
            let points = Points::from_flat(coordinates[..12 * dim].to_vec(), dim);
            let y: Vec<f64> = points.rows().map(|row| slopes[0] + dot(row, &slopes[1..=dim])).collect();
            let spline = SmoothingSpline::new(points.as_ref());
            prop_assume!(spline.is_ok());
            let spline = spline.unwrap();
            let fit = spline.smooth_with(&y, 10_f64.powi(lambda)).unwrap();
            for (a, b) in fit.fitted.iter().zip(&y) {
                prop_assert!((a - b).abs() < 1e-9);
            }
            prop_assert!(fit.degrees_of_freedom >= dim as f64 + 1.0 - 1e-9 && fit.degrees_of_freedom <= 12.0 + 1e-9);
        }

        /// Less penalty is closer to the values, and in the limit through them.
        #[test]
        fn less_penalty_is_closer(y in prop::collection::vec(-1.0..1.0_f64, 10)) {
            let spline = line(&X);
            let error = |lambda: f64| {
                let fit = spline.smooth_with(&y, lambda).unwrap();
                fit.fitted.iter().zip(&y).map(|(a, b)| (a - b).powi(2)).sum::<f64>()
            };
            prop_assert!(error(1e-6) <= error(1e-3) + 1e-12 && error(1e-3) <= error(1.0) + 1e-12);
            prop_assert!(error(1e-12) < 1e-6);
            prop_assert_eq!(spline.fitted(&y).unwrap(), spline.smooth(&y).unwrap().fitted);
        }
    }

    #[test]
    fn edges() {
        let points = |flat: &[f64], dim| Points::from_flat(flat.to_vec(), dim);
        assert!(SmoothingSpline::new(points(&[0.5, 0.5], 1).as_ref()).unwrap_err().to_string().contains('2'));
        assert!(SmoothingSpline::new(points(&[0.0, 0.0, 0.5, 0.5, 1.0, 1.0], 2).as_ref()).is_err());
        assert!(SmoothingSpline::new(points(&[0.0; 8], 4).as_ref()).is_err());
        let many = SmoothingSpline::new(points(&vec![0.5; 3001], 1).as_ref()).unwrap_err().to_string();
        assert!(many.contains("points of a smoothing spline is 3001, expected at most 3000"), "{many}");
        let two = line(&[0.0, 1.0]);
        assert!((two.smooth(&[1.0, 3.0]).unwrap().eval(&[0.5]).unwrap() - 2.0).abs() < 1e-9);
        // The same point twice has one value.
        let twice = line(&[0.0, 0.5, 0.5, 1.0]).smooth_with(&[0.0, 1.0, 2.0, 0.0], 1e-9).unwrap();
        assert!((twice.fitted[1] - 1.5).abs() < 1e-5 && (twice.fitted[1] - twice.fitted[2]).abs() < 1e-9);
        assert!(line(&X).smooth(&[0.0; 3]).is_err());
        assert!(line(&X).smooth(&[f64::NAN; 10]).is_err());
        assert!(line(&X).fitted(&[0.0; 3]).is_err() && line(&X).fitted(&[f64::NAN; 10]).is_err());
        assert!(line(&X).smooth_with(&Y, 0.0).is_err());
        assert!(line(&X).smooth(&[0.25; 10]).unwrap().fitted.iter().all(|f| (f - 0.25).abs() < 1e-12));
        let huge: Vec<f64> = Y.iter().map(|y| 1e12 * y).collect();
        let (small, large) = (line(&X).smooth(&Y).unwrap(), line(&X).smooth(&huge).unwrap());
        assert!((large.fitted[3] / 1e12 - small.fitted[3]).abs() < 1e-6);
    }
}
