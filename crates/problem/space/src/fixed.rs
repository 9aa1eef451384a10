//! Spaces with fixed parameters.

use std::collections::HashSet;

use crate::encoding::{canonical, level_of};
use crate::{Kind, Parameter, Space, SpaceError, Value};

impl Space {
    /// The space with one parameter fixed at a value. Configurations keep the value, and optimisers do not search over it.
    ///
    /// Parameters that can only be active under other values are left out. The fixed parameter becomes a choice of one value.
    ///
    /// ```
    /// use thrifty_space::Space;
    /// let space = Space::builder()
    ///     .categorical("solver", ["sgd", "adam"])
    ///     .float("momentum", 0.0, 1.0)
    ///     .when("solver", ["sgd"])
    ///     .float("rate", 0.0, 1.0)
    ///     .build()?;
    /// let names = |space: &Space| space.parameters().iter().map(|p| p.name.clone()).collect::<Vec<_>>();
    /// assert_eq!(names(&space.with_fixed("solver", "adam")?), ["solver", "rate"]);
    /// assert_eq!(names(&space.with_fixed("solver", "sgd")?), ["solver", "momentum", "rate"]);
    /// assert!(space.with_fixed("rate", 2.0).is_err());
    /// # Ok::<(), thrifty_space::SpaceError>(())
    /// ```
    ///
    /// # Errors
    /// [`SpaceError`] for a name that is not a parameter, or a value that the parameter cannot have.
    pub fn with_fixed(&self, name: &str, value: impl Into<Value>) -> Result<Self, SpaceError> {
        let unknown = || SpaceError::UnknownParameter { name: name.into() };
        let fixed = self.parameters().iter().find(|parameter| parameter.name == name).ok_or_else(unknown)?;
        let value = canonical(fixed, &value.into())?;
        let mut absent: HashSet<&str> = HashSet::new();
        let mut kept: Vec<Parameter> = Vec::with_capacity(self.parameters().len());
        for parameter in self.parameters() {
            let mut restricted = parameter.clone();
            let mut possible = true;
            for condition in &mut restricted.conditions {
                if condition.parent == name {
                    possible &= allows(fixed, &condition.values, &value);
                    condition.values = vec![value.clone()];
                } else {
                    possible &= !absent.contains(condition.parent.as_str());
                }
            }
            if parameter.name == name {
                restricted.kind = Kind::Categorical { choices: vec![value.clone()] };
            }
            if possible {
                kept.push(restricted);
            } else {
                absent.insert(&parameter.name);
            }
        }
        Self::new(kept)
    }
}

/// True if a condition on a parameter holds at a value.
fn allows(parameter: &Parameter, values: &[Value], value: &Value) -> bool {
    let level = level_of(parameter, value).ok();
    level.is_some() && values.iter().any(|allowed| level_of(parameter, allowed).ok() == level)
}
