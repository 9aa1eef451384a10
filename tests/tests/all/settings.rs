//! Settings are read with defaults and refuse unknown names.

use std::any::type_name;
use std::collections::BTreeSet;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use thrifty::autobct::AutoBctSettings;
use thrifty::bo::{BoSettings, Maximizer, MultiObjectiveSettings};
use thrifty::censored::{CensoredGpSurrogate, Limits, Propagation};
use thrifty::cmaes::CmaEsSettings;
use thrifty::fcvopt::{FractionalSettings, MultiTaskSettings};
use thrifty::fidelity::MultiFidelitySettings;
use thrifty::gp::{GpSettings, GpSurrogate, Sampling};
use thrifty::hybrid::HybridSettings;
use thrifty::levelset::{Integration, LevelSetSettings};
use thrifty::pruning::{
    MedianPruner, PatiencePruner, SuccessiveHalvingPruner, ThresholdPruner, WilcoxonPruner,
};
use thrifty::robust::{RobustGpSurrogate, StudentT};
use thrifty::search::Nsga2Settings;
use thrifty::tpe::{Bandwidth, Floor, Kernels, TpeSettings};
use thrifty::transfer::TransferSettings;
use thrifty::trees::{ForestSettings, ForestSurrogate};
use thrifty::trust_region::TrustRegionSettings;

use crate::structure::{crates, sources};

fn check<S: Default + PartialEq + std::fmt::Debug + Serialize + DeserializeOwned>(name: &str) {
    let empty: S = serde_json::from_str("{}").unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(empty, S::default(), "{name}");
    let text = serde_json::to_string(&S::default()).unwrap();
    assert_eq!(serde_json::from_str::<S>(&text).unwrap(), S::default(), "{name}");
    let error = serde_json::from_str::<S>(r#"{"maximser": 1}"#).err();
    let error = error.unwrap_or_else(|| panic!("{name} takes any name")).to_string();
    assert!(error.contains("maximser"), "{name}: {error}");
}

#[test]
fn defaults_and_unknown_names() {
    check::<BoSettings>("BoSettings");
    check::<MultiObjectiveSettings>("MultiObjectiveSettings");
    check::<LevelSetSettings>("LevelSetSettings");
    check::<HybridSettings>("HybridSettings");
    check::<Nsga2Settings>("Nsga2Settings");
    check::<TpeSettings>("TpeSettings");
    check::<CmaEsSettings>("CmaEsSettings");
    check::<TrustRegionSettings>("TrustRegionSettings");
    check::<Maximizer>("Maximizer");
    check::<GpSettings>("GpSettings");
    check::<MultiFidelitySettings>("MultiFidelitySettings");
    check::<MultiTaskSettings>("MultiTaskSettings");
    check::<AutoBctSettings>("AutoBctSettings");
    check::<ForestSettings>("ForestSettings");
    check::<TransferSettings>("TransferSettings");
}

/// Settings that are called `maximizer`, by the spelling of the page of settings and by the one of journals.
#[test]
fn the_maximizer_is_read_by_both_spellings() {
    fn check<S: PartialEq + std::fmt::Debug + Serialize + DeserializeOwned>(defaults: &S) {
        let read = ["maximiser", "maximizer"].map(|name| {
            let mut settings = serde_json::to_value(defaults).unwrap();
            let table = settings.as_object_mut().unwrap();
            let own = table.remove("maximiser").or_else(|| table.remove("maximizer"));
            assert!(own.is_some(), "{table:?}");
            table.insert(name.into(), serde_json::json!({ "raw": 7 }));
            serde_json::from_value::<S>(settings).unwrap()
        });
        assert!(read[0] == read[1] && read[0] != *defaults, "{read:?}");
    }
    check(&BoSettings::default());
    check(&MultiObjectiveSettings::default());
    check(&MultiFidelitySettings::default());
    check(&LevelSetSettings::default());
    check(&FractionalSettings::new(5));
    check(&MultiTaskSettings::default());
}

/// The new spelling is read, the old one is written: journals know settings by the name that they had.
#[test]
fn renamed_settings_are_read_by_both_names() {
    let new: BoSettings = serde_json::from_str(r#"{"maximizer": {"raw": 7}}"#).unwrap();
    let old: BoSettings = serde_json::from_str(r#"{"maximiser": {"raw": 7}}"#).unwrap();
    assert_eq!((new.maximizer.raw, &new), (7, &old));
    assert!(serde_json::to_string(&new).unwrap().contains("\"maximiser\""));
    let rule: thrifty::acquisition::AcquisitionKind = serde_json::from_str("\"max_std_dev\"").unwrap();
    assert_eq!(serde_json::to_string(&rule).unwrap(), "\"maximum_deviation\"");
}

/// Fields of the tables within settings that a file without them has otherwise than the settings: `maximizer.raw`.
fn refilled<S: PartialEq + Serialize + DeserializeOwned>(settings: &S) -> Vec<String> {
    let whole = serde_json::to_value(settings).unwrap();
    let is_kept =
        |without: Value| serde_json::from_value::<S>(without).map_or(true, |read| read == *settings);
    assert!(serde_json::from_value::<S>(whole.clone()).is_ok_and(|read| read == *settings), "{whole}");
    let fields = fields(&whole, "");
    let faults = fields.iter().filter(|(table, name)| {
        let mut without = whole.clone();
        without.pointer_mut(table).unwrap().as_object_mut().unwrap().remove(name);
        // What is refused is no other setting.
        !is_kept(without)
    });
    faults.map(|(table, name)| format!("{table}/{name}")[1..].replace('/', ".")).collect()
}

/// Tables below a place, with the name of each of their fields.
fn fields(value: &Value, place: &str) -> Vec<(String, String)> {
    let entries = value.as_object().into_iter().flatten();
    entries
        .flat_map(|(name, below)| {
            let mut found = fields(below, &format!("{place}/{name}"));
            found.push((place.into(), name.clone()));
            found
        })
        .collect()
}

/// Name of a type and its [`refilled`] fields.
fn filled<S: PartialEq + Serialize + DeserializeOwned>(settings: &S) -> (&'static str, Vec<String>) {
    (type_name::<S>().rsplit("::").next().unwrap(), refilled(settings))
}

/// Every type whose tables a file may give in part, or that has such a table.
fn all_filled() -> Vec<(&'static str, Vec<String>)> {
    vec![
        filled(&AutoBctSettings::default()),
        filled(&Bandwidth::default()),
        filled(&BoSettings::default()),
        filled(&CensoredGpSurrogate::above(0.5)),
        filled(&CmaEsSettings::default()),
        filled(&Floor::default()),
        filled(&ForestSettings::default()),
        filled(&ForestSurrogate::default()),
        filled(&FractionalSettings::new(5)),
        filled(&GpSettings::default()),
        filled(&GpSurrogate::default()),
        filled(&HybridSettings::default()),
        filled(&Integration::default()),
        filled(&Kernels::default()),
        filled(&LevelSetSettings::default()),
        filled(&Limits::default()),
        filled(&Maximizer::default()),
        filled(&MedianPruner::default()),
        filled(&MultiFidelitySettings::default()),
        filled(&MultiObjectiveSettings::default()),
        filled(&MultiTaskSettings::default()),
        filled(&Nsga2Settings::default()),
        filled(&PatiencePruner::default()),
        filled(&Propagation::default()),
        filled(&RobustGpSurrogate::default()),
        filled(&Sampling::default()),
        filled(&StudentT::default()),
        filled(&SuccessiveHalvingPruner::default()),
        filled(&ThresholdPruner::default()),
        filled(&TpeSettings::default()),
        filled(&TransferSettings::default()),
        filled(&TrustRegionSettings::default()),
        filled(&WilcoxonPruner::default()),
    ]
}

/// A table that a file gives in part has its other settings from the default of the type that it is in, not from its own.
#[test]
fn tables_are_filled_with_the_defaults_of_their_owner() {
    for (name, faults) in all_filled() {
        let expected: &[&str] = match name {
            // A rule is given as a whole: one without a prior has none.
            "GpSurrogate" => &["settings.noise.Learned.prior"],
            "CensoredGpSurrogate" => &["process.settings.noise.Learned.prior"],
            // Journals from before this setting had no such floor.
            "TpeSettings" => &["kernels.bandwidth.floor.steps"],
            "Kernels" => &["bandwidth.floor.steps"],
            "Bandwidth" => &["floor.steps"],
            "Floor" => &["steps"],
            _ => &[],
        };
        assert_eq!(faults, expected, "{name}");
    }
}

/// Attributes, name and fields of the public structs of a file.
fn structs(text: &str) -> impl Iterator<Item = (&str, &str, String)> {
    text.split("\n\n").filter_map(|block| {
        let (attributes, rest) = block.split_once("pub struct ")?;
        let (name, fields) = rest.split_once(|c: char| !c.is_alphanumeric())?;
        let code = fields.lines().filter(|line| !line.trim_start().starts_with("///"));
        Some((attributes, name, code.collect::<Vec<_>>().join("\n")))
    })
}

#[test]
fn every_type_with_tables_is_among_them() {
    let files = crates().values().flat_map(|folder| sources(&folder.join("src"))).collect::<Vec<_>>();
    let all = || files.iter().flat_map(|(_, text)| structs(text));
    let is_table = |attributes: &str| attributes.lines().any(|line| line.starts_with("#[serde(default"));
    let tables: BTreeSet<&str> =
        all().filter(|(attributes, ..)| is_table(attributes)).map(|(_, name, _)| name).collect();
    let has_table =
        |fields: &str| fields.split(|c: char| !c.is_alphanumeric()).any(|word| tables.contains(word));
    let owners =
        all().filter(|(attributes, _, fields)| attributes.contains("Deserialize") && has_table(fields));
    let mut wanted: BTreeSet<&str> = owners.map(|(_, name, _)| name).chain(tables.iter().copied()).collect();
    // It has presets and no default: a file gives all of it.
    assert!(wanted.remove("PhasedSettings"));
    let found: BTreeSet<&str> = all_filled().into_iter().map(|(name, _)| name).collect();
    assert_eq!(wanted, found);
}

/// An owner with another default than that of its table.
#[derive(Debug, PartialEq, Serialize, serde::Deserialize)]
#[serde(default)]
struct Careless {
    maximizer: Maximizer,
}

impl Default for Careless {
    fn default() -> Self {
        Self { maximizer: Maximizer { raw: 7, ..Maximizer::default() } }
    }
}

#[test]
fn a_table_with_defaults_of_its_own_is_found() {
    assert_eq!(refilled(&Careless::default()), ["maximizer.raw"]);
}
