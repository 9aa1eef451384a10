//! Transfer: earlier tasks on the same domain serve a new task as prior knowledge.
//!
//! A [`TransferSurrogate`] wraps any base surrogate and the data of earlier tasks ([`Task`]). Each source adds one model of the new
//! data: its own mean, fitted by a line, plus the base surrogate on the residuals. The weights of these models and of the base
//! surrogate alone are the probabilities of ranking the new observations best. Two guards drop misleading sources, and with no
//! source left the fit is that of the base surrogate, bit for bit.
//!
//! ```
//! use thrifty_domain::{Domain, Points};
//! use thrifty_gp::GpSurrogate;
//! use thrifty_sampling::Seed;
//! use thrifty_surrogate::{Observations, Surrogate};
//! use thrifty_transfer::{Task, TransferSurrogate};
//! let domain = Domain::unit_cube(1);
//! let grid = |n: u32| Points::from_flat((0..n).map(|i| f64::from(i) / f64::from(n - 1)).collect(), 1);
//! let earlier = |x: &[f64]| (9.0 * x[0]).sin();
//! let (old, new) = (grid(15), grid(6));
//! let task = Task::new("earlier", old.clone(), old.rows().map(earlier).collect());
//! let surrogate = TransferSurrogate::new(GpSurrogate::default(), &domain, vec![task])?;
//! // Another location and scale.
//! let y: Vec<f64> = new.rows().map(|x| 7.0 + 3.0 * earlier(x)).collect();
//! let data = Observations::new(new.as_ref(), &y);
//! let fitted = surrogate.fit(&domain, data, None, &mut Seed(1).stream("fit", 0))?;
//! assert!((fitted.posterior().predict(&[0.9]).mean - (7.0 + 3.0 * earlier(&[0.9]))).abs() < 0.3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod ensemble;
mod first_points;
mod leave_out;
mod ranking;
mod settings;
mod source;
mod surrogate;
mod trend;

pub use ensemble::{Ensemble, Weight};
pub use ranking::{chance_of_agreement, discordant_pairs, ranking_weights};
pub use settings::TransferSettings;
pub use source::{Task, TransferError};
pub use surrogate::TransferSurrogate;
