//! Acquisition functions of the effect of one more observation.

pub(crate) mod anchors;
mod knowledge_gradient;
mod lookahead_acquisition;
mod one_shot;

pub use anchors::{choose_anchors, prune_baseline};
pub use knowledge_gradient::{KnowledgeGradient, KnowledgeGradientFactory};
pub use lookahead_acquisition::{
    LookaheadAcquisition, LookaheadGradient, LookaheadMoments, LookaheadUtility,
};
pub use one_shot::OneShotKnowledgeGradient;
