//! Losses that boosting lowers.

use super::super::Targets;
use super::super::measures::log_loss;

/// First and second derivative of the loss of a row.
pub(super) type Slopes = [f64; 2];

/// The prediction before any tree: the logit of the share of positives, or the mean.
pub(super) fn base(targets: &Targets) -> f64 {
    let numbers = targets.numbers();
    let mean = numbers.iter().sum::<f64>() / numbers.len().max(1) as f64;
    match targets {
        // One class alone has no logit.
        Targets::Classes(_) => {
            let share = mean.clamp(1e-6, 1.0 - 1e-6);
            (share / (1.0 - share)).ln()
        }
        Targets::Numbers(_) => mean,
    }
}

/// Derivatives of `ln(1 + e^z) - y z` by the logit z, or of `(z - y)² / 2`.
pub(super) fn slopes(targets: &Targets, found: &[f64]) -> Vec<Slopes> {
    match targets {
        Targets::Classes(classes) => {
            let one = |(z, class): (&f64, &bool)| {
                let p = 1.0 / (1.0 + (-z).exp());
                [p - f64::from(u8::from(*class)), (p * (1.0 - p)).max(1e-16)]
            };
            found.iter().zip(classes).map(one).collect()
        }
        Targets::Numbers(numbers) => found.iter().zip(numbers).map(|(z, y)| [z - y, 1.0]).collect(),
    }
}

/// The loss that early stopping looks at: log loss, or the mean squared error.
pub(super) fn watched(targets: &Targets, found: &[f64]) -> f64 {
    match targets {
        Targets::Classes(classes) => log_loss(found, classes),
        Targets::Numbers(numbers) => {
            found.iter().zip(numbers).map(|(z, y)| (z - y).powi(2)).sum::<f64>() / numbers.len() as f64
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_are_those_of_the_loss() {
        let step = 1e-4;
        for targets in [Targets::Classes(vec![true, false]), Targets::Numbers(vec![0.7, -2.0])] {
            // Half the squared error is what is differentiated.
            let factor = if matches!(targets, Targets::Numbers(_)) { 1.0 } else { 2.0 };
            let at = [0.3, -1.2];
            for (row, [first, second]) in slopes(&targets, &at).into_iter().enumerate() {
                let loss = |shift: f64| {
                    let mut moved = at;
                    moved[row] += shift;
                    factor * watched(&targets, &moved)
                };
                let slope = (loss(step) - loss(-step)) / (2.0 * step);
                let bend = (loss(step) - 2.0 * loss(0.0) + loss(-step)) / (step * step);
                assert!((slope - first).abs() < 1e-7, "{slope} {first}");
                assert!((bend - second).abs() < 1e-5, "{bend} {second}");
            }
        }
    }

    #[test]
    fn the_base_has_no_slope() {
        for targets in
            [Targets::Classes(vec![true, false, false, true, true]), Targets::Numbers(vec![1.0, 5.0])]
        {
            let found = vec![base(&targets); targets.len()];
            let sum: f64 = slopes(&targets, &found).iter().map(|s| s[0]).sum();
            assert!(sum.abs() < 1e-12, "{sum}");
        }
        assert!(base(&Targets::Classes(vec![true; 4])).is_finite());
    }
}
