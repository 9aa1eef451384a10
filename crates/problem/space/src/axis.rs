//! Continuous parameters: maps between numbers in `[low, high]` and positions in `[0, 1]`.

/// The bounds of a continuous parameter and its scale.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Axis {
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) log: bool,
}

impl Axis {
    /// True if numbers have a position on the axis: its length must be finite.
    pub(crate) fn is_measurable(self) -> bool {
        let Self { low, high, log } = self;
        let length = if log && low > 0.0 { high / low } else { high - low };
        low.is_finite() && high.is_finite() && low < high && length.is_finite()
    }

    /// The number at `u`, rounded into the bounds.
    pub(crate) fn number(self, u: f64) -> f64 {
        let Self { low, high, log } = self;
        let number = if u == 1.0 {
            high
        } else if log {
            low * (u * (high / low).ln()).exp()
        } else {
            low + u * (high - low)
        };
        number.clamp(low, high)
    }

    /// Position of a number within the bounds, such that `place(number(place(v))) = place(v)` bit for bit.
    ///
    /// Rounding makes `u ↦ raw(number(u))` move over a few neighbouring doubles before it reaches a fixed point or, rarely, a cycle. The
    /// smallest member of the cycle is the position of all numbers that lead to it.
    pub(crate) fn place(self, number: f64) -> f64 {
        let next = |u: f64| self.raw(self.number(u));
        let start = self.raw(number);
        let (mut slow, mut fast) = (next(start), next(next(start)));
        while slow != fast {
            (slow, fast) = (next(slow), next(next(fast)));
        }
        std::iter::successors(Some(next(slow)), |&u| (u != slow).then(|| next(u))).fold(slow, f64::min)
    }

    fn raw(self, number: f64) -> f64 {
        let Self { low, high, log } = self;
        let u = if log { (number / low).ln() / (high / low).ln() } else { (number - low) / (high - low) };
        u.clamp(0.0, 1.0)
    }
}
