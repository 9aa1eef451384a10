//! Integration tests of `thrifty-bo`, built as one program.

mod batches;
mod behaviour;
mod censored;
mod chosen_transform;
mod degenerate;
mod degenerate_posteriors;
mod designs;
mod endings;
mod gains;
mod growth;
mod laws;
mod multi_objective;
mod multi_turns;
mod presets;
mod sampled;
mod stability;
mod ties;
mod transfer;
mod turns;
