//! The Python module `thrifty._thrifty`: numbers and JSON in, numbers and JSON out. What users see is in `src/thrifty`.

use pyo3::prelude::*;

mod boundary;
mod budget;
mod engine;
mod fractional;
mod method;
mod outcome;
mod study;
mod values;

#[pymodule]
fn _thrifty(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("__version__", env!("CARGO_PKG_VERSION"))?;
    m.add_class::<engine::Engine>()?;
    m.add_class::<fractional::Fractional>()?;
    m.add_class::<study::Study>()?;
    m.add_function(wrap_pyfunction!(values::check_space, m)?)?;
    m.add_function(wrap_pyfunction!(method::default_settings, m)?)?;
    m.add_function(wrap_pyfunction!(boundary::panics, m)?)?;
    Ok(())
}
