//! The normal distribution and its friends, accurate in the tails; priors with derivatives.
