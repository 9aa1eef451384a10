//! Memo of a suggestion: data that an optimiser stores with a trial for later suggestions.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::marker::PhantomData;

use serde::{Deserialize, Serialize};

/// State of an optimiser that is stored with a trial: warm starts, counters, permanent choices.
///
/// The journal keeps it for a resumed study. Entries are typed by their [`MemoKey`].
///
/// ```
/// use thrifty_study::{Memo, MemoKey};
/// static RUN: MemoKey<u64> = MemoKey::new("run");
/// let mut memo = Memo::default();
/// memo.set(&RUN, &3);
/// assert_eq!(memo.get(&RUN), Some(3));
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Memo(#[serde(with = "crate::numbers::lists")] pub(crate) BTreeMap<String, Vec<f64>>);

impl Memo {
    /// An entry; `None` if it is missing or of another type.
    #[must_use]
    pub fn get<T: MemoValue>(&self, key: &MemoKey<T>) -> Option<T> {
        T::read(self.0.get(&*key.name)?)
    }

    /// Sets an entry.
    pub fn set<T: MemoValue>(&mut self, key: &MemoKey<T>, value: &T) {
        self.0.insert(key.name.clone().into_owned(), value.write());
    }

    /// True if there is an entry with this name.
    #[must_use]
    pub fn contains<T>(&self, key: &MemoKey<T>) -> bool {
        self.0.contains_key(&*key.name)
    }

    /// This memo without the entries of some names.
    #[must_use]
    pub fn without(mut self, names: &[&str]) -> Self {
        self.0.retain(|name, _| !names.contains(&name.as_str()));
        self
    }

    /// True if there are no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All entries by name, as the numbers in the journal.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &[f64])> {
        self.0.iter().map(|(name, values)| (name.as_str(), values.as_slice()))
    }
}

/// Name and type of an entry of a [`Memo`].
#[derive(Debug)]
pub struct MemoKey<T> {
    name: Cow<'static, str>,
    value: PhantomData<fn() -> T>,
}

impl<T> MemoKey<T> {
    /// A key.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self { name: Cow::Borrowed(name), value: PhantomData }
    }

    /// A key with a computed name, such as that of constraint j.
    #[must_use]
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: Cow::Owned(name.into()), value: PhantomData }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// Type of an entry of a [`Memo`].
pub trait MemoValue: Sized {
    /// The numbers in the journal.
    fn write(&self) -> Vec<f64>;

    /// Value of such numbers; `None` if they are of another type.
    fn read(numbers: &[f64]) -> Option<Self>;
}

impl MemoValue for Vec<f64> {
    fn write(&self) -> Vec<f64> {
        self.clone()
    }

    fn read(numbers: &[f64]) -> Option<Self> {
        Some(numbers.to_vec())
    }
}

impl MemoValue for f64 {
    fn write(&self) -> Vec<f64> {
        vec![*self]
    }

    fn read(numbers: &[f64]) -> Option<Self> {
        match numbers {
            [value] => Some(*value),
            _ => None,
        }
    }
}

/// Counters up to 2^53, which a double represents exactly.
impl MemoValue for u64 {
    fn write(&self) -> Vec<f64> {
        vec![*self as f64]
    }

    fn read(numbers: &[f64]) -> Option<Self> {
        match numbers {
            [value] if *value >= 0.0 && value.fract() == 0.0 && *value <= (1_u64 << 53) as f64 => {
                Some(*value as Self)
            }
            _ => None,
        }
    }
}

/// Largest expected improvement at the time of a suggestion, in units of the model. [`NoImprovement`](crate::NoImprovement) uses it.
pub static EXPECTED_IMPROVEMENT: MemoKey<f64> = MemoKey::new("max_expected_improvement");

/// Range of the losses at the time of a suggestion, in the units of [`EXPECTED_IMPROVEMENT`]. [`NoImprovement`](crate::NoImprovement)
/// compares both. Models that transform the losses have their own units. Without this entry the units are those of the objective.
pub static EXPECTED_IMPROVEMENT_RANGE: MemoKey<f64> = MemoKey::new("expected_improvement_range");

/// Expected gain of a trial in units of the objective. [`WorthItsCost`](crate::WorthItsCost) uses it.
pub static EXPECTED_GAIN: MemoKey<f64> = MemoKey::new("expected_gain");

/// Expected cost of a trial. [`WorthItsCost`](crate::WorthItsCost) uses it.
pub static EXPECTED_COST: MemoKey<f64> = MemoKey::new("expected_cost");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_have_the_type_of_their_key() {
        let (list, number, count) =
            (MemoKey::<Vec<f64>>::new("a"), MemoKey::<f64>::new("a"), MemoKey::<u64>::new("a"));
        let mut memo = Memo::default();
        assert!(memo.is_empty() && memo.get(&number).is_none());
        memo.set(&list, &vec![1.5, f64::INFINITY]);
        assert_eq!(memo.get(&list), Some(vec![1.5, f64::INFINITY]));
        assert_eq!((memo.get(&number), memo.get(&count)), (None, None));
        memo.set(&number, &1.5);
        assert_eq!((memo.get(&number), memo.get(&count)), (Some(1.5), None));
        memo.set(&count, &(1 << 53));
        assert_eq!(memo.get(&count), Some(1 << 53));
        assert!(memo.contains(&count) && memo.contains(&number) && !memo.contains(&MemoKey::<f64>::new("b")));
        for small in [0, 1, 2] {
            memo.set(&count, &small);
            assert_eq!(memo.get(&count), Some(small));
        }
        for odd in [-1.0, -0.5, 0.5, f64::NAN, f64::INFINITY] {
            memo.set(&number, &odd);
            assert_eq!(memo.get(&count), None, "{odd}");
        }
        let text = serde_json::to_string(&memo).unwrap();
        assert_eq!(serde_json::from_str::<Memo>(&text).unwrap(), memo);
        assert_eq!(memo.entries().map(|(name, _)| name).collect::<Vec<_>>(), ["a"]);
    }
}
