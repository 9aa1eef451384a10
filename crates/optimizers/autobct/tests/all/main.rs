//! Integration tests of `thrifty-autobct`, built as one program.

mod behaviour;
mod exact_two;
mod laws;
mod maps;
mod presets;
mod stability;
mod unfinished;
