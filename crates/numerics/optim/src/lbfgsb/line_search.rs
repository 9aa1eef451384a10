//! Line search with the strong Wolfe conditions.

/// A search along a line for a step with the strong Wolfe conditions.
///
/// ```text
/// φ(t) ≤ φ(0) + 1e-3 t φ'(0),   |φ'(t)| ≤ 0.9 |φ'(0)|
/// ```
///
/// Safeguarded cubic and quadratic interpolation on a shrinking interval. A value that is not finite cuts the distance to the best step to
/// a tenth, and from there on steps that would grow to it go half of the way. Source: Moré & Thuente (1994); departure: a step that grows
/// goes a tenth beyond the extrapolated minimum and is limited by the longest step alone, not by four times the last growth.
pub(super) struct LineSearch {
    start: Sample,
    step: f64,
    longest: f64,
    /// True if the value at the longest step is not finite.
    is_cut: bool,
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

/// Next action after a probe.
pub(super) enum Probe {
    /// The step satisfies the conditions.
    Accept,
    /// No more progress: take the last point if it is lower, or the lowest if some value was not finite.
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
            is_cut: false,
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

    /// True if some value or slope was not finite.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Takes value and slope at the current step, and returns the next action.
    pub(super) fn probe(&mut self, value: f64, slope: f64) -> Probe {
        self.probes += 1;
        if !(value.is_finite() && slope.is_finite()) {
            return self.retreat();
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
        if self.is_cut && self.step >= self.longest {
            self.step = self.best.t + 0.5 * (self.longest - self.best.t);
        }
        if self.bracketed
            && (self.other.t - self.best.t).abs() <= f64::EPSILON * self.best.t.max(self.other.t)
        {
            self.step = self.best.t;
            return Probe::Stuck;
        }
        Probe::Again
    }

    /// Shortens the step after a value or slope that is not finite, which no later step may reach.
    fn retreat(&mut self) -> Probe {
        self.is_cut = true;
        if self.probes >= MAX_PROBES {
            return Probe::Stuck;
        }
        self.longest = self.step;
        self.bracketed = false;
        self.step = self.best.t + 0.1 * (self.step - self.best.t);
        self.width = self.longest;
        self.previous_width = 2.0 * self.longest;
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

/// Minimiser beyond `b` of the cubic through a falling pair; the end of the line if it has none.
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

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    /// First steps that bracket, the second file with longer searches.
    const GOLDEN: [&str; 2] = [
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/golden/line_search.json")),
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/golden/line_search_steps.json")),
    ];

    fn numbers(value: &Value) -> Vec<f64> {
        value.as_array().expect("an array").iter().map(|v| v.as_f64().expect("a number")).collect()
    }

    /// Value and slope of a polynomial by Horner's rule.
    fn polynomial(coefficients: &[f64], t: f64) -> (f64, f64) {
        coefficients.iter().rev().fold((0.0, 0.0), |(f, d), c| (f * t + c, d * t + f))
    }

    /// The steps of a search, and whether the last step was accepted.
    fn trace(phi: impl Fn(f64) -> (f64, f64), step: f64, longest: f64) -> (Vec<f64>, bool) {
        let (value, slope) = phi(0.0);
        let mut search = LineSearch::new(value, slope, step, longest);
        let mut steps = Vec::new();
        loop {
            steps.push(search.step());
            let (value, slope) = phi(search.step());
            match search.probe(value, slope) {
                Probe::Accept => return (steps, true),
                Probe::Stuck => return (steps, false),
                Probe::Again => assert!(steps.len() < 100, "endless: {steps:?}"),
            }
        }
    }

    #[test]
    fn steps_are_those_of_minpack() {
        let golden = GOLDEN.map(|text| serde_json::from_str::<Value>(text).expect("JSON"));
        for case in golden.iter().flat_map(|golden| golden["cases"].as_array().expect("cases")) {
            let coefficients = numbers(&case["polynomial"]);
            let [step, longest] = ["step", "longest"].map(|name| case[name].as_f64().expect("a number"));
            let (steps, accepted) = trace(|t| polynomial(&coefficients, t), step, longest);
            let expected = numbers(&case["steps"]);
            assert!(accepted && steps.len() == expected.len(), "{coefficients:?}: {steps:?} {expected:?}");
            for (found, expected) in steps.iter().zip(&expected) {
                assert!((found - expected).abs() <= 1e-9 * expected, "{coefficients:?}: {found} {expected}");
            }
        }
    }

    /// A first step beyond the pole of a barrier is cut to a tenth of its distance to the best step, and again.
    #[test]
    fn steps_into_the_undefined_are_cut() {
        // -t up to 3e-4, undefined beyond.
        let phi = |t: f64| if t <= 3e-4 { (-t, -1.0) } else { (f64::NAN, -1.0) };
        let (steps, accepted) = trace(phi, 1.0, 2.0);
        // Cuts to a tenth; then half of the way to the last undefined step, and cuts to a tenth of the way from the best step.
        let expected =
            [1.0, 0.1, 1e-2, 1e-3, 1e-4, 5.5e-4, 1.45e-4, 3.475e-4, 1.6525e-4, 2.56375e-4, 3.019_375e-4];
        assert!(steps.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{steps:?}");
        // The last probe is at a number, which is low enough.
        assert!(accepted && steps.len() == MAX_PROBES && steps[MAX_PROBES - 1] > 2.99e-4, "{steps:?}");
        let (steps, accepted) = trace(|t| if t > 0.0 { (f64::INFINITY, 0.0) } else { (0.0, -1.0) }, 1.0, 2.0);
        assert!(!accepted && steps.len() == MAX_PROBES, "{steps:?}");
    }

    /// A line that falls for ever is followed to the longest step, which is accepted.
    #[test]
    fn the_longest_step_of_a_falling_line_is_accepted() {
        let (steps, accepted) = trace(|t| (-t, -1.0), 0.5, 3.0);
        assert_eq!((steps, accepted), (vec![0.5, 3.0], true));
    }

    /// Steps that are too short grow to a tenth beyond the extrapolated minimum, that of a parabola being exact, as far as allowed.
    #[test]
    fn short_steps_grow_beyond_the_extrapolated_minimum() {
        let parabola = |t: f64| (0.5 * t * t - t, t - 1.0);
        for (step, longest, second) in
            [(0.05, 9.0, 0.05 + 1.1 * 0.95), (0.05, 1.07, 1.07), (0.01, 2.0, 0.01 + 1.1 * 0.99)]
        {
            let (steps, accepted) = trace(parabola, step, longest);
            assert!(accepted && steps.len() == 2, "{steps:?}");
            assert!((steps[1] - second).abs() < 1e-9, "{steps:?} {second}");
        }
        // A slope that falls more and more: the longest step.
        let (steps, accepted) = trace(|t| (-t - t * t, -1.0 - 2.0 * t), 0.5, 7.0);
        assert_eq!((steps, accepted), (vec![0.5, 7.0], true));
    }

    /// Two minima of cubics by hand: t³/3 - t has its minimum at 1, and 2t - t² none beyond 1.
    #[test]
    fn cubics_by_hand() {
        let at = |t: f64| Sample { t, f: t * t * t / 3.0 - t, d: t * t - 1.0 };
        for (a, b) in [(0.0, 2.0), (2.0, 0.0), (0.5, 3.0)] {
            assert!((cubic_minimum(at(a), at(b)) - 1.0).abs() < 1e-12, "{a} {b}");
        }
        for (a, b) in [(0.0, 0.5), (-0.5, 0.9)] {
            assert!((cubic_beyond(at(a), at(b), 9.0) - 1.0).abs() < 1e-12, "{a} {b}");
        }
        // -t² and -t³ - t fall for ever.
        let bent = |t: f64| Sample { t, f: -t * t, d: -2.0 * t };
        assert_eq!(cubic_beyond(bent(1.0), bent(2.0), 9.0), 9.0);
        let steep =
            |sign: f64, t: f64| Sample { t: sign * t, f: -t * t * t - t, d: -sign * (3.0 * t * t + 1.0) };
        assert_eq!(cubic_beyond(steep(1.0, 1.0), steep(1.0, 2.0), 9.0), 9.0);
        assert_eq!(cubic_beyond(steep(-1.0, 1.0), steep(-1.0, 2.0), 9.0), 0.0);
    }

    /// Cubics in any unit have their minimum in the same place: squares of their slopes are never formed.
    #[test]
    fn cubics_of_any_size() {
        for unit in [1e-250, 1e-100, 1.0, 1e100, 1e250] {
            let at = |t: f64| Sample { t, f: unit * (t * t * t / 3.0 - t), d: unit * (t * t - 1.0) };
            for (a, b) in [(0.0, 2.0), (2.0, 0.0), (0.5, 3.0)] {
                assert!((cubic_minimum(at(a), at(b)) - 1.0).abs() < 1e-12, "{unit:e} {a} {b}");
            }
            for (a, b) in [(0.0, 0.5), (-0.5, 0.9)] {
                assert!((cubic_beyond(at(a), at(b), 9.0) - 1.0).abs() < 1e-12, "{unit:e} {a} {b}");
            }
        }
    }

    /// A falling slope that flattens: of the cubic and the secant step the farther one, or within a bracket the nearer one, at
    /// most two thirds of the way to its other end.
    #[test]
    fn flattening_slopes_choose_between_the_cubic_and_the_secant() {
        let start = Sample { t: 0.0, f: 0.0, d: -1.0 };
        let advanced = |trial: Sample, other: Option<f64>| {
            let mut search = LineSearch::new(0.0, -1.0, trial.t, 10.0);
            if let Some(t) = other {
                (search.other, search.bracketed) = (Sample { t, ..start }, true);
            }
            search.advance(trial);
            assert_eq!(search.best.t, trial.t);
            search.step
        };
        // Of t³/3 - t at ½ the secant goes to 2 and the cubic to 1.
        let cubic = Sample { t: 0.5, f: 0.125 / 3.0 - 0.5, d: -0.75 };
        // Values that fall too fast for a cubic with a minimum: its step is the longest; the secant goes to 2.
        let steep = Sample { t: 1.0, f: -0.7, d: -0.5 };
        for (trial, other, expected) in [
            (cubic, None, 2.0),
            (cubic, Some(4.0), 1.0),
            (cubic, Some(0.9), 0.5 + 0.66 * 0.4),
            (steep, None, 10.0),
            (steep, Some(4.0), 2.0),
            (steep, Some(2.0), 1.66),
        ] {
            let found = advanced(trial, other);
            assert!((found - expected).abs() < 1e-12, "{} {other:?}: {found} {expected}", trial.t);
        }
    }

    /// A parabola whose first step is as high as the start: the first stage minimises it less the line of sufficient decrease,
    /// `t² - 2t + 2e-3 t`, whose minimum is at 0.999 (Moré & Thuente 1994, section 2).
    #[test]
    fn a_first_step_as_high_as_the_start_leads_to_the_minimum_above_the_line_of_decrease() {
        let (steps, accepted) = trace(|t| (t * t - 2.0 * t, 2.0 * t - 2.0), 2.0, 9.0);
        assert!(accepted && steps.len() == 2, "{steps:?}");
        assert!((steps[1] - 0.999).abs() < 1e-12, "{steps:?}, expected 0.999");
    }

    /// A narrow bracket is enough for a step that is lower than the start, however little; from one that is as high the search goes on.
    #[test]
    fn a_narrow_bracket_ends_the_search_below_the_start_alone() {
        for (value, is_stuck) in [(-1e-9, true), (0.0, false), (1e-9, false)] {
            let mut search = LineSearch::new(0.0, -1.0, 1.02, 10.0);
            (search.best, search.other) =
                (Sample { t: 1.0, f: -1e-8, d: -0.95 }, Sample { t: 1.05, f: 1.0, d: 3.0 });
            search.bracketed = true;
            let found = search.probe(value, 2.0);
            let is_right =
                if is_stuck { matches!(found, Probe::Stuck) } else { matches!(found, Probe::Again) };
            assert!(is_right, "value {value} beside the start's 0");
        }
    }
}
