//! Other libraries as optimisers: a script of `experiments/peers` in a Python process that is asked for points.

mod beside;
#[cfg(all(test, unix))]
mod fake;
mod interpreters;
mod on_folds;
mod peer_study;
mod process;
mod versions;
mod whole;

pub use self::beside::{Beside, Found, PeerMethod};
pub use self::interpreters::Interpreters;
pub use self::on_folds::SeedsAsFolds;
pub use self::peer_study::{First, PeerStudy, Refusal};
pub use self::versions::versions;
pub use self::whole::{Ended, PeerRun};
