use serde::Serialize;
use thrifty_sampling::Seed;
use thrifty_space::Space;

/// What a journal keeps to tell studies apart: the method, its settings, seed and space.
#[must_use]
pub fn fingerprint(method: &str, settings: &impl Serialize, seed: Seed, space: &Space) -> String {
    let settings = serde_json::to_string(settings).unwrap_or_default();
    format!("{method} {settings} seed {} space {}", seed.0, space.fingerprint())
}
