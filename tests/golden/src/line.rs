//! Outcome of one family of numbers.

/// Worst error of one family of a file.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Line {
    /// Name of the file.
    pub file: String,
    /// Family of the comparison.
    pub family: String,
    /// Numbers, or groups of numbers.
    pub cases: usize,
    /// The largest error, in the units of the tolerance; infinite where this build does not know what the file names.
    pub worst_error: f64,
    /// The largest error that passes.
    pub tolerance: f64,
    /// True if the worst error is within the tolerance.
    pub pass: bool,
}

/// Collects the worst error of a family.
pub(crate) struct Family {
    name: String,
    tolerance: f64,
    pub(crate) cases: usize,
    worst: f64,
}

impl Family {
    pub(crate) fn new(name: impl Into<String>, tolerance: f64) -> Self {
        Self { name: name.into(), tolerance, cases: 0, worst: 0.0 }
    }

    /// Counts a case with its error; NaN is as bad as can be.
    pub(crate) fn add(&mut self, error: f64) {
        self.cases += 1;
        self.worst = if error.is_nan() { f64::INFINITY } else { self.worst.max(error) };
    }

    pub(crate) fn line(self) -> Line {
        let pass = self.worst <= self.tolerance;
        Line {
            file: String::new(),
            family: self.name,
            cases: self.cases,
            worst_error: self.worst,
            tolerance: self.tolerance,
            pass,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_error_decides() {
        let line = |errors: &[f64]| {
            let mut family = Family::new("a", 1e-3);
            errors.iter().for_each(|error| family.add(*error));
            family.line()
        };
        assert!(line(&[0.0, 1e-3]).pass && !line(&[0.0, 2e-3, 1e-4]).pass);
        assert!(!line(&[f64::NAN, 0.0]).pass, "a later case hides a NaN");
        assert_eq!(line(&[1e-4, 5e-4]).worst_error, 5e-4);
    }
}
