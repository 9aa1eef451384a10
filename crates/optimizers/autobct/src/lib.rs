//! Training under a budget: what to train next, and when to stop.
//!
//! A model is trained at a control u, a point of the unit cube; that has a score and a cost, both observed with noise. Both
//! are linear in basis functions with normal coefficients ([`State`]), so that a training run is a step of two Kalman
//! filters. Score is worth 1 a unit and cost γ: the best policy solves a Markov decision problem over these beliefs,
//! and [`Decision`] has its value functions: one and two steps exactly, more by quadrature. [`AutoBct`] is the optimiser
//! that follows them.
//! Source: `AutoBCT` (Cironis, Palczewski & Aivaliotis, 2022).
//!
//! ```
//! use thrifty_autobct::{Controls, Decision, Noise, Quadrature, State};
//! use thrifty_linear::{Coefficients, Polynomial};
//! let basis = Polynomial::of_one(3, 0.5);
//! let controls = Controls::new(Controls::grid(1, 21).as_ref(), &basis, &basis, |_| Noise { score: 0.05, cost: 0.1 })?;
//! let decision = Decision::new(0.16, controls, Quadrature::ACCURATE)?;
//! let state = State {
//!     score: Coefficients::independent(vec![0.4, 0.1, -0.2, 0.1], &[1.0; 4])?,
//!     cost: Coefficients::independent(vec![1.0, 1.0, 2.0, 2.0], &[0.64, 4.0, 4.0, 4.0])?,
//! };
//! // Another training is worth something even before the first.
//! assert!(decision.two_steps(&state).value() > decision.one_step(&state).value());
//! # Ok::<(), thrifty_autobct::AutoBctError>(())
//! ```

mod ahead;
mod cloud;
mod controls;
mod cost;
mod error;
mod expectation;
mod fan;
mod kronrod;
mod map;
mod optimizer;
mod quadrature;
mod scale;
mod settings;
mod state;
mod two_steps;
mod value;

pub use ahead::{Cautious, LookAhead, OneStep, ValueFunction};
pub use cloud::{Branching, Cloud, CloudSettings};
pub use controls::{Controls, Noise};
pub use cost::expected_cost;
pub use error::AutoBctError;
pub use expectation::Expectation;
pub use fan::{Fan, Outcome};
pub use map::{Baseline, Features, Level, MapSettings, Regressor, ValueMap};
pub use optimizer::AutoBct;
pub use quadrature::Quadrature;
pub use scale::Scale;
pub use settings::{AutoBctSettings, Plan};
pub use state::{Record, State};
pub use two_steps::TwoSteps;
pub use value::{Decision, Values};
