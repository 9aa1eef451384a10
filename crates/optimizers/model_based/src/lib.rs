//! Parts that every model-based optimiser shares.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! A [`SurrogateState`] is fitted to the trials of a study. It has one surrogate per output ([`OutputFitter`]: objectives, constraints,
//! cost). Failed and running trials enter by the policies of [`StateSettings`]. The state builds acquisition functions with weights for
//! cost and constraints, and a [`Maximizer`] finds their best points.
//! [`ModelBased`] is the interface for exploration around any such optimiser. A [`Turn`] offers its own suggestion, its posteriors, and
//! suggestions at other points.

mod acquisitions;
mod choice;
mod constraint_tails;
mod earlier_studies;
mod fingerprint;
mod first_feasible;
mod front;
mod last_fit;
mod loss_model;
mod maximizer;
mod outputs;
mod pairs;
mod repeats;
mod running;
mod scale;
mod settings;
mod surrogate_state;
mod targets;
mod ties;
mod training_data;
mod turn;
mod weights;
mod without_loss;

pub use earlier_studies::{EarlierStudies, EarlierStudyError, LeftOut};
pub use fingerprint::{acquisition_fingerprint, surrogate_fingerprint};
pub use first_feasible::LogFirstFeasible;
pub use front::{front, front_where};
pub use last_fit::LastFit;
pub use loss_model::is_modelled;
pub use maximizer::{Maximizer, reject_nan};
pub use outputs::{OutputFitter, OutputModel};
pub use repeats::Repeats;
pub use running::{Running, improvement_over_draws, likely_feasible};
pub use scale::Scale;
pub use settings::{CostAwareness, FailurePolicy, LossTransform, PendingPolicy, StateSettings};
pub use surrogate_state::SurrogateState;
pub use targets::{carried, expected_noise};
pub use thrifty_gp::{GpSurrogate, KernelFamily};
pub use thrifty_search::{
    Asked, Candidate, DesignBudget, Designer, Given, InitialDesign, ParetoMember, ParetoSet, PlannedTrials,
    ask_given, asked_points, check_config, design_changed, ended_without_loss, fingerprint, first_allowed,
    is_asked, measurement, points_of, random_allowed, random_points, same_shape, shape, within,
    without_gains,
};
pub use thrifty_transfer::{TransferError, TransferSettings, TransferSurrogate};
pub use ties::TiePolicy;
pub use turn::{ModelBased, Modelled, Outlook, Turn};
pub use weights::{CostData, Weights, feasibilities, probability_feasible, weighted_logarithm};
pub use without_loss::WithoutLoss;
