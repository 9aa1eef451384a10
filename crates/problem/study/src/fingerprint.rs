//! Fingerprint of an optimiser: the data by which a journal identifies a study.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thrifty_sampling::Seed;

use crate::{Directions, OptimizerError};

/// Everything that suggestions depend on, except history and trial id, as named parts.
///
/// The journal stores it. A study resumes a journal only if every part agrees; otherwise the error lists each setting
/// or parameter that differs, with both values.
///
/// ```
/// use thrifty_study::Fingerprint;
/// let here = Fingerprint::new("grid").with("settings", &[("points", 10)])?;
/// let there = Fingerprint::new("grid").with("settings", &[("points", 20)])?;
/// assert_eq!(there.differences(&here)[0].to_string(), "settings[0][1] is 20 in the journal and 10 here");
/// # Ok::<(), thrifty_study::OptimizerError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// The method with the revision of its rules: a change of its suggestions gets a new name.
    method: String,
    /// Number of trials that the study is planned for. It may change on resume.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) budget: Option<u64>,
    /// Named parts in order of their addition.
    parts: Vec<(String, Value)>,
    /// Relation of journals of format 1 to this optimiser.
    #[serde(skip, default)]
    format_one: FormatOne,
}

/// Name of the part with the directions of the objectives. It is absent if all objectives are minimised.
const DIRECTIONS: &str = "directions";

/// Relation of journals of format 1, which kept a single text, to an optimiser.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) enum FormatOne {
    /// There are no such journals.
    #[default]
    None,
    /// Text of a study that makes the same suggestions as this one.
    Same(String),
    /// Suggestions have changed since.
    Changed(Vec<Difference>),
}

/// One setting or parameter by which two fingerprints differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Path to it, such as `settings.maximizer.raw` or `space.rate.high`.
    pub path: String,
    /// Its value in the journal as JSON; `nothing` if it is missing.
    pub found: String,
    /// Its value in this study.
    pub expected: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {} in the journal and {} here", self.path, self.found, self.expected)
    }
}

impl Fingerprint {
    /// A fingerprint of a method without settings.
    #[must_use]
    pub fn new(method: impl Into<String>) -> Self {
        Self { method: method.into(), budget: None, parts: Vec::new(), format_one: FormatOne::None }
    }

    /// Name of the method. A method around another one has both: `coin flip over tpe`.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.method
    }

    /// Adds a part: settings, a space, a model.
    ///
    /// # Errors
    /// [`OptimizerError::Failed`] names the part that cannot be written as JSON.
    pub fn with(mut self, name: &str, part: &(impl Serialize + ?Sized)) -> Result<Self, OptimizerError> {
        let value = serde_json::to_value(part)
            .map_err(|error| OptimizerError::failed(format!("writing the fingerprint of {name}"), error))?;
        self.parts.push((name.into(), value));
        Ok(self)
    }

    /// Sets the number of trials that the study is planned for. It may change on resume; earlier trials are unchanged.
    #[must_use]
    pub fn with_budget(mut self, budget: Option<usize>) -> Self {
        self.budget = budget.map(|budget| budget as u64);
        self
    }

    /// Number of trials that the study is planned for.
    #[must_use]
    pub fn budget(&self) -> Option<usize> {
        self.budget.and_then(|budget| usize::try_from(budget).ok())
    }

    /// Wraps the fingerprint of an inner optimiser, including its budget and parts.
    #[must_use]
    pub fn around(mut self, inner: Self) -> Self {
        self.method = format!("{} over {}", self.method, inner.method);
        self.budget = self.budget.or(inner.budget);
        self.parts.extend(inner.parts);
        if let FormatOne::Changed(more) = inner.format_one {
            self.change(more);
        }
        self
    }

    /// Accepts journals of format 1 with this text, which continue unchanged; `{seed}` stands for the seed.
    #[must_use]
    pub fn resuming_format_one(mut self, text: String) -> Self {
        self.format_one = FormatOne::Same(text);
        self
    }

    /// Declares that suggestions have changed since format 1: the setting or rule, its old value and its new value.
    #[must_use]
    pub fn changed_since_format_one(mut self, setting: &str, before: &str, now: &str) -> Self {
        self.change(vec![Difference { path: setting.into(), found: before.into(), expected: now.into() }]);
        self
    }

    /// A part by its name.
    pub(crate) fn part(&self, name: &str) -> Option<&Value> {
        self.parts.iter().find(|(other, _)| other == name).map(|(_, value)| value)
    }

    /// Adds the directions of a study. They are a part, so that programs without support for directions reject the journal.
    pub(crate) fn directed(mut self, directions: &Directions) -> Result<Self, OptimizerError> {
        self.parts.retain(|(name, _)| name != DIRECTIONS);
        if directions.all_minimize() { Ok(self) } else { self.with(DIRECTIONS, directions) }
    }

    /// The directions of the study.
    ///
    /// # Errors
    /// Description of directions that cannot be read.
    pub(crate) fn directions(&self) -> Result<Directions, String> {
        let Some(value) = self.part(DIRECTIONS) else { return Ok(Directions::default()) };
        serde_json::from_value(value.clone()).map_err(|error| format!("the directions are {value}: {error}"))
    }

    /// The difference in directions; `None` if they agree.
    fn direction_difference(&self, here: &Self) -> Option<Difference> {
        let text = |of: &Self| of.directions().map_or_else(|error| error, |found| found.names());
        let (found, expected) = (text(self), text(here));
        (found != expected).then(|| Difference { path: DIRECTIONS.into(), found, expected })
    }

    fn change(&mut self, more: Vec<Difference>) {
        match &mut self.format_one {
            FormatOne::Changed(changes) => changes.extend(more),
            other => *other = FormatOne::Changed(more),
        }
    }

    /// Differences between this fingerprint, read from a journal, and that of a study. The budget is not compared.
    #[must_use]
    pub fn differences(&self, here: &Self) -> Vec<Difference> {
        let mut all = Vec::new();
        if self.method != here.method {
            let quoted = |text: &str| format!("\"{text}\"");
            all.push(Difference {
                path: "method".into(),
                found: quoted(&self.method),
                expected: quoted(&here.method),
            });
            // Settings of different methods are not comparable.
            return all;
        }
        let names: Vec<&String> = self.parts.iter().chain(&here.parts).map(|(name, _)| name).collect();
        for (at, name) in names.iter().enumerate() {
            if names[..at].contains(name) {
                continue;
            }
            if *name == DIRECTIONS {
                all.extend(self.direction_difference(here));
                continue;
            }
            let part =
                |of: &Self| of.parts.iter().find(|(other, _)| other == *name).map(|part| part.1.clone());
            compare(name, part(self).as_ref(), part(here).as_ref(), &mut all);
        }
        all
    }

    /// Differences between this fingerprint, read from a journal, and that of an optimiser in a study with this seed.
    ///
    /// Older journals have a part `seed`. If the optimiser no longer has this part, it is no difference as long as it equals the seed of the study.
    pub(crate) fn differences_under(&self, here: &Self, study: Seed) -> Vec<Difference> {
        let has_seed = here.parts.iter().any(|(name, _)| name == "seed");
        let mut found = self.clone();
        found.parts.retain(|(name, value)| has_seed || name != "seed" || value.as_u64() != Some(study.0));
        found.differences(here)
    }

    /// Differences between the text of a format 1 journal and this optimiser.
    pub(crate) fn differences_to_text(&self, text: &str, seed: Seed) -> Vec<Difference> {
        if let Some(difference) = Self::new("").direction_difference(self) {
            return vec![difference];
        }
        let expected = match &self.format_one {
            FormatOne::Same(expected) => {
                let expected = expected.replace("{seed}", &seed.0.to_string());
                if expected == text {
                    return Vec::new();
                }
                expected
            }
            FormatOne::Changed(changes) => return changes.clone(),
            FormatOne::None => self.method.clone(),
        };
        vec![Difference { path: "fingerprint".into(), found: text.into(), expected }]
    }
}

/// Collects the differences between two JSON values; list items are matched by their `name` if they have one.
fn compare(path: &str, found: Option<&Value>, expected: Option<&Value>, all: &mut Vec<Difference>) {
    match (found, expected) {
        (a, b) if a == b => {}
        (Some(Value::Object(a)), Some(Value::Object(b))) => {
            let added = b.keys().filter(|key| !a.contains_key(*key));
            for key in a.keys().chain(added) {
                compare(&format!("{path}.{key}"), a.get(key), b.get(key), all);
            }
        }
        (Some(Value::Array(a)), Some(Value::Array(b))) if named(a).is_some() && named(b).is_some() => {
            let before = all.len();
            let (theirs, ours) = (named(a).unwrap_or_default(), named(b).unwrap_or_default());
            let added =
                b.iter().filter_map(|item| item["name"].as_str()).filter(|name| !theirs.contains_key(name));
            for name in a.iter().filter_map(|item| item["name"].as_str()).chain(added) {
                let (found, expected) = (theirs.get(name).copied(), ours.get(name).copied());
                compare(&format!("{path}.{name}"), found, expected, all);
            }
            if all.len() == before {
                let order = |list: &[Value]| {
                    list.iter().filter_map(|item| item["name"].as_str()).collect::<Vec<_>>().join(", ")
                };
                all.push(Difference {
                    path: format!("the order of {path}"),
                    found: order(a),
                    expected: order(b),
                });
            }
        }
        (Some(Value::Array(a)), Some(Value::Array(b))) => {
            for at in 0..a.len().max(b.len()) {
                compare(&format!("{path}[{at}]"), a.get(at), b.get(at), all);
            }
        }
        (a, b) => {
            let text = |value: Option<&Value>| value.map_or("nothing".to_owned(), Value::to_string);
            all.push(Difference { path: path.into(), found: text(a), expected: text(b) });
        }
    }
}

/// Items of a list by name, if all have distinct names; else `None`.
fn named(list: &[Value]) -> Option<BTreeMap<&str, &Value>> {
    let names: BTreeMap<&str, &Value> =
        list.iter().map(|item| Some((item["name"].as_str()?, item))).collect::<Option<_>>()?;
    (!list.is_empty() && names.len() == list.len()).then_some(names)
}
