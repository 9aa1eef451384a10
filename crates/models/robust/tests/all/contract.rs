//! The contract of surrogates, on the process with Student-t noise.

use thrifty_robust::{RobustGpSurrogate, StudentT};
use thrifty_surrogate::contract;

#[test]
fn the_robust_process_is_a_surrogate() {
    contract::surrogate(&RobustGpSurrogate::default());
    contract::surrogate(&RobustGpSurrogate {
        student_t: StudentT::new(50.0),
        ..RobustGpSurrogate::default()
    });
}
