//! Settings are read with defaults and refuse unknown names.

use serde::Serialize;
use serde::de::DeserializeOwned;
use thrifty::autobct::AutoBctSettings;
use thrifty::bo::{BoSettings, Maximizer, MultiObjectiveSettings};
use thrifty::cmaes::CmaEsSettings;
use thrifty::fcvopt::MultiTaskSettings;
use thrifty::fidelity::MultiFidelitySettings;
use thrifty::gp::GpSettings;
use thrifty::hybrid::HybridSettings;
use thrifty::levelset::LevelSetSettings;
use thrifty::search::Nsga2Settings;
use thrifty::tpe::TpeSettings;
use thrifty::transfer::TransferSettings;
use thrifty::trees::ForestSettings;
use thrifty::trust_region::TrustRegionSettings;

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
