//! State, controls, costs and the value of stopping.

pub(crate) mod controls;
pub(crate) mod cost;
pub(crate) mod scale;
pub(crate) mod state;
pub(crate) mod value;
