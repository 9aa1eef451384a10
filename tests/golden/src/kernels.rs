//! Kernels by the names that reference files give them.

use serde_json::Value;
use thrifty_kernel::{
    Constant, Kernel, Linear, Matern12, Matern32, Matern52, Periodic, Product, RationalQuadratic, Scaled,
    SquaredExponential, Sum,
};

use crate::json::{number, numbers, text};

/// The kernel of a case, if this build has it.
pub(crate) fn kernel(name: &str, params: &Value) -> Result<Option<Named>, String> {
    let at = |key: &str| number(&params[key]);
    let scaled = |name: &str, suffix: &str| -> Result<Box<dyn Kernel>, String> {
        let l = numbers(&params[format!("lengthscale{suffix}")])?;
        let unit = unit(name, l, params)?.ok_or_else(|| format!("kernel {name} is not known"))?;
        Ok(Box::new(Scaled::new(unit, number(&params[format!("variance{suffix}")])?).map_err(text)?))
    };
    let affine = |weights: Vec<f64>, variance: &str| -> Result<Box<dyn Kernel>, String> {
        let slopes = Scaled::new(Linear::new(weights).map_err(text)?, at(variance)?).map_err(text)?;
        let bias = Scaled::new(Constant, at("bias_variance")?).map_err(text)?;
        Ok(Box::new(Sum::new(slopes, bias).map_err(text)?))
    };
    Ok(match name {
        "se" | "matern12" | "matern32" | "matern52" => {
            Some((scaled(name, "")?, vec!["variance", "lengthscale"]))
        }
        "rational_quadratic" => Some((scaled(name, "")?, vec!["variance", "lengthscale", "alpha"])),
        "periodic" => Some((scaled(name, "")?, vec!["variance", "lengthscale", "period"])),
        "linear" => {
            let kernel = affine(numbers(&params["weight"])?, "variance")?;
            Some((kernel, vec!["variance", "weight", "bias_variance"]))
        }
        "sum_matern52_se" => {
            let sum = Sum::new(scaled("matern52", "")?, scaled("se", "2")?).map_err(text)?;
            Some((Box::new(sum), vec!["variance", "lengthscale", "variance2", "lengthscale2"]))
        }
        "product_matern32_linear" => {
            let dim = numbers(&params["lengthscale"])?.len();
            let product = Product::new(scaled("matern32", "")?, affine(vec![1.0; dim], "lin_variance")?);
            let mut names = vec!["variance", "lengthscale", "lin_variance"];
            names.extend(vec![""; dim]);
            names.push("bias_variance");
            Some((Box::new(product.map_err(text)?), names))
        }
        _ => None,
    })
}

/// A stationary kernel of unit variance, if this build has it.
pub(crate) fn unit(
    name: &str,
    lengthscales: Vec<f64>,
    params: &Value,
) -> Result<Option<Box<dyn Kernel>>, String> {
    let l = lengthscales;
    Ok(Some(match name {
        "se" => Box::new(SquaredExponential::new(l).map_err(text)?),
        "matern12" => Box::new(Matern12::new(l).map_err(text)?),
        "matern32" => Box::new(Matern32::new(l).map_err(text)?),
        "matern52" => Box::new(Matern52::new(l).map_err(text)?),
        "rational_quadratic" => {
            let kernel = RationalQuadratic::new(l).map_err(text)?;
            Box::new(kernel.with_alpha(number(&params["alpha"])?).map_err(text)?)
        }
        "periodic" => Box::new(Periodic::new(l, number(&params["period"])?).map_err(text)?),
        _ => return Ok(None),
    }))
}

/// A kernel and the names of its parameters in our order; parameters without a reference have the name "".
pub(crate) type Named = (Box<dyn Kernel>, Vec<&'static str>);
