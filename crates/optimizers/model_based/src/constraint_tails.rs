//! Tails of the values of a constraint.

use crate::carried;

/// Values of a constraint with compressed tails; signs and order stay:
///
/// ```text
/// asinh(c/s),   s the upper quartile of |c|
/// ```
///
/// The map is nearly c/s up to s, and grows as ln |c| beyond. For a constraint only the side of 0 matters. Where a few values are a
/// thousand times as large as the others, a process on the scale of all values cannot resolve the border. If the quartile is 0, s is the
/// largest |c|.
/// Source: Eriksson & Poloczek (2021), section 3, `sign(c) ln(1 + |c|)`; departures: smooth at 0, and the same whatever the unit.
/// Measured by `run bo/constraints`.
pub(crate) fn tails_drawn_in(values: &[f64]) -> Vec<f64> {
    let mut sizes: Vec<f64> = values.iter().map(|value| value.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    let at = |share: f64| sizes.get((share * sizes.len() as f64) as usize).or(sizes.last()).copied();
    let scale = at(0.75).filter(|size| *size > 0.0).or(at(1.0)).filter(|size| *size > 0.0).unwrap_or(1.0);
    values.iter().map(|value| carried((value / scale).asinh())).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn values_up_to_the_quartile_are_nearly_straight() {
        let values = [-0.1, 0.2, -0.3, 1.0, 1e4];
        let drawn = tails_drawn_in(&values);
        let expected = [-0.1_f64, 0.2, -0.3, 1.0, 1e4].map(f64::asinh);
        assert_eq!(drawn, expected);
        assert!((drawn[1] - 0.2).abs() < 2e-3 && (drawn[4] - 2e4_f64.ln()).abs() < 1e-8);
    }

    #[test]
    fn without_a_quartile_the_largest_value_is_the_scale() {
        assert!(tails_drawn_in(&[]).is_empty());
        assert_eq!(tails_drawn_in(&[0.0, 0.0]), [0.0, 0.0]);
        assert_eq!(tails_drawn_in(&[0.0, 0.0, 0.0, 0.0, 5.0])[4], 1_f64.asinh());
        assert_eq!(tails_drawn_in(&[-3.0]), [-1_f64.asinh()]);
        // Two values stay two values.
        assert_eq!(tails_drawn_in(&[-1.0, 1.0, 1.0]), [-1_f64.asinh(), 1_f64.asinh(), 1_f64.asinh()]);
    }

    proptest! {
        /// Signs and order stay, values are finite, and a change of the unit by a power of 2 changes no bit.
        #[test]
        fn borders_stay(values in prop::collection::vec((-1e3..1e3_f64, -300..300_i32).prop_map(|(m, e)| m * 10_f64.powi(e)), 1..20)) {
            let drawn = tails_drawn_in(&values);
            for (value, drawn) in values.iter().zip(&drawn) {
                prop_assert!(drawn.is_finite());
                prop_assert!(value.signum() == drawn.signum() || *drawn == 0.0);
            }
            for (i, a) in values.iter().enumerate() {
                for (j, b) in values.iter().enumerate() {
                    prop_assert!(a > b || drawn[i] <= drawn[j], "{a} {b}");
                }
            }
            let scaled: Vec<f64> = values.iter().map(|value| value / 1e10).collect();
            let doubled: Vec<f64> = scaled.iter().map(|value| value * 1024.0).collect();
            if scaled.iter().chain(&doubled).all(|value| value.abs() > 1e-290 && value.abs() < 1e290) {
                prop_assert_eq!(tails_drawn_in(&scaled), tails_drawn_in(&doubled));
            }
        }
    }
}
