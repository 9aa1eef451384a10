//! One method against others, for tables: a claim of superiority for each.

use super::claims::{Claim, ClaimError, Family, Finding, Kind, Rule, Sample, Test};

/// Findings of "`own` has the smaller losses than `other`", corrected over the others.
///
/// # Errors
/// [`ClaimError`] when losses are not paired or not finite.
pub fn superior<'a>(
    own: &[f64],
    others: impl IntoIterator<Item = (&'a str, &'a [f64])>,
    test: Test,
) -> Result<Vec<Finding>, ClaimError> {
    let mut family = Family::new(Rule::All);
    for (name, other) in others {
        let claim = Claim::new(format!("lower than {name}"), Kind::Superior, test, own.len());
        let sample = Sample::losses(&claim.name, own, other)?;
        family.push(claim, sample);
    }
    Ok(family.judge()?.findings().to_vec())
}

/// Losses of runs that never measured anything are infinite; they count as the worst finite loss of all methods.
pub fn finite(groups: &mut [Vec<f64>]) {
    let worst = groups.iter().flatten().copied().filter(|loss| loss.is_finite()).fold(0.0, f64::max);
    for loss in groups.iter_mut().flatten().filter(|loss| **loss == f64::INFINITY) {
        *loss = worst;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_made_worse_is_found_and_the_same_is_not() {
        let own: Vec<f64> = (0..20).map(|i| f64::from(i * 7 % 20)).collect();
        let worse: Vec<f64> = own.iter().map(|loss| 1.1 * loss + 0.5).collect();
        let better: Vec<f64> = own.iter().map(|loss| 0.9 * loss - 0.5).collect();
        let others = [("worse", &worse[..]), ("better", &better[..]), ("same", &own[..])];
        for test in [Test::SignFlip, Test::SignedRank] {
            let found = superior(&own, others, test).unwrap();
            let directions: Vec<&str> = found.iter().map(Finding::direction).collect();
            assert_eq!(directions, ["lower", "higher", "no difference"]);
            assert!(found[0].two_sided() < 0.001 && found[2].two_sided() == 1.0);
        }
    }

    #[test]
    fn infinite_losses_are_the_worst() {
        let mut groups = vec![vec![1.0, f64::INFINITY], vec![3.0, 2.0]];
        finite(&mut groups);
        assert_eq!(groups, [[1.0, 3.0], [3.0, 2.0]]);
    }
}
