use crate::Decision;
use crate::cloud::pack;
use crate::fan::{Fan, Outcome};
use crate::map::Features;

/// Appends a row of features for every outcome; of what is known without learning as well.
pub(super) fn append(
    features: Features,
    decision: &Decision,
    fan: &Fan,
    outcomes: &[Outcome],
    baseline: &[f64],
    rows: &mut Vec<f32>,
) {
    match features {
        Features::Raw => raw(fan, outcomes, rows),
        Features::Shape(count) => shape(count, decision, fan, outcomes, baseline, rows),
    }
}

/// As a cloud packs beliefs.
fn raw(fan: &Fan, outcomes: &[Outcome], rows: &mut Vec<f32>) {
    let mut numbers = Vec::new();
    pack(&fan.centre().score, 1.0, &mut numbers);
    let split = numbers.len();
    pack(&fan.centre().cost, 1.0, &mut numbers);
    for (z, w) in outcomes {
        let from = rows.len();
        rows.extend(numbers.iter().map(|number| *number as f32));
        for (at, step) in fan.score_step().iter().enumerate() {
            rows[from + at] = (numbers[at] + z * step) as f32;
        }
        for (at, step) in fan.cost_step().iter().enumerate() {
            rows[from + split + at] = (numbers[split + at] + w * step) as f32;
        }
    }
}

fn shape(
    count: usize,
    decision: &Decision,
    fan: &Fan,
    outcomes: &[Outcome],
    baseline: &[f64],
    rows: &mut Vec<f32>,
) {
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
            doubt: fan.centre().score.moments(score).1.sqrt(),
            spread: (fan.centre().cost.moments(cost).1 + controls.cost_noise(v)).sqrt(),
        }
    };
    let seen: Vec<At> = (0..count).map(at).collect();
    for ((z, w), known) in outcomes.iter().zip(baseline) {
        let from = rows.len();
        for at in &seen {
            let cost = at.cost.0 + at.cost.1 * w;
            let paid = at.spread * decision.table().at(cost / at.spread);
            let worth = at.score.0 + at.score.1 * z - decision.gamma() * paid;
            rows.extend([worth as f32, at.doubt as f32, cost as f32, at.spread as f32]);
        }
        let best = rows[from..].iter().step_by(4).copied().fold(f32::NEG_INFINITY, f32::max);
        rows[from..].iter_mut().step_by(4).for_each(|worth| *worth -= best);
        // Where a training more adds nothing yet, further ones hardly do: the end of learning must be told from its middle.
        rows.push(*known as f32 - best);
    }
}
