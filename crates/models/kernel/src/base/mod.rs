//! Base kernels beside the stationary and categorical ones.

mod constant;
mod linear;
mod periodic;
mod white_noise;

pub use constant::Constant;
pub use linear::Linear;
pub use periodic::Periodic;
pub use white_noise::WhiteNoise;
