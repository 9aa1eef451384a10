//! Where functions are above a threshold.

pub mod deathvalley;
mod responses;
mod valley_map;
