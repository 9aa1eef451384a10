//! Integration tests of `thrifty-tpe`, built as one program.

mod behaviour;
mod costs;
mod finite;
mod objectives;
mod presets;
mod priors;
mod properties;
mod queues;
mod stability;
