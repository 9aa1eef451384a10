//! Data sets that are made by their published recipes.

pub mod friedman;
pub mod hastie;
pub mod madelon;
