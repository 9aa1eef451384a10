//! Vector loops over many points, for any profile.

use thrifty_simd::{VectorLoop, dispatch};

use super::pairs::{EvalPairs, PullBackPair, PullBackPairInput};
use super::passes::{Cross, Forward, PullBackInputs, PullBackProfile};
use crate::StationaryProfile;

/// A vector loop over many points, apart from the profile of which it takes values.
pub struct ProfileLoop<'a>(Kind<'a>);

enum Kind<'a> {
    EvalPairs(EvalPairs<'a>),
    PullBackPair(PullBackPair<'a>),
    PullBackPairInput(PullBackPairInput<'a>),
    Forward(Forward<'a>),
    Cross(Cross<'a>),
    PullBackInputs(PullBackInputs<'a>),
    PullBackProfile(PullBackProfile<'a>),
}

macro_rules! kinds {
    ($($kind:ident),*) => {
        $(impl<'a> From<$kind<'a>> for ProfileLoop<'a> {
            fn from(pass: $kind<'a>) -> Self {
                Self(Kind::$kind(pass))
            }
        })*
    };
}

kinds!(EvalPairs, PullBackPair, PullBackPairInput, Forward, Cross, PullBackInputs, PullBackProfile);

impl ProfileLoop<'_> {
    /// Runs it with the values of a profile.
    pub(super) fn run<R: StationaryProfile>(self, profile: R) {
        dispatch(Of { pass: self.0, profile });
    }
}

/// A loop with the values of a profile.
struct Of<'a, R> {
    pass: Kind<'a>,
    profile: R,
}

impl<R: StationaryProfile> VectorLoop for Of<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        match self.pass {
            Kind::EvalPairs(pass) => pass.run::<R, FMA>(self.profile),
            Kind::PullBackPair(pass) => pass.run::<R, FMA>(self.profile),
            Kind::PullBackPairInput(pass) => pass.run::<R, FMA>(self.profile),
            Kind::Forward(pass) => pass.run::<R, FMA>(self.profile),
            Kind::Cross(pass) => pass.run::<R, FMA>(self.profile),
            Kind::PullBackInputs(pass) => pass.run::<R, FMA>(self.profile),
            Kind::PullBackProfile(pass) => pass.run::<R, FMA>(self.profile),
        }
    }
}

/// The loops of a profile of this crate: compiled here, and not again in every crate that has a kernel of this profile.
macro_rules! loops_compiled_here {
    () => {
        #[inline(never)]
        fn run(self, pass: crate::ProfileLoop<'_>) {
            pass.run(self);
        }
    };
}

pub(super) use loops_compiled_here;
