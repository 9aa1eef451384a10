//! Search spaces.

use std::collections::HashMap;

use thrifty_domain::Domain;
use thrifty_sampling::Stream;

use crate::encoding::level_of;
use crate::{Config, Parameter, SpaceBuilder, SpaceError};

/// Search space: parameters in order, with their conditions.
///
/// Serialized as a list of parameters. A field that a parameter does not have is an error, which names both.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "Vec<Parameter>", into = "Vec<Parameter>")]
pub struct Space {
    parameters: Vec<Parameter>,
    domain: Domain,
    /// The domain with given values fixed, to complete configurations; the encoding is that of the whole domain.
    pinned: Option<Domain>,
    /// Indices of the parameters, sorted by name.
    by_name: Vec<usize>,
}

impl Space {
    /// Starts a space.
    #[must_use]
    pub fn builder() -> SpaceBuilder {
        SpaceBuilder::default()
    }

    /// Creates a space from parameters. A float with equal bounds becomes a choice of that one value.
    ///
    /// # Errors
    /// [`SpaceError`] names the parameter and its defect.
    pub fn new(mut parameters: Vec<Parameter>) -> Result<Self, SpaceError> {
        parameters.iter_mut().for_each(Parameter::fix_single_value);
        if parameters.is_empty() {
            return Err(SpaceError::Empty);
        }
        let mut variables = Vec::with_capacity(parameters.len());
        let mut index_of: HashMap<&str, usize> = HashMap::with_capacity(parameters.len());
        for (index, parameter) in parameters.iter().enumerate() {
            let name = || parameter.name.clone();
            if index_of.contains_key(parameter.name.as_str()) {
                return Err(SpaceError::DuplicateName { name: name() });
            }
            let mut variable = parameter.lower()?;
            for condition in &parameter.conditions {
                let parent = || condition.parent.clone();
                let at = index_of.get(condition.parent.as_str()).copied();
                let at = at.filter(|&at| !matches!(parameters[at].kind, crate::Kind::Float { .. }));
                let at = at.ok_or_else(|| SpaceError::InvalidParent { name: name(), parent: parent() })?;
                let impossible =
                    |value: String| SpaceError::InvalidCondition { name: name(), parent: parent(), value };
                if condition.values.is_empty() {
                    return Err(impossible("one of no values".into()));
                }
                let level =
                    |value| level_of(&parameters[at], value).map_err(|_| impossible(format!("{value}")));
                variable = variable.when(at, condition.values.iter().map(level).collect::<Result<_, _>>()?);
            }
            variables.push(variable);
            index_of.insert(&parameter.name, index);
        }
        let domain = Domain::new(variables)?;
        let mut by_name: Vec<usize> = (0..parameters.len()).collect();
        by_name.sort_unstable_by(|a, b| parameters[*a].name.cmp(&parameters[*b].name));
        Ok(Self { parameters, domain, pinned: None, by_name })
    }

    /// Floats `x0, x1, …` in `[0, 1]`.
    ///
    /// # Panics
    /// If `dim` is 0.
    #[must_use]
    pub fn unit_cube(dim: usize) -> Self {
        Self::from_bounds(&vec![(0.0, 1.0); dim]).expect("a cube of at least one dimension")
    }

    /// Floats `x0, x1, …` between the given bounds.
    ///
    /// # Errors
    /// [`SpaceError`] for bounds that are empty, inverted or not finite, or none at all.
    pub fn from_bounds(bounds: &[(f64, f64)]) -> Result<Self, SpaceError> {
        let add = |builder: SpaceBuilder, (i, &(low, high))| builder.float(&format!("x{i}"), low, high);
        bounds.iter().enumerate().fold(Self::builder(), add).build()
    }

    /// The parameters in order.
    #[must_use]
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Number of parameters with more than one value, which a search has to choose.
    ///
    /// [Given](Self::given) values do not reduce it.
    ///
    /// ```
    /// use thrifty_space::Space;
    /// let space = Space::builder().float("x", 0.0, 1.0).int("n", 1, 9).build()?;
    /// assert_eq!(space.with_fixed("n", 3)?.free_parameters(), 1);
    /// # Ok::<(), thrifty_space::SpaceError>(())
    /// ```
    #[must_use]
    pub fn free_parameters(&self) -> usize {
        self.domain.free_variables()
    }

    /// True if a parameter has this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.by_name.binary_search_by(|index| self.parameters[*index].name.as_str().cmp(name)).is_ok()
    }

    /// Domain of the encoded configurations: variable i is parameter i. Given values are fixed.
    #[must_use]
    pub fn domain(&self) -> &Domain {
        self.pinned.as_ref().unwrap_or(&self.domain)
    }

    /// The domain of all configurations, including those without the given values.
    pub(crate) fn whole(&self) -> &Domain {
        &self.domain
    }

    /// Part of the space: the configurations with some parameters fixed at their values in `x`.
    pub(crate) fn pinned(&self, indices: &[usize], x: &[f64]) -> Self {
        Self { pinned: Some(self.domain.clone().pinned(indices, x)), ..self.clone() }
    }

    /// Number of columns of the unit cube.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.domain.dim()
    }

    /// Draws a configuration uniformly from the cube. All levels of a discrete parameter are equally likely, or uniform on a log scale if
    /// it has one.
    #[must_use]
    pub fn sample(&self, rng: &mut Stream) -> Config {
        let cube: Vec<f64> = (0..self.dim()).map(|_| rng.uniform()).collect();
        self.decode(&cube)
    }

    /// Short hash of the space: FNV-1a over its JSON form, in hexadecimal.
    ///
    /// # Errors
    /// [`SpaceError::Unwritable`] when the space has no JSON form.
    pub fn fingerprint(&self) -> Result<String, SpaceError> {
        let json = serde_json::to_string(self)
            .map_err(|error| SpaceError::Unwritable { reason: error.to_string() })?;
        let hash = json.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        Ok(format!("{hash:016x}"))
    }
}

impl TryFrom<Vec<Parameter>> for Space {
    type Error = SpaceError;

    fn try_from(parameters: Vec<Parameter>) -> Result<Self, SpaceError> {
        Self::new(parameters)
    }
}

impl From<Space> for Vec<Parameter> {
    fn from(space: Space) -> Self {
        space.parameters
    }
}
