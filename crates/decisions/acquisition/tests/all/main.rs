//! Integration tests of `thrifty-acquisition`, built as one program.

mod baseline;
mod batches;
mod closed_forms;
mod contract;
mod degenerate;
mod every_posterior;
mod ill_conditioned;
mod information;
mod knowledge_gradient;
mod laws;
mod level_set;
mod properties;
mod stability;
