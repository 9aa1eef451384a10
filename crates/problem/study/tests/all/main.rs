//! Integration tests of `thrifty-study`, built as one program.

mod altered;
mod contract;
mod directions;
mod elsewhere;
mod journal;
mod laws;
mod leases;
mod outages;
mod pruning;
mod restarts;
mod resume;
mod running;
mod shared;
mod stop;
mod top;
mod waiting;
mod wrong_logs;
