//! Rules of the method: the split, weights of observations, blocks of parameters, scores.

pub(crate) mod blocks;
pub(crate) mod cost;
pub(crate) mod good_bad_split;
pub(crate) mod preset;
pub(crate) mod proposer;
pub(crate) mod score;
pub(crate) mod split;
pub(crate) mod weights;
