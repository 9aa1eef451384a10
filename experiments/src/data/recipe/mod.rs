//! Sets that are made by their published recipes.

pub mod hastie;
pub mod madelon;
