//! The optimiser of a study file.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use thrifty_bo::{
    BayesianOptimizer, BoSettings, EarlierStudies, GpSurrogate, LossTransform, MultiObjectiveOptimizer,
    MultiObjectiveSettings, Repeats,
};
use thrifty_cmaes::{CmaEs, CmaEsSettings};
use thrifty_fidelity::{FidelityAxis, MultiFidelityOptimizer, MultiFidelitySettings};
use thrifty_robust::RobustGpSurrogate;
use thrifty_search::{RandomSearch, SobolSearch};
use thrifty_space::{Config, Space};
use thrifty_study::{AnyOptimizer, Direction, Directions, Optimizer, PrunedAs, PrunedPolicy};
use thrifty_surrogate::Surrogate;
use thrifty_tpe::{TpeOptimizer, TpeSettings};
use thrifty_trust_region::{TrustRegionOptimizer, TrustRegionSettings};
use thrifty_units::{InUserUnits, at_fault, from_tables, in_words};

use crate::error::CliError;

/// Section `[optimizer]`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Method {
    #[serde(default, rename = "method")]
    name: Name,
    settings: Option<toml::Table>,
    /// The parameter that is the fidelity, of `multi_fidelity`.
    fidelity: Option<String>,
    /// Knowledge about the noise of evaluations, for `bo`; without it the noise is learned.
    evaluations: Option<Evaluations>,
    /// Policy for pruned trials; without it the method's own.
    pruned: Option<PrunedPolicy>,
}

/// Noise of evaluations, as far as the user knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Evaluations {
    /// Repeated evaluations of a configuration differ.
    Noisy,
    /// Repeated evaluations of a configuration agree.
    Deterministic,
    /// Repeated evaluations of a configuration differ, some of them by far.
    Outliers,
}

impl Evaluations {
    fn surrogate(self) -> Box<dyn Surrogate> {
        match self {
            Self::Noisy => Box::new(GpSurrogate::noisy()),
            Self::Deterministic => Box::new(GpSurrogate::deterministic()),
            Self::Outliers => Box::new(RobustGpSurrogate::default()),
        }
    }
}

/// Name of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Name {
    /// Bayesian optimisation.
    #[default]
    Bo,
    /// Bayesian optimisation of several objectives.
    MultiObjective,
    /// Bayesian optimisation with a fidelity.
    MultiFidelity,
    /// Tree-structured Parzen estimator.
    Tpe,
    /// Covariance matrix adaptation.
    Cmaes,
    /// Bayesian optimisation in a trust region.
    TrustRegion,
    /// Sobol sequence.
    Sobol,
    /// Random search.
    Random,
}

impl Name {
    fn text(self) -> &'static str {
        match self {
            Self::Bo => "bo",
            Self::MultiObjective => "multi_objective",
            Self::MultiFidelity => "multi_fidelity",
            Self::Tpe => "tpe",
            Self::Cmaes => "cmaes",
            Self::TrustRegion => "trust_region",
            Self::Sobol => "sobol",
            Self::Random => "random",
        }
    }

    /// True for a method that reads one objective.
    fn has_one_objective(self) -> bool {
        match self {
            Self::Bo | Self::MultiFidelity | Self::Cmaes | Self::TrustRegion => true,
            Self::MultiObjective | Self::Tpe | Self::Sobol | Self::Random => false,
        }
    }
}

/// The setting [at fault](at_fault) in a table that cannot be read, as `key = value`, or the whole table where there is none; and the reason.
pub(crate) fn entry_at_fault<S: DeserializeOwned>(
    table: &toml::Table,
    error: &toml::de::Error,
) -> (String, String) {
    let without = |key: &str| {
        let mut rest = table.clone();
        rest.remove(key);
        from_tables::<S, _>(rest).err().map(|error| error.to_string())
    };
    let reason = error.to_string();
    let key = at_fault(table.keys().map(String::as_str), &reason, without);
    let entry = key.and_then(|key| Some((key, table.get(key)?)));
    // The parser ends its message with a line break.
    let reason = in_words(reason.trim_end(), entry.and_then(|(_, value)| value.as_str()));
    let entry = match entry {
        // JSON has no number for it.
        Some((key, toml::Value::Float(value))) => format!("{key} = {value:?}"),
        Some((key, value)) => format!("{key} = {}", json!(value)),
        None => json!(table).to_string(),
    };
    (entry, reason)
}

impl Method {
    /// The settings with losses.
    fn settings<S: DeserializeOwned + InUserUnits>(&self, directions: &Directions) -> Result<S, CliError> {
        let table = self.settings.clone().unwrap_or_default();
        match from_tables::<S, _>(table.clone()) {
            Ok(settings) => Ok(settings.into_losses(directions)?),
            Err(error) => {
                let (entry, reason) = entry_at_fault::<S>(&table, &error);
                Err(CliError::MethodSettings { method: self.name.text().into(), entry, reason })
            }
        }
    }

    /// An optimiser of unknown type, with the policy for pruned trials.
    fn any<O>(&self, optimizer: O) -> AnyOptimizer<Config>
    where
        O: Optimizer<Query = Config, Recommendation: 'static> + Send + 'static,
    {
        match self.pruned {
            Some(policy) => AnyOptimizer::new(PrunedAs::new(optimizer, policy)),
            None => AnyOptimizer::new(optimizer),
        }
    }

    /// The directions of the study: a method of one objective has one, so that results with several are refused.
    ///
    /// # Errors
    /// [`CliError::Setting`] for more directions than the method has objectives.
    pub(crate) fn directions(&self, given: Directions) -> Result<Directions, CliError> {
        match given.as_slice() {
            [] if self.name.has_one_objective() => Ok(Directions::new(vec![Direction::Minimize])),
            [_, _, ..] if self.name.has_one_objective() => Err(CliError::Setting {
                name: "direction".into(),
                value: json!(given).to_string(),
                expected: format!("one, because {} has 1 objective", self.name.text()),
            }),
            _ => Ok(given),
        }
    }

    /// The fidelity axis of a multi-fidelity study.
    ///
    /// # Errors
    /// [`CliError`] for a fidelity that is missing, of another method, or no such parameter.
    pub(crate) fn fidelity(&self, space: &Space) -> Result<Option<FidelityAxis>, CliError> {
        let invalid = |value: &str, expected: &str| {
            let (name, value) = ("optimizer.fidelity".into(), value.into());
            Err(CliError::Setting { name, value, expected: expected.into() })
        };
        match (&self.fidelity, self.name) {
            (Some(name), Name::MultiFidelity) => Ok(Some(FidelityAxis::new(space, name)?)),
            (None, Name::MultiFidelity) => {
                invalid("missing", "the name of the parameter whose largest value is the target")
            }
            (Some(name), _) => invalid(name, &format!("none, because {} has no fidelity", self.name.text())),
            (None, _) => Ok(None),
        }
    }

    /// The surrogate of `bo` without sources.
    pub(crate) fn surrogate(&self) -> Box<dyn Surrogate> {
        self.evaluations
            .map_or_else(|| Box::new(GpSurrogate::default()) as Box<dyn Surrogate>, Evaluations::surrogate)
    }

    /// The transform of the losses of `bo`, which alone takes earlier studies.
    ///
    /// # Errors
    /// [`CliError`] for another method, and for settings that are not valid.
    pub(crate) fn losses(&self, directions: &Directions) -> Result<LossTransform, CliError> {
        if self.name != Name::Bo {
            let (name, value) = ("transfer".into(), "given".into());
            let expected = format!("none, because {} takes no earlier studies", self.name.text());
            return Err(CliError::Setting { name, value, expected });
        }
        Ok(self.settings::<BoSettings>(directions)?.losses)
    }

    /// The settings of `bo`. Where evaluations differ, those of a finite space are repeated unless the settings say otherwise.
    fn bo_settings(&self, directions: &Directions) -> Result<BoSettings, CliError> {
        let mut settings: BoSettings = self.settings(directions)?;
        if matches!(self.evaluations, Some(Evaluations::Noisy | Evaluations::Outliers)) {
            settings.repeats.get_or_insert(Repeats::OnceExhausted);
        }
        Ok(settings)
    }

    /// The optimiser; `earlier` are studies that its surrogate begins with.
    ///
    /// # Errors
    /// [`CliError`] names the setting.
    pub(crate) fn optimizer(
        &self,
        space: Space,
        earlier: Option<&EarlierStudies>,
        directions: &Directions,
    ) -> Result<AnyOptimizer<Config>, CliError> {
        if self.evaluations.is_some() && self.name != Name::Bo {
            let (name, value) = ("optimizer.evaluations".into(), "given".into());
            let expected = format!("none, because {} has no model of the noise to choose", self.name.text());
            return Err(CliError::Setting { name, value, expected });
        }
        Ok(match self.name {
            Name::Bo => {
                let settings = self.bo_settings(directions)?;
                let optimizer = BayesianOptimizer::new(space).with_settings(settings)?;
                self.any(match earlier {
                    Some(earlier) => optimizer.with_surrogate(earlier.surrogate(self.surrogate())?),
                    None => optimizer.with_surrogate(self.surrogate()),
                })
            }
            Name::MultiObjective => {
                let settings: MultiObjectiveSettings = self.settings(directions)?;
                self.any(MultiObjectiveOptimizer::new(space).with_settings(settings)?)
            }
            Name::MultiFidelity => {
                let settings: MultiFidelitySettings = self.settings(directions)?;
                let fidelity = self.fidelity.as_deref().unwrap_or_default();
                self.any(MultiFidelityOptimizer::new(space, fidelity)?.with_settings(settings)?)
            }
            Name::Tpe => {
                let settings: TpeSettings = self.settings(directions)?;
                self.any(TpeOptimizer::new(space)?.with_settings(settings)?)
            }
            Name::Cmaes => {
                let settings: CmaEsSettings = self.settings(directions)?;
                self.any(CmaEs::new(space).with_settings(settings)?)
            }
            Name::TrustRegion => {
                let settings: TrustRegionSettings = self.settings(directions)?;
                self.any(TrustRegionOptimizer::new(space).with_settings(settings)?)
            }
            Name::Sobol | Name::Random => {
                if let Some(key) = self.settings.as_ref().and_then(|table| table.keys().next()) {
                    return Err(CliError::Setting {
                        name: format!("optimizer.settings.{key}"),
                        value: "given".into(),
                        expected: format!("no settings, because {} has none", self.name.text()),
                    });
                }
                if self.name == Name::Sobol {
                    self.any(SobolSearch::new(space))
                } else {
                    self.any(RandomSearch::new(space))
                }
            }
        })
    }
}
