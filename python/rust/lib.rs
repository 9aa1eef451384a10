//! The Python module `thrifty._thrifty`: numbers and JSON in, numbers and JSON out. What users see is in `src/thrifty`.

use pyo3::prelude::*;

mod boundary;
mod budget;
mod engine;
mod expression;
mod fractional;
mod method;
mod outcome;
mod pareto;
mod parts;
mod regressor;
mod starts;
mod study;
mod trials;
mod values;

#[pymodule]
fn _thrifty(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("__version__", env!("CARGO_PKG_VERSION"))?;
    m.add_class::<engine::Engine>()?;
    m.add_class::<fractional::Fractional>()?;
    m.add_class::<regressor::Regressor>()?;
    m.add_class::<study::Study>()?;
    m.add_class::<trials::Columns>()?;
    m.add_function(wrap_pyfunction!(trials::narrow, m)?)?;
    m.add_function(wrap_pyfunction!(study::read_journal, m)?)?;
    m.add_function(wrap_pyfunction!(values::check_config, m)?)?;
    m.add_function(wrap_pyfunction!(values::check_space, m)?)?;
    m.add_function(wrap_pyfunction!(method::default_settings, m)?)?;
    m.add_function(wrap_pyfunction!(pareto::contributions, m)?)?;
    m.add_function(wrap_pyfunction!(pareto::crowding, m)?)?;
    m.add_function(wrap_pyfunction!(pareto::front, m)?)?;
    m.add_function(wrap_pyfunction!(pareto::hypervolume, m)?)?;
    m.add_function(wrap_pyfunction!(pareto::log_expected_improvement, m)?)?;
    m.add_function(wrap_pyfunction!(pareto::ranks, m)?)?;
    m.add_function(wrap_pyfunction!(boundary::panics, m)?)?;
    Ok(())
}
