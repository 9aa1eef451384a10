//! Least times over repeats within a budget.

use cpu_time::ProcessTime;

/// Time for which a measurement is repeated.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Budget {
    /// CPU seconds from which no further repeat begins.
    pub seconds: f64,
    /// Most repeats.
    pub repeats: usize,
}

/// Least seconds a sample should last, so that reading the clock costs nothing beside it.
const SAMPLE: f64 = 1e-3;

/// The least CPU milliseconds of one call, over repeats, with what the last call returned.
///
/// The minimum, because other work on the machine only ever adds. Time of the whole process: what threads do in
/// the background counts.
pub fn cpu_minimum<R>(budget: Budget, mut run: impl FnMut() -> R) -> (f64, usize, R) {
    let (first, mut result) = timed(&mut run);
    let calls = (SAMPLE / first).clamp(1.0, 1000.0) as usize;
    let (mut least, mut spent, mut repeats) = (first, first, 1);
    while repeats < budget.repeats && spent < budget.seconds {
        let began = ProcessTime::now();
        for _ in 0..calls {
            result = run();
        }
        let seconds = began.elapsed().as_secs_f64();
        least = least.min(seconds / calls as f64);
        spent += seconds;
        repeats += 1;
    }
    (1e3 * least, repeats, result)
}

/// Least CPU time of work that destroys what it works on: `prepare` is not timed.
pub fn cpu_minimum_prepared<S>(
    budget: Budget,
    state: &mut S,
    mut prepare: impl FnMut(&mut S),
    mut run: impl FnMut(&mut S),
) -> f64 {
    let (mut least, mut spent) = (f64::INFINITY, 0.0);
    for _ in 0..budget.repeats.max(1) {
        prepare(state);
        let (seconds, ()) = timed(&mut || run(state));
        least = least.min(seconds);
        spent += seconds;
        if spent >= budget.seconds {
            break;
        }
    }
    1e3 * least
}

/// CPU seconds of one call, never 0.
fn timed<R>(run: &mut impl FnMut() -> R) -> (f64, R) {
    let began = ProcessTime::now();
    let result = run();
    (began.elapsed().as_secs_f64().max(1e-9), result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_end_with_the_budget_and_begin_at_least_once() {
        let none = Budget { seconds: 0.0, repeats: 0 };
        let (ms, repeats, last) = cpu_minimum(none, || 7);
        assert!(ms > 0.0 && repeats == 1 && last == 7);
        let mut prepared = 0;
        let three = Budget { seconds: f64::INFINITY, repeats: 3 };
        cpu_minimum_prepared(three, &mut prepared, |count| *count += 1, |_| ());
        assert_eq!(prepared, 3);
    }
}
