//! Losses of predictions.

/// Share of pairs of a positive and a negative row that the scores put in order; a tie counts half.
///
/// ```text
/// AUC = (R₊ - n₊ (n₊ + 1) / 2) / (n₊ n₋),   R₊ the sum of the mid-ranks of the positive rows
/// ```
///
/// Nothing for one class alone or a score that is not a number.
pub fn auc(scores: &[f64], positive: &[bool]) -> Option<f64> {
    let n_positive = positive.iter().filter(|p| **p).count();
    let n_negative = positive.len() - n_positive;
    if n_positive == 0 || n_negative == 0 || scores.iter().any(|score| score.is_nan()) {
        return None;
    }
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_unstable_by(|a, b| scores[*a].total_cmp(&scores[*b]));
    let (mut sum, mut below) = (0.0, 0_usize);
    for tied in order.chunk_by(|a, b| scores[*a] == scores[*b]) {
        let rank = below as f64 + f64::midpoint(tied.len() as f64, 1.0);
        sum += rank * tied.iter().filter(|at| positive[**at]).count() as f64;
        below += tied.len();
    }
    let (p, n) = (n_positive as f64, n_negative as f64);
    Some((sum - p * (p + 1.0) / 2.0) / (p * n))
}

/// √(1 - AUC): the loss of the classifiers of the source.
pub fn root_auc_loss(scores: &[f64], positive: &[bool]) -> Option<f64> {
    Some((1.0 - auc(scores, positive)?).max(0.0).sqrt())
}

/// Root of the mean squared error over the standard deviation of the targets: the loss of the regressions of the source.
///
/// Nothing for targets that are equal or a prediction that is not finite.
pub fn relative_rmse(predicted: &[f64], targets: &[f64]) -> Option<f64> {
    let n = targets.len() as f64;
    let mean = targets.iter().sum::<f64>() / n;
    let variance = targets.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / n;
    let error = predicted.iter().zip(targets).map(|(p, y)| (p - y).powi(2)).sum::<f64>() / n;
    (variance > 0.0 && error.is_finite()).then(|| (error / variance).sqrt())
}

/// Mean of -ln of the probability of the class that was there, for logits of the positive class.
pub fn log_loss(logits: &[f64], positive: &[bool]) -> f64 {
    // ln(1 + e^-z) without overflow, z the logit of the class that was there.
    let one = |(logit, positive): (&f64, &bool)| {
        let z = if *positive { *logit } else { -logit };
        (-z.abs()).exp().ln_1p() + (-z).max(0.0)
    };
    logits.iter().zip(positive).map(one).sum::<f64>() / logits.len() as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Two of each class: of the four pairs one is in order and one is tied.
    #[test]
    fn ties_count_half() {
        let positive = [true, false, true, false];
        // (0.2, 0.2) tied, (0.2, 0.9) wrong, (0.5, 0.2) right, (0.5, 0.9) wrong.
        let found = auc(&[0.2, 0.2, 0.5, 0.9], &positive).unwrap();
        assert!((found - 1.5 / 4.0).abs() < 1e-15, "{found}");
        assert!((root_auc_loss(&[0.2, 0.2, 0.5, 0.9], &positive).unwrap() - 0.625_f64.sqrt()).abs() < 1e-15);
        assert_eq!(auc(&[7.0; 4], &positive), Some(0.5));
        assert_eq!(root_auc_loss(&[1.0, 0.0, 1.0, 0.0], &positive), Some(0.0));
        assert_eq!(root_auc_loss(&[0.0, 1.0, 0.0, 1.0], &positive), Some(1.0));
    }

    #[test]
    fn what_has_no_value_is_named_as_such() {
        assert_eq!(auc(&[0.1, 0.2], &[true, true]), None);
        assert_eq!(auc(&[], &[]), None);
        assert_eq!(auc(&[0.1, f64::NAN], &[true, false]), None);
        // Infinite scores have an order.
        assert_eq!(auc(&[f64::INFINITY, f64::NEG_INFINITY], &[true, false]), Some(1.0));
        assert_eq!(relative_rmse(&[1.0, 2.0], &[3.0, 3.0]), None);
        assert_eq!(relative_rmse(&[1.0, f64::NAN], &[3.0, 4.0]), None);
        assert_eq!(relative_rmse(&[], &[]), None);
    }

    /// The mean as prediction has a relative error of 1; 1, 2, 3 have a variance of 2/3.
    #[test]
    fn errors_are_relative_to_the_spread() {
        assert!((relative_rmse(&[2.0; 3], &[1.0, 2.0, 3.0]).unwrap() - 1.0).abs() < 1e-15);
        let found = relative_rmse(&[1.5, 2.5, 3.5], &[1.0, 2.0, 3.0]).unwrap();
        assert!((found - (0.25_f64 / (2.0 / 3.0)).sqrt()).abs() < 1e-15);
    }

    #[test]
    fn log_losses_by_hand() {
        assert!((log_loss(&[0.0, 0.0], &[true, false]) - 2_f64.ln()).abs() < 1e-15);
        let logit = 3_f64.ln();
        // Probabilities of 3/4.
        assert!((log_loss(&[logit, -logit], &[true, false]) + 0.75_f64.ln()).abs() < 1e-15);
        assert_eq!(log_loss(&[1e4], &[false]), 1e4);
        assert_eq!(log_loss(&[1e4], &[true]), 0.0);
    }

    proptest! {
        /// Counting every pair, with many ties.
        #[test]
        fn ranks_count_the_pairs(rows in prop::collection::vec((0..6_i32, any::<bool>()), 2..40)) {
            let scores: Vec<f64> = rows.iter().map(|row| f64::from(row.0)).collect();
            let positive: Vec<bool> = rows.iter().map(|row| row.1).collect();
            let (mut pairs, mut right) = (0.0, 0.0);
            for (i, a) in scores.iter().enumerate().filter(|(i, _)| positive[*i]) {
                for (j, b) in scores.iter().enumerate().filter(|(j, _)| !positive[*j]) {
                    prop_assert!(i != j);
                    pairs += 1.0;
                    right += if a > b { 1.0 } else if a == b { 0.5 } else { 0.0 };
                }
            }
            match auc(&scores, &positive) {
                None => prop_assert_eq!(pairs, 0.0),
                Some(found) => {
                    prop_assert!((found - right / pairs).abs() < 1e-12);
                    // Scores turned round, and classes turned round.
                    let turned: Vec<f64> = scores.iter().map(|score| -score).collect();
                    prop_assert!((auc(&turned, &positive).unwrap() - (1.0 - found)).abs() < 1e-12);
                    // Any rising function of the scores.
                    let risen: Vec<f64> = scores.iter().map(|score| score.exp()).collect();
                    prop_assert_eq!(auc(&risen, &positive), Some(found));
                }
            }
        }

        /// Shifted and scaled together, predictions and targets have the same error.
        #[test]
        fn relative_errors_have_no_unit(rows in prop::collection::vec((-5.0..5.0_f64, -5.0..5.0_f64), 3..20), shift in -10.0..10.0_f64, scale in 0.1..10.0_f64) {
            let (p, y): (Vec<f64>, Vec<f64>) = rows.iter().copied().unzip();
            let other = |values: &[f64]| -> Vec<f64> { values.iter().map(|v| shift + scale * v).collect() };
            let (a, b) = (relative_rmse(&p, &y).unwrap(), relative_rmse(&other(&p), &other(&y)).unwrap());
            prop_assert!((a - b).abs() < 1e-9 * (1.0 + a));
        }
    }
}
