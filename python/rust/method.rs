//! Methods by name, with their settings as JSON.

use pyo3::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json, json};
use thrifty::bo::{
    BayesianOptimizer, BoSettings, GpSurrogate, MultiObjectiveOptimizer, MultiObjectiveSettings, Repeats,
};
use thrifty::cmaes::{CmaEs, CmaEsSettings};
use thrifty::fidelity::{FidelityAxis, MultiFidelityOptimizer, MultiFidelitySettings};
use thrifty::hybrid::{Hybrid, HybridSettings};
use thrifty::levelset::{LevelSetOptimizer, LevelSetSettings};
use thrifty::robust::RobustGpSurrogate;
use thrifty::search::{Nsga2, Nsga2Settings, RandomSearch, SobolSearch};
use thrifty::space::{Config, Space};
use thrifty::study::{AnyOptimizer, Direction, Directions, Optimizer, PrunedAs, PrunedPolicy};
use thrifty::tpe::{TpeOptimizer, TpeSettings};
use thrifty::trust_region::{TrustRegionOptimizer, TrustRegionSettings};
use thrifty_units::{InUserUnits, at_fault, from_tables, in_words};

use crate::boundary::{guarded, invalid, optimizer as refused};
use crate::{budget, outcome};

/// Methods over configurations.
pub(crate) const METHODS: [&str; 12] = [
    "bo",
    "multi_objective",
    "multi_fidelity",
    "tpe",
    "cmaes",
    "trust_region",
    "hybrid",
    "nsga2",
    "sobol",
    "random",
    "level_set",
    "budgeted_training",
];

/// Methods that read one objective.
const OF_ONE_OBJECTIVE: [&str; 7] =
    ["bo", "multi_fidelity", "cmaes", "trust_region", "hybrid", "level_set", "budgeted_training"];

/// The directions of a study by their names: a method of one objective has one, so that outcomes with several are refused.
pub(crate) fn directions(method: &str, names: &[String]) -> PyResult<Directions> {
    let found = outcome::directions(names)?;
    match found.as_slice() {
        [] if OF_ONE_OBJECTIVE.contains(&method) => Ok(Directions::new(vec![Direction::Minimize])),
        [_, _, ..] if OF_ONE_OBJECTIVE.contains(&method) => {
            let given = names.len();
            Err(invalid(format!(
                "direction has {given} entries, but {method} has 1 objective: see multi_objective"
            )))
        }
        _ => Ok(found),
    }
}

/// Settings of one method as they come from Python: keywords, some of which are options of the border.
pub(crate) struct Keywords {
    method: String,
    values: Map<String, Json>,
}

impl Keywords {
    /// The keywords of a JSON object.
    pub(crate) fn read(method: &str, json: Option<&str>) -> PyResult<Self> {
        let values = match json {
            Some(json) => serde_json::from_str(json).map_err(invalid)?,
            None => Map::new(),
        };
        Ok(Self { method: method.into(), values })
    }

    /// Takes an option out, so that the settings do not see it.
    pub(crate) fn take<T: DeserializeOwned>(&mut self, name: &str) -> PyResult<Option<T>> {
        let value = self.values.remove(name).filter(|value| !value.is_null());
        value
            .map(from_tables)
            .transpose()
            .map_err(|error| invalid(format!("{name}: {}", in_words(&error.to_string(), None))))
    }

    /// The settings: the keywords, and the defaults of their type for the rest. Unknown names are errors.
    pub(crate) fn settings<S: DeserializeOwned>(self) -> PyResult<S> {
        let Self { method, values } = self;
        let read = |values: &Map<String, Json>| from_tables::<S, _>(Json::Object(values.clone()));
        read(&values).map_err(|error| {
            let reason = error.to_string();
            let without = |name: &str| {
                let mut rest = values.clone();
                rest.remove(name);
                read(&rest).err().map(|error| error.to_string())
            };
            let name = at_fault(values.keys().map(String::as_str), &reason, without);
            match name.and_then(|name| Some((name, values.get(name)?))) {
                Some((name, value)) => {
                    let reason = in_words(&reason, value.as_str());
                    invalid(format!("{method}: {name} is {value}: {reason}"))
                }
                None => invalid(format!("{method}: {reason}")),
            }
        })
    }

    /// The settings as losses; the keywords have values in the user's units.
    pub(crate) fn losses<S: DeserializeOwned + InUserUnits>(self, directions: &Directions) -> PyResult<S> {
        in_losses(&self.method.clone(), self.settings()?, directions)
    }

    /// The settings with the keywords in place of those of `base`.
    pub(crate) fn settings_over<S: Serialize + DeserializeOwned>(mut self, base: &S) -> PyResult<S> {
        let Json::Object(mut all) = serde_json::to_value(base).map_err(invalid)? else {
            return Err(invalid("settings that are no object"));
        };
        // One setting has two spellings.
        if let Some(value) = self.values.remove("maximizer") {
            self.values.insert("maximiser".into(), value);
        }
        all.append(&mut self.values);
        Self { method: self.method, values: all }.settings()
    }
}

/// Settings with losses, from those with values in the user's units.
fn in_losses<S: InUserUnits>(method: &str, settings: S, directions: &Directions) -> PyResult<S> {
    settings.into_losses(directions).map_err(|error| invalid(format!("{method}: {error}")))
}

/// Settings as JSON, with those that serialization leaves out where they have their defaults.
fn listed<S: Serialize>(settings: &S, others: &[(&str, Json)]) -> serde_json::Result<String> {
    let mut text = serde_json::to_string(settings)?;
    text.pop();
    let others: Vec<String> =
        others.iter().map(|(name, value)| format!(",{}:{value}", Json::from(*name))).collect();
    Ok(text + &others.concat() + "}")
}

/// The settings of a method that nothing was said about, as JSON.
#[pyfunction]
pub(crate) fn default_settings(py: Python<'_>, method: &str) -> PyResult<String> {
    guarded(py, || defaults(method))
}

fn defaults(method: &str) -> PyResult<String> {
    let text = match method {
        "bo" => listed(&BoSettings::default(), &[]),
        "multi_objective" => {
            let settings = MultiObjectiveSettings::default();
            listed(&settings, &[("cost", json!(settings.cost)), ("repeats", Json::Null)])
        }
        "multi_fidelity" => listed(&MultiFidelitySettings::default(), &[("repeats", Json::Null)]),
        "tpe" => {
            let settings = TpeSettings::default();
            listed(&settings, &[("cost", json!(settings.cost))])
        }
        "cmaes" => listed(&CmaEsSettings::default(), &[]),
        "trust_region" => listed(&TrustRegionSettings::default(), &[("repeats", Json::Null)]),
        "hybrid" => {
            let settings = HybridSettings::default();
            let others =
                [("anticipation", json!(settings.anticipation)), ("measure", json!(settings.measure))];
            listed(&settings, &others)
        }
        "nsga2" => listed(&Nsga2Settings::default(), &[]),
        "level_set" => {
            let settings = LevelSetSettings::default();
            listed(&settings, &[("cost", json!(settings.cost))])
        }
        "budgeted_training" => listed(&thrifty::autobct::AutoBctSettings::default(), &[]),
        "fractional" => {
            let settings = thrifty::fcvopt::FractionalSettings::new(5);
            let others = [
                ("budget", Json::Null),
                ("finalists", Json::Null),
                ("limits", json!(settings.limits)),
                ("refit", json!(settings.refit)),
                ("failures", json!(settings.failures)),
            ];
            listed(&settings, &others)
        }
        "sobol" | "random" => Ok("{}".into()),
        other => return Err(unknown(other)),
    };
    text.map_err(invalid)
}

fn unknown(method: &str) -> PyErr {
    invalid(format!("no method {method}, expected one of {}", METHODS.join(", ")))
}

/// The settings of a Parzen estimator by the name of their preset.
fn preset(name: Option<&str>) -> PyResult<TpeSettings> {
    Ok(match name {
        None | Some("recommended") => TpeSettings::recommended(),
        Some("optuna5") => TpeSettings::optuna5(),
        Some("optuna4") => TpeSettings::optuna4(),
        Some("hyperopt") => TpeSettings::hyperopt(),
        Some("watanabe2023") => TpeSettings::watanabe2023(),
        Some("nnpdf") => TpeSettings::nnpdf(),
        Some(other) => return Err(invalid(format!("tpe: no preset {other}"))),
    })
}

/// Bayesian optimisation, with the noise of evaluations as far as the caller knows it.
///
/// Where evaluations differ, those of a finite space are repeated unless the settings say otherwise.
fn bayesian(
    space: Space,
    evaluations: Option<&Json>,
    mut settings: BoSettings,
) -> PyResult<BayesianOptimizer> {
    if matches!(evaluations.and_then(Json::as_str), Some("noisy" | "outliers")) {
        settings.repeats.get_or_insert(Repeats::OnceExhausted);
    }
    let optimizer = BayesianOptimizer::new(space).with_settings(settings).map_err(refused)?;
    let Some(evaluations) = evaluations else { return Ok(optimizer) };
    match evaluations.as_str() {
        Some("noisy") => Ok(optimizer.with_surrogate(GpSurrogate::noisy())),
        Some("deterministic") => Ok(optimizer.with_surrogate(GpSurrogate::deterministic())),
        Some("outliers") => Ok(optimizer.with_surrogate(RobustGpSurrogate::default())),
        _ => {
            let expected = "noisy, deterministic or outliers";
            Err(invalid(format!("evaluations is {evaluations}, expected {expected}")))
        }
    }
}

/// An optimiser of unknown type, with the policy for pruned trials.
fn any<O>(optimizer: O, pruned: Option<PrunedPolicy>) -> AnyOptimizer<Config>
where
    O: Optimizer<Query = Config, Recommendation: 'static> + Send + 'static,
{
    match pruned {
        Some(policy) => AnyOptimizer::new(PrunedAs::new(optimizer, policy)),
        None => AnyOptimizer::new(optimizer),
    }
}

/// The fidelity axis of a method that has one; none of a wrong fidelity, which the optimiser refuses.
pub(crate) fn fidelity(method: &str, space: &Space, keywords: &Keywords) -> Option<FidelityAxis> {
    let name = keywords.values.get("fidelity").filter(|_| method == "multi_fidelity")?;
    FidelityAxis::new(space, name.as_str()?).ok()
}

/// The optimiser of a name, with its settings, in which values of objectives are in the user's units.
pub(crate) fn optimizer(
    method: &str,
    space: Space,
    mut keywords: Keywords,
    directions: &Directions,
) -> PyResult<AnyOptimizer<Config>> {
    let pruned: Option<PrunedPolicy> = keywords.take("pruned")?;
    Ok(match method {
        "bo" => {
            let evaluations: Option<Json> = keywords.take("evaluations")?;
            any(bayesian(space, evaluations.as_ref(), keywords.losses(directions)?)?, pruned)
        }
        "hybrid" => {
            let base = bayesian(space, None, BoSettings::default())?;
            any(Hybrid::new(base).with_settings(keywords.settings()?).map_err(refused)?, pruned)
        }
        "multi_objective" => {
            let optimizer = MultiObjectiveOptimizer::new(space).with_settings(keywords.losses(directions)?);
            any(optimizer.map_err(refused)?, pruned)
        }
        "multi_fidelity" => {
            let fidelity: Option<String> = keywords.take("fidelity")?;
            let fidelity = fidelity.ok_or_else(|| invalid("multi_fidelity: fidelity is missing"))?;
            let optimizer = MultiFidelityOptimizer::new(space, &fidelity).map_err(refused)?;
            any(optimizer.with_settings(keywords.losses(directions)?).map_err(refused)?, pruned)
        }
        "tpe" => {
            let name: Option<String> = keywords.take("preset")?;
            let settings = keywords.settings_over(&preset(name.as_deref())?)?;
            let settings = in_losses(method, settings, directions)?;
            any(TpeOptimizer::new(space).and_then(|o| o.with_settings(settings)).map_err(refused)?, pruned)
        }
        "cmaes" => {
            any(CmaEs::new(space).with_settings(keywords.losses(directions)?).map_err(refused)?, pruned)
        }
        "trust_region" => {
            let optimizer = TrustRegionOptimizer::new(space).with_settings(keywords.losses(directions)?);
            any(optimizer.map_err(refused)?, pruned)
        }
        "nsga2" => any(Nsga2::new(space).with_settings(keywords.settings()?).map_err(refused)?, pruned),
        "level_set" => any(LevelSetOptimizer::new(space, keywords.settings()?).map_err(refused)?, pruned),
        "budgeted_training" => any(budget::optimizer(space, keywords, directions)?, pruned),
        "sobol" | "random" => {
            if let Some(name) = keywords.values.keys().next() {
                return Err(invalid(format!("{method}: unknown field `{name}`, there are no settings")));
            }
            if method == "sobol" {
                any(SobolSearch::new(space), pruned)
            } else {
                any(RandomSearch::new(space), pruned)
            }
        }
        other => return Err(unknown(other)),
    })
}
