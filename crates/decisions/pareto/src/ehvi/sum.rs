//! Sums over boxes in floating point with an extended exponent.

use std::f64::consts::LN_2;

use super::Objective;
use super::gap::{GapTable, power_of_two};

/// Sum over boxes: a number times a power of 2.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sum {
    total: f64,
    exponent: f64,
}

/// Adds up the products of gaps; afterwards `term` holds the summands, scaled like the sum.
pub(super) fn over_boxes(
    objectives: &[Objective],
    gaps: &GapTable,
    term: &mut [f64],
    power: &mut [f64],
) -> Sum {
    term.fill(1.0);
    power.fill(0.0);
    for objective in objectives {
        for ((term, power), &gap) in term.iter_mut().zip(&mut *power).zip(&objective.gap) {
            *term *= gaps.size[gap as usize];
            *power += gaps.exponent[gap as usize];
        }
    }
    let positive = term.iter().zip(&*power).filter(|(term, _)| **term > 0.0);
    let exponent = positive.fold(f64::NEG_INFINITY, |top, (_, power)| top.max(*power));
    if exponent == f64::NEG_INFINITY {
        return Sum { total: 0.0, exponent: 0.0 };
    }
    let mut total = 0.0;
    for (term, power) in term.iter_mut().zip(&*power) {
        // A box without improvement may have any exponent.
        *term *= power_of_two((power - exponent).min(0.0));
        total += *term;
    }
    Sum { total, exponent }
}

impl Sum {
    /// The sum as a number, which may underflow.
    pub(super) fn value(self) -> f64 {
        // In two steps, so that the power itself does not overflow.
        let half = (0.5 * self.exponent).round().clamp(-1100.0, 1100.0);
        self.total * half.exp2() * (self.exponent - half).exp2()
    }

    /// Its logarithm; -∞ for an empty sum.
    pub(super) fn log(self) -> f64 {
        self.total.ln() + self.exponent * LN_2
    }

    /// The derivatives of its logarithm by mean and standard deviation of an objective.
    pub(super) fn slopes(self, objective: &Objective, gaps: &GapTable, term: &[f64]) -> (f64, f64) {
        let (mut by_mean, mut by_std_dev) = (0.0, 0.0);
        if self.total > 0.0 {
            for (term, &gap) in term.iter().zip(&objective.gap) {
                by_mean += term * gaps.by_mean[gap as usize];
                by_std_dev += term * gaps.by_std_dev[gap as usize];
            }
            by_mean /= self.total;
            by_std_dev /= self.total;
        }
        (by_mean, by_std_dev)
    }
}
