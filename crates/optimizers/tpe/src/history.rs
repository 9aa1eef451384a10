//! Trials as tables of encoded parameters, ranked by loss.

pub(crate) mod coding;
pub(crate) mod observed;
pub(crate) mod pareto;
pub(crate) mod ranking;
pub(crate) mod row;
pub(crate) mod table;
