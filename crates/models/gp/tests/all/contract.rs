//! The contract of surrogates, on Gaussian processes.

use thrifty_gp::{GpSettings, GpSurrogate, KernelFamily};
use thrifty_kernel::{Kernel, Linear, Matern52, Scaled, Sum};
use thrifty_surrogate::contract;

#[test]
fn every_family_is_a_surrogate() {
    for family in [
        KernelFamily::SquaredExponential,
        KernelFamily::Matern12,
        KernelFamily::Matern32,
        KernelFamily::Matern52,
    ] {
        contract::surrogate(&GpSurrogate { family, ..GpSurrogate::default() });
    }
    contract::surrogate(&GpSurrogate { lengthscale_bounds: Some((0.05, 5.0)), ..GpSurrogate::default() });
    contract::surrogate(&GpSurrogate { warp_inputs: true, ..GpSurrogate::default() });
}

#[test]
fn a_kernel_of_ones_own_is_a_surrogate() {
    contract::surrogate(&GpSurrogate::default().with_kernel("smooth + linear", |domain| {
        let smooth = Scaled::new(Matern52::new(vec![0.5; domain.dim()])?, 1.0)?.with_bounds(1e-3, 1e3)?;
        Ok(Sum::new(smooth, Linear::new(vec![0.5; domain.dim()])?)?.clone_box())
    }));
}

/// Settings that a file leaves out are those of the surrogate, with the prior of its noise, under both spellings; others are refused.
#[test]
fn files_have_the_defaults_of_the_surrogate() {
    let read = |text: &str| serde_json::from_str::<GpSurrogate>(text);
    let default = GpSurrogate::default();
    assert_eq!(read(r#"{"settings":{}}"#).unwrap(), default);
    let restarts = GpSettings { restarts: 5, ..default.settings.clone() };
    assert_eq!(read(r#"{"settings":{"restarts":5}}"#).unwrap().settings, restarts);
    let settings =
        GpSettings { standardize_targets: false, normalize_inputs: true, ..default.settings.clone() };
    for text in [
        r#"{"settings":{"standardise_targets":false,"normalise_inputs":true}}"#,
        r#"{"settings":{"standardize_targets":false,"normalize_inputs":true}}"#,
    ] {
        assert_eq!(read(text).unwrap().settings, settings, "{text}");
    }
    assert!(read(r#"{"settings":{"restart":5}}"#).is_err());
}
