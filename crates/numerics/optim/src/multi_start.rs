//! Search from several starts.

use crate::{Lbfgsb, Minimum, OptimError};

/// Results of a search from several starts.
#[derive(Debug, Clone, PartialEq)]
pub struct MultiStart {
    /// One result a start, in the order of the starts.
    pub results: Vec<Result<Minimum, OptimError>>,
    best: usize,
}

impl MultiStart {
    /// A multi-start from the results of any search, one a start.
    ///
    /// # Errors
    /// [`OptimError::NoStarts`] without any, else the first start's error when every one of them failed.
    pub fn of(results: Vec<Result<Minimum, OptimError>>) -> Result<Self, OptimError> {
        let value = |i: usize| results[i].as_ref().map_or(f64::INFINITY, |minimum| minimum.value);
        let best = (0..results.len()).reduce(|best, i| if value(i) < value(best) { i } else { best });
        match best {
            None => Err(OptimError::NoStarts),
            Some(best) => match &results[best] {
                Ok(_) => Ok(Self { results, best }),
                Err(error) => Err(error.clone()),
            },
        }
    }

    /// The lowest minimum, the first of equals.
    ///
    /// # Panics
    /// Never: a multi-start without any success is an error of [`MultiStart::of`].
    #[must_use]
    pub fn best(&self) -> &Minimum {
        match &self.results[self.best] {
            Ok(minimum) => minimum,
            Err(error) => unreachable!("the best start succeeded: {error}"),
        }
    }

    /// Refines the lowest minimum by another optimiser.
    ///
    /// Rough searches from all starts and one exact search cost less than an exact search from every start, and the
    /// best minimum is as exact.
    ///
    /// # Errors
    /// [`OptimError`] when `f` fails where it did not before.
    pub fn polished(
        self,
        optimizer: &Lbfgsb,
        f: impl FnMut(&[f64], &mut [f64]) -> f64,
        bounds: &[(f64, f64)],
    ) -> Result<Self, OptimError> {
        self.refined(|start| optimizer.minimize(f, start, bounds))
    }

    /// Refines the lowest minimum by any search.
    ///
    /// # Errors
    /// Those of the search.
    pub fn refined(
        mut self,
        search: impl FnOnce(&[f64]) -> Result<Minimum, OptimError>,
    ) -> Result<Self, OptimError> {
        let rough = self.best();
        let (exact, evaluations) = (search(&rough.x)?, rough.evaluations);
        self.results[self.best] = Ok(Minimum { evaluations: exact.evaluations + evaluations, ..exact });
        Ok(self)
    }
}

/// Minimises `f` from every start and keeps all results.
///
/// # Errors
/// [`OptimError::NoStarts`] without starts, else the first start's error when every one of them failed.
pub fn multi_start(
    optimizer: &Lbfgsb,
    mut f: impl FnMut(&[f64], &mut [f64]) -> f64,
    starts: &[Vec<f64>],
    bounds: &[(f64, f64)],
) -> Result<MultiStart, OptimError> {
    MultiStart::of(starts.iter().map(|start| optimizer.minimize(&mut f, start, bounds)).collect())
}
