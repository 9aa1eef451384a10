/// A search along a line for a step with the strong Wolfe conditions.
///
/// ```text
/// φ(t) ≤ φ(0) + 1e-3 t φ'(0),   |φ'(t)| ≤ 0.9 |φ'(0)|
/// ```
///
/// Safeguarded cubic and quadratic interpolation on a shrinking interval. A value that is not finite halves the
/// distance to the best step. Source: Moré & Thuente (1994).
pub(super) struct LineSearch {
    start: Sample,
    step: f64,
    longest: f64,
    best: Sample,
    other: Sample,
    bracketed: bool,
    first_stage: bool,
    width: f64,
    previous_width: f64,
    probes: usize,
}

/// Step, value and slope.
#[derive(Clone, Copy)]
struct Sample {
    t: f64,
    f: f64,
    d: f64,
}

/// What to do after a probe.
pub(super) enum Probe {
    /// The step satisfies the conditions.
    Accept,
    /// No more progress: take the last point if it is lower.
    Stuck,
    /// Evaluate at [`LineSearch::step`].
    Again,
}

const DECREASE: f64 = 1e-3;
const CURVATURE: f64 = 0.9;
const MAX_PROBES: usize = 20;

impl LineSearch {
    pub(super) fn new(value: f64, slope: f64, step: f64, longest: f64) -> Self {
        let start = Sample { t: 0.0, f: value, d: slope };
        Self {
            start,
            step,
            longest,
            best: start,
            other: start,
            bracketed: false,
            first_stage: true,
            width: longest,
            previous_width: 2.0 * longest,
            probes: 0,
        }
    }

    pub(super) fn step(&self) -> f64 {
        self.step
    }

    /// Takes value and slope at the current step and says what to do.
    pub(super) fn probe(&mut self, value: f64, slope: f64) -> Probe {
        self.probes += 1;
        if !(value.is_finite() && slope.is_finite()) {
            if self.probes >= MAX_PROBES {
                return Probe::Stuck;
            }
            self.longest = self.step;
            self.bracketed = false;
            self.step = self.best.t + 0.1 * (self.step - self.best.t);
            self.width = self.longest;
            self.previous_width = 2.0 * self.longest;
            return Probe::Again;
        }
        let trial = Sample { t: self.step, f: value, d: slope };
        let test = DECREASE * self.start.d;
        let allowed = self.start.f + trial.t * test;
        if self.first_stage && value <= allowed && slope >= 0.0 {
            self.first_stage = false;
        }
        if value <= allowed && slope.abs() <= CURVATURE * -self.start.d {
            return Probe::Accept;
        }
        if self.step >= self.longest && value <= allowed && slope <= test {
            return Probe::Accept;
        }
        let (low, high) = (self.best.t.min(self.other.t), self.best.t.max(self.other.t));
        let narrow = self.bracketed && high - low <= 0.1 * high;
        if self.probes >= MAX_PROBES || narrow && value < self.start.f {
            return if value <= allowed { Probe::Accept } else { Probe::Stuck };
        }
        // Until a step with sufficient decrease and rising slope is seen, work on φ minus the line of decrease.
        if self.first_stage && value <= self.best.f && value > allowed {
            let tilt =
                |s: Sample, sign: f64| Sample { f: s.f + sign * s.t * test, d: s.d + sign * test, ..s };
            (self.best, self.other) = (tilt(self.best, -1.0), tilt(self.other, -1.0));
            self.advance(tilt(trial, -1.0));
            (self.best, self.other) = (tilt(self.best, 1.0), tilt(self.other, 1.0));
        } else {
            self.advance(trial);
        }
        if self.bracketed {
            let width = (self.other.t - self.best.t).abs();
            if width >= 0.66 * self.previous_width {
                self.step = self.best.t + 0.5 * (self.other.t - self.best.t);
            }
            self.previous_width = self.width;
            self.width = width;
        } else {
            let ahead = self.step - self.best.t;
            self.step =
                self.step.clamp(self.best.t + 1.1 * ahead.max(0.0), self.best.t + 4.0 * ahead.max(0.0));
        }
        self.step = self.step.clamp(0.0, self.longest);
        if self.bracketed
            && (self.other.t - self.best.t).abs() <= f64::EPSILON * self.best.t.max(self.other.t)
        {
            self.step = self.best.t;
            return Probe::Stuck;
        }
        Probe::Again
    }

    /// Updates the interval and chooses the next step: the four cases of the paper's section 4.
    fn advance(&mut self, trial: Sample) {
        let Sample { t, f, d } = trial;
        let b = self.best;
        let opposite = d * (b.d / b.d.abs()) < 0.0;
        let next = if f > b.f {
            self.bracketed = true;
            let cubic = cubic_minimum(b, trial);
            let quadratic = b.t + (b.d / ((b.f - f) / (t - b.t) + b.d)) / 2.0 * (t - b.t);
            if (cubic - b.t).abs() < (quadratic - b.t).abs() {
                cubic
            } else {
                cubic + (quadratic - cubic) / 2.0
            }
        } else if opposite {
            self.bracketed = true;
            let cubic = cubic_minimum(b, trial);
            let secant = t + d / (d - b.d) * (b.t - t);
            if (cubic - t).abs() > (secant - t).abs() { cubic } else { secant }
        } else if d.abs() < b.d.abs() {
            let secant = t + d / (d - b.d) * (b.t - t);
            let cubic = cubic_beyond(b, trial, self.longest);
            if self.bracketed {
                let nearer = if (cubic - t).abs() < (secant - t).abs() { cubic } else { secant };
                let limit = t + 0.66 * (self.other.t - t);
                if t > b.t { nearer.min(limit) } else { nearer.max(limit) }
            } else {
                let farther = if (cubic - t).abs() > (secant - t).abs() { cubic } else { secant };
                farther.clamp(0.0, self.longest)
            }
        } else if self.bracketed {
            cubic_minimum(self.other, trial)
        } else if t > b.t {
            self.longest
        } else {
            0.0
        };
        if f > b.f {
            self.other = trial;
        } else {
            if opposite {
                self.other = b;
            }
            self.best = trial;
        }
        self.step = if next.is_finite() { next } else { 0.5 * (self.best.t + self.other.t) };
    }
}

/// Minimiser of the cubic through values and slopes at two steps.
fn cubic_minimum(a: Sample, b: Sample) -> f64 {
    let theta = 3.0 * (a.f - b.f) / (b.t - a.t) + a.d + b.d;
    let scale = theta.abs().max(a.d.abs()).max(b.d.abs());
    let root = scale * ((theta / scale).powi(2) - (a.d / scale) * (b.d / scale)).max(0.0).sqrt();
    let gamma = if b.t < a.t { -root } else { root };
    let p = gamma - a.d + theta;
    let q = gamma - a.d + gamma + b.d;
    a.t + p / q * (b.t - a.t)
}

/// Where the cubic through a falling pair has its minimum beyond `b`; the end of the line if it has none.
fn cubic_beyond(a: Sample, b: Sample, longest: f64) -> f64 {
    let theta = 3.0 * (a.f - b.f) / (b.t - a.t) + a.d + b.d;
    let scale = theta.abs().max(a.d.abs()).max(b.d.abs());
    let root = scale * ((theta / scale).powi(2) - (a.d / scale) * (b.d / scale)).max(0.0).sqrt();
    let gamma = if b.t > a.t { -root } else { root };
    let p = gamma - b.d + theta;
    let q = gamma + (a.d - b.d) + gamma;
    let r = p / q;
    if r < 0.0 && gamma != 0.0 {
        b.t + r * (a.t - b.t)
    } else if b.t > a.t {
        longest
    } else {
        0.0
    }
}
