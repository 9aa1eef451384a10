//! Integration tests of `thrifty-study`, built as one program.

mod contract;
mod directions;
mod elsewhere;
mod journal;
mod laws;
mod pruning;
mod restarts;
mod resume;
mod running;
mod shared;
mod stop;
mod top;
mod waiting;
mod wrong_logs;
