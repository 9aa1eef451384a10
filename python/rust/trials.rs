//! Finished trials of Optuna as they are most often, read without a call of Python per trial.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use thrifty::study::{Measurement, Outcome};

use crate::values::{Number, Numbers};

/// Stands for infinite losses of methods that rank, as in `_trials.py`.
const LARGEST: f64 = 1e100;

/// Attributes of a trial that do not change what it tells.
const NEUTRAL: [&str; 2] = ["thrifty:relative", "fixed_params"];

/// Attribute with the memo of a trial.
const MEMO: &str = "thrifty:memo";

/// Form of the values of one parameter.
enum Form {
    Float,
    /// A float with equal bounds, which is a choice of one value.
    Single(f64),
    Int,
    Choice {
        distribution: Py<PyAny>,
        choices: Py<PyTuple>,
    },
}

/// The parameters of a search space, and how outcomes are taken.
#[pyclass(frozen, module = "thrifty._thrifty")]
pub(crate) struct Columns {
    forms: Vec<(Py<PyString>, Form)>,
    is_partial: bool,
    ranks: bool,
    avoids_failures: bool,
    signs: Vec<f64>,
    /// `COMPLETE`, `PRUNED`, `FAIL`.
    states: [Py<PyAny>; 3],
}

#[pymethods]
impl Columns {
    /// Columns of distributions with their kinds: `float`, `int`, `choice`, or the value of a float with equal bounds.
    #[new]
    fn new(
        forms: Vec<(Py<PyString>, Bound<'_, PyAny>, Bound<'_, PyAny>)>,
        is_partial: bool,
        ranks: bool,
        avoids_failures: bool,
        signs: Vec<f64>,
        states: [Py<PyAny>; 3],
    ) -> PyResult<Self> {
        let form = |kind: Bound<'_, PyAny>, distribution: Bound<'_, PyAny>| -> PyResult<Form> {
            if let Ok(low) = kind.extract::<f64>() {
                return Ok(Form::Single(low));
            }
            Ok(match kind.extract::<String>()?.as_str() {
                "float" => Form::Float,
                "int" => Form::Int,
                _ => {
                    let choices = distribution.getattr("choices")?.cast_into::<PyTuple>()?.unbind();
                    Form::Choice { distribution: distribution.unbind(), choices }
                }
            })
        };
        let forms = forms.into_iter().map(|(name, kind, distribution)| Ok((name, form(kind, distribution)?)));
        let forms = forms.collect::<PyResult<_>>()?;
        Ok(Self { forms, is_partial, ranks, avoids_failures, signs, states })
    }
}

/// Numbers and outcome of a finished trial.
pub(crate) struct Finished {
    pub(crate) number: u64,
    pub(crate) numbers: Numbers,
    pub(crate) outcome: Outcome,
    pub(crate) reports: Vec<(u64, f64)>,
    pub(crate) memo: Option<String>,
}

/// One trial as it was read.
pub(crate) enum Read {
    /// Nothing that this code knows: Python reads it.
    Unusual,
    /// A trial of another space, by its number.
    Foreign(u64),
    /// A trial of the space.
    Finished(Finished),
}

/// The numbers of a trial's parameters.
enum Coded {
    Unusual,
    Foreign,
    Numbers(Numbers),
}

impl Columns {
    /// Reads one trial.
    pub(crate) fn read(&self, trial: &Bound<'_, PyAny>) -> PyResult<Read> {
        let py = trial.py();
        let state = trial.getattr(intern!(py, "state"))?;
        let Some(which) = self.states.iter().position(|known| state.is(known)) else {
            return Ok(Read::Unusual);
        };
        let (mut memo, attributes) = (None, trial.getattr(intern!(py, "system_attrs"))?);
        let Ok(attributes) = attributes.cast_into::<PyDict>() else { return Ok(Read::Unusual) };
        for (name, value) in &attributes {
            match name.cast::<PyString>()?.to_str()? {
                MEMO => memo = Some(value.extract::<String>()?),
                name if NEUTRAL.contains(&name) => {}
                _ => return Ok(Read::Unusual), // it may be a constraint
            }
        }
        let mut reports = Vec::new();
        let outcome = match which {
            0 => self.measured(trial)?,
            1 => self.pruned(trial, &mut reports)?,
            _ if self.avoids_failures => Some(Outcome::failed("failed")),
            _ => Some(Outcome::unrelated("failed")),
        };
        let Some(outcome) = outcome else { return Ok(Read::Unusual) };
        let number = trial.getattr(intern!(py, "number"))?.extract()?;
        let numbers = match self.numbers(trial)? {
            Coded::Unusual => return Ok(Read::Unusual),
            Coded::Foreign => return Ok(Read::Foreign(number)),
            Coded::Numbers(numbers) => numbers,
        };
        Ok(Read::Finished(Finished { number, numbers, outcome, reports, memo }))
    }

    /// The outcome of a complete trial without constraints.
    fn measured(&self, trial: &Bound<'_, PyAny>) -> PyResult<Option<Outcome>> {
        let values = trial.getattr(intern!(trial.py(), "values"))?;
        let Ok(values) = values.cast_into_exact::<PyList>() else { return Ok(None) };
        let mut losses = values.extract::<Vec<f64>>()?;
        if losses.len() != self.signs.len() {
            return Ok(None);
        }
        for (loss, sign) in losses.iter_mut().zip(&self.signs) {
            *loss *= sign;
        }
        if self.ranks {
            for loss in &mut losses {
                *loss = clipped(*loss);
            }
        } else if losses.contains(&f64::NEG_INFINITY) {
            return Ok(Some(Outcome::unrelated("a loss of minus infinity")));
        } else if !losses.iter().all(|loss| loss.abs() < LARGEST) {
            return Ok(Some(Outcome::failed("an infinite loss")));
        }
        let (constraints, cost, noise_variance) = (Vec::new(), None, None);
        Ok(Some(Outcome::Measured(Measurement { objectives: losses, constraints, cost, noise_variance })))
    }

    /// The outcome of a pruned trial; its last report joins `reports` where it is a number for the method.
    fn pruned(&self, trial: &Bound<'_, PyAny>, reports: &mut Vec<(u64, f64)>) -> PyResult<Option<Outcome>> {
        let values = trial.getattr(intern!(trial.py(), "intermediate_values"))?;
        let Ok(values) = values.cast_into::<PyDict>() else { return Ok(None) };
        let mut last: Option<(i64, f64)> = None;
        for (step, value) in &values {
            let (step, value) = (step.extract()?, value.extract()?);
            if last.is_none_or(|(before, _)| step > before) {
                last = Some((step, value));
            }
        }
        let Some((step, value)) = last else { return Ok(Some(Outcome::pruned(0))) };
        let (step, loss) = (step.max(0) as u64, self.signs[0] * value);
        if self.ranks {
            reports.push((step, clipped(loss)));
        } else if loss.abs() < LARGEST {
            // For a model an infinite loss has no size: the trial stays pruned, and its report is left out.
            reports.push((step, loss));
        }
        Ok(Some(Outcome::pruned(step)))
    }

    /// The numbers of a trial.
    fn numbers(&self, trial: &Bound<'_, PyAny>) -> PyResult<Coded> {
        let py = trial.py();
        let params = trial.getattr(intern!(py, "params"))?;
        let theirs = trial.getattr(intern!(py, "distributions"))?;
        let (Ok(params), Ok(theirs)) = (params.cast_into::<PyDict>(), theirs.cast_into::<PyDict>()) else {
            return Ok(Coded::Unusual);
        };
        for (name, form) in &self.forms {
            if let Form::Choice { distribution, choices } = form
                && let Some(other) = theirs.get_item(name)?
                && !other.is(distribution)
                && !has_choices(&other, choices.bind(py))?
                && other.ne(distribution)?
            {
                return Ok(Coded::Foreign);
            }
        }
        let mut numbers = Numbers::with_capacity(self.forms.len());
        for (name, form) in &self.forms {
            numbers.push(match params.get_item(name)? {
                Some(value) => match form.code(&value) {
                    Some(number) => Some(number),
                    None => return Ok(Coded::Unusual),
                },
                None if self.is_partial => None,
                None => return Ok(Coded::Foreign),
            });
        }
        Ok(Coded::Numbers(numbers))
    }
}

impl Form {
    /// The number of a value; none for a value of an unusual type.
    fn code(&self, value: &Bound<'_, PyAny>) -> Option<Number> {
        match self {
            Self::Float => Some(Number::Float(value.cast_exact::<PyFloat>().ok()?.value())),
            Self::Single(low) => {
                let value = value.cast_exact::<PyFloat>().ok()?.value();
                Some(if value == *low { Number::Int(0) } else { Number::Float(value) })
            }
            Self::Int => Some(Number::Int(value.cast_exact::<PyInt>().ok()?.extract().ok()?)),
            Self::Choice { choices, .. } => {
                Some(Number::Int(choices.bind(value.py()).index(value).ok()? as i64))
            }
        }
    }
}

/// True if a distribution has these choices, compared as Python compares tuples.
fn has_choices(other: &Bound<'_, PyAny>, choices: &Bound<'_, PyTuple>) -> PyResult<bool> {
    match other.getattr_opt(intern!(other.py(), "choices"))? {
        Some(found) => found.eq(choices),
        None => Ok(choices.is_empty()),
    }
}

/// A loss within what squares and small volumes can take.
fn clipped(value: f64) -> f64 {
    if value.is_nan() { LARGEST } else { value.clamp(-LARGEST, LARGEST) }
}

/// Takes parameters out of `space` that the complete ones of the trials at `places` do not all have, with the same distribution.
/// Returns the places of the trials whose state is none of `states` (`COMPLETE` first): they are not finished.
#[pyfunction]
pub(crate) fn narrow(
    space: &Bound<'_, PyDict>,
    trials: &Bound<'_, PyList>,
    places: Vec<usize>,
    states: [Bound<'_, PyAny>; 3],
) -> PyResult<Vec<usize>> {
    let py = space.py();
    let mut ours = space.iter().map(|(name, ours)| Known::new(name, ours)).collect::<PyResult<Vec<_>>>()?;
    let mut unfinished = Vec::new();
    for place in places {
        let trial = trials.get_item(place)?;
        let state = trial.getattr(intern!(py, "state"))?;
        if !state.is(&states[0]) {
            if !states[1..].iter().any(|other| state.is(other)) {
                unfinished.push(place);
            }
            continue;
        }
        let theirs = trial.getattr(intern!(py, "distributions"))?.cast_into::<PyDict>()?;
        let mut at = 0;
        while at < ours.len() {
            let is_same = match theirs.get_item(&ours[at].name)? {
                Some(other) => ours[at].is_same(&other)?,
                None => false,
            };
            if is_same {
                at += 1;
            } else {
                space.del_item(ours.remove(at).name)?;
            }
        }
    }
    Ok(unfinished)
}

/// A parameter of the common space.
struct Known<'py> {
    name: Bound<'py, PyAny>,
    distribution: Bound<'py, PyAny>,
    attributes: Vec<(Bound<'py, PyString>, Bound<'py, PyAny>)>,
}

impl<'py> Known<'py> {
    fn new(name: Bound<'py, PyAny>, distribution: Bound<'py, PyAny>) -> PyResult<Self> {
        let found = distribution.getattr(intern!(name.py(), "__dict__"))?.cast_into::<PyDict>()?;
        let attributes = found.iter().map(|(name, value)| Ok((name.cast_into()?, value)));
        Ok(Self { name, attributes: attributes.collect::<PyResult<_>>()?, distribution })
    }

    /// True of an equal distribution; quickly where the attributes are plainly equal.
    fn is_same(&self, other: &Bound<'py, PyAny>) -> PyResult<bool> {
        let Self { distribution, attributes, .. } = self;
        if distribution.is(other) {
            return Ok(true);
        }
        // One by one: the interpreter would make a dictionary for every object whose `__dict__` is asked for.
        let has = |(name, value): &(Bound<'py, PyString>, Bound<'py, PyAny>)| {
            other.getattr(name).is_ok_and(|found| found.is(value) || found.eq(value).unwrap_or(false))
        };
        let is_plain = distribution.get_type_ptr() == other.get_type_ptr() && attributes.iter().all(has);
        if is_plain { Ok(true) } else { other.eq(distribution) }
    }
}
