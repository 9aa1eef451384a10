//! Integration tests of `thrifty-gp`, built as one program.

mod contract;
mod degenerate;
mod extremes;
mod information;
mod lookahead;
mod mixed;
mod outsider;
mod properties;
mod refit;
mod sampled;
mod selection;
mod stability;
mod subset;
