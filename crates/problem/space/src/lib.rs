//! Parameters, conditions, configurations, and their encoding into the unit cube.
