//! Files of value functions.

use std::io::{BufReader, Read, Write};

use super::{Learnt, MapSettings, ValueMap};
use crate::{AutoBctError, Controls, Decision, SamplingSettings, State};
use thrifty_sampling::Seed;

type Of = fn(&Controls, usize) -> Vec<f64>;

/// Version of the format. A file of another version is not read, because its numbers may mean something else.
const VERSION: u32 = 1;

/// Settings and inputs on which a value function depends.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct Key {
    pub(super) gamma: f64,
    /// Controls, with the basis functions and the noise at each.
    pub(super) controls: Controls,
    pub(super) cost_rule: String,
    /// The cloud: what it was drawn around, how, and from which seed.
    pub(super) prior: State,
    pub(super) cloud: SamplingSettings,
    pub(super) cloud_seed: Seed,
}

impl Key {
    /// True if a decision is the one the map was built for.
    pub(super) fn check(&self, decision: &Decision) -> Result<(), AutoBctError> {
        let differ = |what: &'static str, found: String, expected: String| {
            Err(AutoBctError::Map { what, found, expected })
        };
        let (own, other) = (&self.controls, decision.later());
        if self.gamma.to_bits() != decision.gamma().to_bits() {
            return differ("γ", self.gamma.to_string(), decision.gamma().to_string());
        }
        let dims = (own.points().dim(), other.points().dim());
        if dims.0 != dims.1 {
            return differ("the dimension of controls", dims.0.to_string(), dims.1.to_string());
        }
        if own.points() != other.points() {
            let grid = |controls: &Controls| format!("{} controls", controls.len());
            return differ("the grid of controls", grid(own), format!("{} others", other.len()));
        }
        let parts: [(&'static str, Of); 4] = [
            ("the basis of the score", |c, u| c.score(u).to_vec()),
            ("the basis of the cost", |c, u| c.cost(u).to_vec()),
            ("the noise of the score", |c, u| vec![c.score_noise(u).sqrt()]),
            ("the noise of the cost", |c, u| vec![c.cost_noise(u).sqrt()]),
        ];
        for (what, of) in parts {
            if let Some(u) = (0..own.len()).find(|u| of(own, *u) != of(other, *u)) {
                let at = format!("{:?} at control {:?}", of(own, u), own.points().row(u));
                return differ(what, at, format!("{:?}", of(other, u)));
            }
        }
        if self.cost_rule != decision.rule_name() {
            return differ("the quadrature of two steps", self.cost_rule.clone(), decision.rule_name());
        }
        Ok(())
    }
}

/// The file.
#[derive(serde::Serialize, serde::Deserialize)]
struct File<K, S, L> {
    version: u32,
    key: K,
    settings: S,
    levels: L,
}

/// The version of a file, whatever else it has.
#[derive(serde::Deserialize)]
struct Version {
    #[serde(default)]
    version: Option<u64>,
}

impl ValueMap {
    /// Writes the value function as JSON, with a version and all that it depends on.
    ///
    /// # Errors
    /// [`AutoBctError::File`] for what does not write.
    pub fn write(&self, to: impl Write) -> Result<(), AutoBctError> {
        let file = File { version: VERSION, key: &self.key, settings: &self.settings, levels: &self.levels };
        serde_json::to_writer(to, &file).map_err(|error| AutoBctError::File { reason: error.to_string() })
    }

    /// Reads a value function as it was written.
    ///
    /// # Errors
    /// [`AutoBctError::File`] for what does not read, is of another version, or no map.
    pub fn read(from: impl Read) -> Result<Self, AutoBctError> {
        let failed = |reason: String| AutoBctError::File { reason };
        let mut text = String::new();
        BufReader::new(from).read_to_string(&mut text).map_err(|error| failed(error.to_string()))?;
        // Typed at once: a tree of JSON values takes many times the memory of the trees.
        let Version { version } = serde_json::from_str(&text).map_err(|error| failed(error.to_string()))?;
        if version != Some(u64::from(VERSION)) {
            let found = version.map_or("none".to_owned(), |version| version.to_string());
            return Err(failed(format!("its version is {found}, expected {VERSION}")));
        }
        let file: File<Key, MapSettings, Vec<Option<Learnt>>> =
            serde_json::from_str(&text).map_err(|error| failed(error.to_string()))?;
        file.settings.validate()?;
        if file.levels.len() != file.settings.depth {
            return Err(failed(format!(
                "{} levels for a depth of {}",
                file.levels.len(),
                file.settings.depth
            )));
        }
        Ok(Self { key: file.key, settings: file.settings, levels: file.levels })
    }

    /// Settings and data that the value function depends on.
    pub(crate) fn identity(&self) -> impl serde::Serialize {
        (&self.key, &self.settings)
    }
}
