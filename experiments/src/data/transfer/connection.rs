//! The HTTP client.

use std::sync::Arc;
use std::time::Duration;

use ureq::tls::{Certificate, RootCerts, TlsConfig, TlsProvider};

/// A client that follows ten redirects and trusts the certificate authorities of the system.
///
/// A server that sends nothing for a minute is given up. Proxies are taken from the environment.
pub fn agent() -> ureq::Agent {
    let found = rustls_native_certs::load_native_certs().certs;
    let authorities: Vec<_> =
        found.iter().map(|authority| Certificate::from_der(authority).to_owned()).collect();
    let tls = TlsConfig::builder()
        .provider(TlsProvider::Rustls)
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .root_certs(RootCerts::new_with_certs(&authorities))
        .build();
    ureq::Agent::config_builder()
        .tls_config(tls)
        .http_status_as_error(false)
        .timeout_connect(Some(Duration::from_secs(30)))
        .timeout_recv_response(Some(Duration::from_mins(1)))
        .timeout_per_read(Some(Duration::from_mins(1)))
        .user_agent(concat!("thrifty-experiments/", env!("CARGO_PKG_VERSION")))
        .build()
        .new_agent()
}
