//! Features of belief states.

use thrifty_trees::GroupedRows;

use crate::lookahead::belief_samples::{pack, width};
use crate::lookahead::posterior_family::{Innovation, PosteriorFamily};
use crate::value_function::Features;
use crate::{AutoBctError, Decision, State};

/// Number of features.
pub(super) fn count(features: Features, state: &State) -> usize {
    match features {
        Features::Raw => width(state.score.len()) + width(state.cost.len()),
        Features::Shape(count) => 4 * count + 1,
    }
}

/// Appends a group of features, a row for every outcome; of what is known without learning as well.
pub(super) fn append(
    features: Features,
    decision: &Decision,
    fan: &PosteriorFamily,
    outcomes: &[Innovation],
    baseline: &[f64],
    rows: &mut GroupedRows,
) -> Result<(), AutoBctError> {
    match features {
        Features::Raw => raw(fan, outcomes, rows),
        Features::Shape(count) => shape(count, decision, fan, outcomes, baseline, rows),
    }
}

/// Features of outcomes, packed as the samples of states are. Outcomes share all covariances.
fn raw(fan: &PosteriorFamily, outcomes: &[Innovation], rows: &mut GroupedRows) -> Result<(), AutoBctError> {
    let mut numbers = Vec::new();
    pack(&fan.center().score, 1.0, &mut numbers);
    let split = numbers.len();
    pack(&fan.center().cost, 1.0, &mut numbers);
    let shared: Vec<f32> = numbers.iter().map(|number| *number as f32).collect();
    rows.push(outcomes.len(), &shared)?;
    for (at, step) in fan.score_step().iter().enumerate() {
        rows.vary(at, outcomes.iter().map(|(z, _)| (numbers[at] + z * step) as f32))?;
    }
    for (at, step) in (split..).zip(fan.cost_step()) {
        rows.vary(at, outcomes.iter().map(|(_, w)| (numbers[at] + w * step) as f32))?;
    }
    Ok(())
}

fn shape(
    count: usize,
    decision: &Decision,
    fan: &PosteriorFamily,
    outcomes: &[Innovation],
    baseline: &[f64],
    rows: &mut GroupedRows,
) -> Result<(), AutoBctError> {
    struct At {
        score: (f64, f64),
        cost: (f64, f64),
        doubt: f64,
        spread: f64,
    }
    let controls = decision.later();
    let last = controls.len() - 1;
    let at = |i: usize| {
        let v = if count > 1 { i * last / (count - 1) } else { last / 2 };
        let (score, cost) = (controls.score(v), controls.cost(v));
        At {
            score: fan.score_line(score),
            cost: fan.cost_line(cost),
            doubt: fan.center().score.moments(score).1.sqrt(),
            spread: (fan.center().cost.moments(cost).1 + controls.cost_noise(v)).sqrt(),
        }
    };
    let seen: Vec<At> = (0..count).map(at).collect();
    let shared = seen.iter().flat_map(|at| [0.0, at.doubt as f32, 0.0, at.spread as f32]);
    rows.push(outcomes.len(), &shared.chain([0.0]).collect::<Vec<f32>>())?;
    // By control and outcome.
    let worth = |at: &At, (z, w): &Innovation| {
        let cost = at.cost.0 + at.cost.1 * w;
        let paid = at.spread * decision.table().at(cost / at.spread);
        (at.score.0 + at.score.1 * z - decision.gamma() * paid) as f32
    };
    let worth: Vec<f32> =
        seen.iter().flat_map(|at| outcomes.iter().map(|outcome| worth(at, outcome))).collect();
    let best_of = |outcome| {
        worth.iter().skip(outcome).step_by(outcomes.len()).copied().fold(f32::NEG_INFINITY, f32::max)
    };
    let best: Vec<f32> = (0..outcomes.len()).map(best_of).collect();
    for (i, at) in seen.iter().enumerate() {
        let worth = &worth[i * outcomes.len()..];
        rows.vary(4 * i, worth.iter().zip(&best).map(|(worth, best)| worth - best))?;
        rows.vary(4 * i + 2, outcomes.iter().map(|(_, w)| (at.cost.0 + at.cost.1 * w) as f32))?;
    }
    // Where a training more adds nothing yet, further ones hardly do: features must separate the end of learning from its middle.
    rows.vary(4 * count, baseline.iter().zip(&best).map(|(known, best)| *known as f32 - best))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use thrifty_linear::{Coefficients, Polynomial};

    use super::*;
    use crate::{Controls, NoiseStdDev, Quadrature};

    fn decision(count: usize) -> Decision {
        let (basis, noise) = (Polynomial::of_one(2, 0.5), |_: &[f64]| NoiseStdDev { score: 0.05, cost: 0.1 });
        let controls = Controls::new(Controls::grid(1, count).as_ref(), &basis, &basis, noise).unwrap();
        Decision::new(0.3, controls, Quadrature::Hermite(3)).unwrap()
    }

    fn fan(decision: &Decision) -> PosteriorFamily {
        let score = vec![0.5, 0.1, 0.0, 0.1, 0.4, 0.05, 0.0, 0.05, 0.3];
        let state = State {
            score: Coefficients::new(vec![0.4, 0.1, -0.2], score).unwrap(),
            cost: Coefficients::independent(vec![1.0, 0.5, -0.4], &[0.6, 0.2, 0.1]).unwrap(),
        };
        PosteriorFamily::of_training(&state, decision.controls(), 1).unwrap()
    }

    fn rows_of(features: Features, decision: &Decision, fan: &PosteriorFamily, baseline: &[f64]) -> Vec<f32> {
        let mut rows = GroupedRows::new(count(features, fan.center()));
        append(features, decision, fan, &OUTCOMES, baseline, &mut rows).unwrap();
        rows.row_major()
    }

    const OUTCOMES: [Innovation; 3] = [(0.0, 0.0), (1.5, -0.5), (-2.0, 0.7)];

    /// The mean, and the lower triangle of the covariance, of the belief after each outcome: score before cost.
    #[test]
    fn raw_features_are_the_numbers_of_the_belief_after_an_outcome() {
        let decision = decision(5);
        let fan = fan(&decision);
        let rows = rows_of(Features::Raw, &decision, &fan, &[0.0; 3]);
        let mut expected = Vec::new();
        for outcome in OUTCOMES {
            let State { score, cost } = fan.state(outcome).unwrap();
            for belief in [score, cost] {
                expected.extend_from_slice(belief.mean());
                for i in 0..3 {
                    expected.extend((0..=i).map(|j| belief.covariance()[3 * i + j]));
                }
            }
        }
        assert_eq!(rows.len(), expected.len());
        for (found, expected) in rows.iter().zip(&expected) {
            assert!((f64::from(*found) - expected).abs() < 1e-6, "{rows:?} {expected:?}");
        }
    }

    /// Worth below the best, standard deviation of the score, mean and standard deviation of the cost at some controls; then the baseline
    /// above that best.
    #[test]
    fn shapes_are_moments_at_controls_spread_evenly() {
        let decision = decision(5);
        let fan = fan(&decision);
        let (controls, baseline) = (decision.later(), [0.5, 0.6, 0.7]);
        for (count, at) in [(1, vec![2]), (2, vec![0, 4]), (3, vec![0, 2, 4]), (5, vec![0, 1, 2, 3, 4])] {
            let rows = rows_of(Features::Shape(count), &decision, &fan, &baseline);
            assert_eq!(rows.len(), 3 * (4 * count + 1));
            for ((row, outcome), known) in rows.chunks(4 * count + 1).zip(OUTCOMES).zip(baseline) {
                let state = fan.state(outcome).unwrap();
                let worth = |v: usize| state.score_at(controls, v) - 0.3 * state.cost_at(controls, v);
                let best = at.iter().map(|v| worth(*v)).fold(f64::NEG_INFINITY, f64::max);
                let mut expected = Vec::new();
                for v in at.iter().copied() {
                    let (_, doubt) = state.score.moments(controls.score(v));
                    let (cost, spread) = state.cost.moments(controls.cost(v));
                    let spread = (spread + controls.cost_noise(v)).sqrt();
                    expected.extend([worth(v) - best, doubt.sqrt(), cost, spread]);
                }
                expected.push(known - best);
                for (found, expected) in row.iter().zip(&expected) {
                    assert!((f64::from(*found) - expected).abs() < 1e-5, "{count}: {row:?} {expected:?}");
                }
            }
        }
    }
}
