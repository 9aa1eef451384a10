//! Base kernels beside the stationary and categorical ones.

mod constant;
mod exponential_decay;
mod linear;
mod periodic;
mod white_noise;

pub use constant::Constant;
pub use exponential_decay::ExponentialDecay;
pub use linear::Linear;
pub use periodic::Periodic;
pub use white_noise::WhiteNoise;
