//! Oblivious transfer in the noisy-storage model: where in the space of parameters any secure bit is left.
//!
//! Source: the Caligo exploration (Da Ros, 2025) for rates and ranges; decoder losses, latencies and the efficiency of
//! reconciliation are simple models where it has none. Entropies are in bits; r = 1 is a perfect memory of the adversary,
//! F is the weight of a Werner state.

use std::f64::consts::LN_2;

use thrifty_prob::{cdf, quantile};

/// Probability of failure ε of the protocol.
const EPSILON: f64 = 1e-10;
/// Probability that the correctness of the protocol fails.
const CORRECTNESS: f64 = 1e-6;
/// Bits that a decoder reveals, as a multiple of the entropy.
const DECODER: f64 = 1.05;
/// Frames that may fail.
const FRAME_ERROR: f64 = 0.1;

/// `h(p)`, the entropy of a coin.
pub(crate) fn entropy(p: f64) -> f64 {
    let term = |p: f64| if p > 0.0 { -p * p.ln() } else { 0.0 };
    (term(p) + term(1.0 - p)) / LN_2
}

/// Cost of privacy in bits: `2 log₂(1/ε) - 2`.
fn privacy() -> f64 {
    -2.0 * EPSILON.log2() - 2.0
}

/// Cost of secrecy and correctness in bits.
fn secrecy() -> f64 {
    64.0 - EPSILON.log2() - CORRECTNESS.log2()
}

/// `Γ(x)`: x above ½; the y up to ½ with `h(y) + y - 1 = x` below; 0 up to -1.
pub(crate) fn gamma(x: f64) -> f64 {
    if x >= 0.5 {
        return x;
    }
    if x <= -1.0 {
        return 0.0;
    }
    // h(y) + y increases on [0, ½], with an infinite slope at 0: halving is slow and safe.
    let (mut low, mut high) = (0.0_f64, 0.5_f64);
    for _ in 0..1100 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if entropy(middle) + middle - 1.0 < x { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// The rate of min-entropy against a memory of quality r that stores a share ν.
pub(crate) fn min_entropy_rate(r: f64, storage: f64) -> f64 {
    let stored = gamma(1.0 - (3.0 * r).mul_add(r, 1.0).log2()).max(1.0 - r);
    (1.0 - storage) / 2.0 + storage * stored
}

/// The dispersion of a binary symmetric channel.
fn dispersion(q: f64) -> f64 {
    q * (1.0 - q) * ((1.0 - q) / q).log2().powi(2)
}

/// The largest rate of a code of n bits at error q. Source: Polyanskiy, Poor & Verdú (2010), normal approximation.
pub(crate) fn largest_rate(n: f64, q: f64) -> f64 {
    1.0 - DECODER * entropy(q) - (dispersion(q) / n).sqrt() * quantile(1.0 - FRAME_ERROR)
        + n.log2() / (2.0 * n)
}

/// Secure bits a bit at the best rate, `[q, r]` for n bits: negative in the valley.
pub(crate) fn valley2_of(n: f64, q: f64, r: f64) -> f64 {
    min_entropy_rate(r, 1.0) - (1.0 - largest_rate(n, q)) - privacy() / n
}

/// The signed margin at rate R, `[n, q, r, R]`: negative where no bit is secure, or no decoder succeeds.
pub(crate) fn valley4(n: f64, q: f64, r: f64, rate: f64) -> f64 {
    (min_entropy_rate(r, 1.0) - (1.0 - rate) - privacy() / n).min(largest_rate(n, q) - rate)
}

/// Rate of a run of the protocol: whole secure bits per bit sent, if the decoder succeeds.
pub(crate) fn valley4_clipped(n: f64, q: f64, r: f64, rate: f64) -> f64 {
    let bits = (n * min_entropy_rate(r, 1.0) - n * (1.0 - rate) - privacy()).floor().max(0.0);
    let room = 1.0 - DECODER * entropy(q) + n.log2() / (2.0 * n) - rate;
    (1.0 - cdf(-room * (n / dispersion(q)).sqrt())) * bits / n
}

/// Everything that the nine parameters of a whole protocol decide.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Protocol {
    pub(crate) r: f64,
    pub(crate) storage: f64,
    /// Waiting time in ns.
    pub(crate) wait: f64,
    pub(crate) weight: f64,
    pub(crate) efficiency: f64,
    pub(crate) detector_error: f64,
    pub(crate) dark: f64,
    pub(crate) pairs: f64,
    pub(crate) blind: bool,
}

/// Yield of a protocol.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Yield {
    /// Secure bits a pair, negative where there are none.
    pub(crate) margin: f64,
    /// Whole secure bits a pair.
    pub(crate) clipped: f64,
    /// Bits that reconciliation reveals, as a multiple of the entropy.
    pub(crate) revealed: f64,
    /// Seconds.
    pub(crate) latency: f64,
}

/// Probability of a click, and of an error given one.
fn clicks(weight: f64, detector_error: f64, efficiency: f64, dark: f64) -> (f64, f64) {
    let source = (1.0 - weight) / 2.0;
    let error = source + detector_error - 2.0 * source * detector_error;
    let click = efficiency + (1.0 - efficiency) * dark;
    (click, ((efficiency * error + (1.0 - efficiency) * dark / 2.0) / click).clamp(1e-9, 0.5))
}

/// Bound on the excess of the error rate of the rest over that of k tested bits.
fn fluctuation(rest: f64, tested: f64) -> f64 {
    ((rest + tested) / (rest * tested) * (tested + 1.0) / tested * (16.0 / EPSILON).ln()).sqrt()
}

impl Protocol {
    /// The nine-dimensional problem.
    pub(crate) fn evaluate(&self) -> Yield {
        let (click, q) = clicks(self.weight, self.detector_error, self.efficiency, self.dark);
        let sifted = self.pairs * click / 2.0;
        let (tested, slack, revealed, rounds) = if self.blind {
            (0.0, 0.0, 1.12 + 2.0 / sifted.sqrt(), 4.0)
        } else {
            let tested = 0.05 * sifted;
            (tested, fluctuation(sifted - tested, tested), 1.16 + 1.0 / sifted.sqrt(), 2.0)
        };
        let handling = if self.blind { 6e-7 } else { 2e-7 };
        let latency = self.pairs * 1e-5 + self.wait * 1e-9 + rounds * 1e-3 + sifted * handling;
        if sifted < 32.0 {
            let margin = -click / 2.0 - privacy() / self.pairs;
            return Yield { margin, clipped: 0.0, revealed, latency };
        }
        let rate = min_entropy_rate(self.r, self.storage) - revealed * entropy((q + slack).min(0.5));
        let bits = (sifted - tested) * rate - secrecy();
        let clipped = if q >= 0.22 { 0.0 } else { bits.floor().max(0.0) / self.pairs };
        Yield { margin: bits / self.pairs, clipped, revealed, latency }
    }
}

/// Losses of a protocol of four parameters: `[log₁₀ wait in ns, log₁₀ pairs, share tested, gap to capacity]` to less its rate,
/// reconciliation revealed, seconds. A long wait ruins the memory of the adversary.
pub(crate) fn trade_offs(x: &[f64]) -> [f64; 3] {
    let (wait, pairs, share, gap) = (10_f64.powf(x[0]), 10_f64.powf(x[1]), x[2], x[3]);
    let memory = (-wait * (1e-7 + 1e-6) / 2.0).exp();
    let (click, q) = clicks(0.975, 0.0093, 0.9, 1e-6);
    let sifted = pairs * click / 2.0;
    let tested = share * sifted;
    let rest = sifted - tested;
    let assumed = (q + fluctuation(rest, tested)).min(0.5);
    let code = 1.0 - entropy(q) - gap;
    let fails = cdf(-(1.0 - DECODER * entropy(q) - code) * (rest / dispersion(q)).sqrt());
    let secret = min_entropy_rate(memory, 1.0) - (1.0 - code) - (entropy(assumed) - entropy(q));
    let rate = (1.0 - fails) * (rest * secret - secrecy()) / pairs;
    let latency = pairs * 1e-5 + wait * 1e-9 + 2e-3 + rest * 2e-7 / (0.02 + gap);
    [-rate, (1.0 - code) / entropy(q), latency]
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    const GOLDEN: &str =
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/golden/caligo.json"));

    fn golden() -> Value {
        let file: Value = serde_json::from_str(GOLDEN).unwrap();
        file["caligo_synthetic"].clone()
    }

    fn close(found: f64, expected: &Value) {
        let expected = expected.as_f64().unwrap();
        assert!((found - expected).abs() <= 1e-12 * expected.abs().max(1.0), "{found}, expected {expected}");
    }

    #[test]
    fn rates_of_entropy_are_those_of_the_definitions() {
        for (x, expected) in golden()["Gamma"].as_object().unwrap() {
            close(gamma(x.parse().unwrap()), expected);
        }
        for (r, expected) in golden()["hmin"].as_object().unwrap() {
            close(min_entropy_rate(r.parse().unwrap(), 1.0), expected);
        }
        assert_eq!((entropy(0.0), entropy(1.0), entropy(0.5)), (0.0, 0.0, 1.0));
        // Storage of half the bits lies half way to what no storage leaves.
        assert!((min_entropy_rate(0.3, 0.0) - 0.5).abs() < 1e-15);
        assert!((min_entropy_rate(0.3, 0.5) - 0.6).abs() < 1e-12);
    }

    #[test]
    fn largest_rates_and_protocols_are_those_of_the_definitions() {
        let golden = golden();
        for row in golden["dv2"].as_array().unwrap() {
            let [n, q] = ["n", "Q"].map(|name| row[name].as_f64().unwrap());
            close(largest_rate(n, q), &row["Rmax"]);
        }
        for row in golden["caligo9"].as_array().unwrap() {
            let x = |i: usize| row["x"][i].as_f64().unwrap();
            let protocol = Protocol {
                r: x(0),
                storage: x(1),
                wait: x(2),
                weight: x(3),
                efficiency: x(4),
                detector_error: x(5),
                dark: x(6),
                pairs: x(7),
                blind: row["x"][8].as_bool().unwrap(),
            };
            let found = protocol.evaluate();
            close(found.margin, &row["margin"]);
            close(found.clipped, &row["net_eff"]);
            close(found.revealed, &row["f_eff"]);
            close(found.latency, &row["latency_s"]);
        }
    }

    #[test]
    fn too_few_clicks_leave_nothing_and_the_margin_says_how_far() {
        let few = Protocol {
            r: 0.5,
            storage: 0.5,
            wait: 1e6,
            weight: 0.99,
            efficiency: 1e-3,
            detector_error: 0.0,
            dark: 1e-8,
            pairs: 1e4,
            blind: false,
        };
        let found = few.evaluate();
        assert!(found.margin < -5e-4 && found.clipped == 0.0 && found.latency.is_finite());
    }
}
