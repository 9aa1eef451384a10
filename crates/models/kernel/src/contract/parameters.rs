//! The law of a kernel's parameters.

use super::violation::{Law, Violation, close};
use crate::Kernel;

/// See [`Law::Parameters`].
pub(super) fn law(kernel: &dyn Kernel) -> Result<(), Violation> {
    let params = kernel.params();
    let holds = |quantity: &str, found: f64, expected: f64| {
        close((found, expected), 0.0, Law::Parameters, || quantity.to_owned(), &[])
    };
    holds("the number of params()", params.len() as f64, kernel.num_params() as f64)?;
    for (p, param) in params.iter().enumerate() {
        let twins = params[..p].iter().filter(|other| other.name == param.name).count();
        holds(&format!("the number of parameters before {p} named {}", param.name), twins as f64, 0.0)?;
        holds(&format!("parameter {}", param.name), param.value.clamp(param.low, param.high), param.value)?;
    }
    // Values that differ from each other and from those at hand, within the bounds.
    let set: Vec<f64> =
        params.iter().enumerate().map(|(p, param)| between(param.low, param.high, p)).collect();
    let mut moved = kernel.clone_box();
    moved.set_params(&set);
    for ((param, set), before) in moved.params().iter().zip(&set).zip(&params) {
        holds(&format!("parameter {} after it was set", param.name), param.value, *set)?;
        holds(&format!("the lower bound of {} after it was set", param.name), param.low, before.low)?;
        holds(&format!("the upper bound of {} after it was set", param.name), param.high, before.high)?;
    }
    // A copy is a copy.
    for (param, before) in kernel.params().iter().zip(&params) {
        holds(&format!("parameter {} after a copy was changed", param.name), param.value, before.value)?;
    }
    Ok(())
}

/// Shares of the range of a parameter.
const SHARES: [f64; 7] = [0.2, 0.5, 0.4, 0.7, 0.3, 0.6, 0.45];

fn between(low: f64, high: f64, p: usize) -> f64 {
    let share = SHARES[p % SHARES.len()];
    if low > 0.0 { low * (high / low).powf(share) } else { low + share * (high - low) }.clamp(low, high)
}
