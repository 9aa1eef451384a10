//! The contract of surrogates, on the censored process.

use thrifty_censored::CensoredGpSurrogate;
use thrifty_surrogate::contract;

#[test]
fn the_censored_process_is_a_surrogate() {
    contract::surrogate(&CensoredGpSurrogate::above(-1e300));
    contract::surrogate(&CensoredGpSurrogate::above(0.8));
}
