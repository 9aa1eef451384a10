//! The functions of the BBOB testbeds: 24 without noise and 30 with it, in any number of dimensions from 2 on.
//!
//! Each function has instances, numbered from 1 as in the COCO platform: other places of the optimum, rotations and optimal values.

mod error;
mod function;
mod gallagher;
mod ill_conditioned;
mod instance;
mod matrix;
mod moderate;
mod multimodal;
mod noise;
mod noisy;
mod random;
mod separable;
mod shape;
mod transform;
mod weakly_structured;

pub use error::BbobError;
pub use function::Bbob;
pub use noise::BbobNoise;
pub use noisy::NoisyBbob;
