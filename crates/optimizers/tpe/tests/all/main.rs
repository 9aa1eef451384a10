//! Integration tests of `thrifty-tpe`, built as one program.

mod behaviour;
mod presets;
mod properties;
mod stability;
