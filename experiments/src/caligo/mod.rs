//! A protocol for oblivious transfer, explored as its authors would.

pub mod pareto;
