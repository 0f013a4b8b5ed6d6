//! Yard filter: the set of vehicles that a caller may see. Operators do not see yard `-` (parking spaces that begin with a
//! dash).
use patio_proto::{access::Role, yard};

/// Id that belongs to no yard. A yard filter with this id matches no vehicle.
const NONEXISTENT_YARD: i64 = 0;

/// Set of vehicles to which a list, a counter or the search for the next vehicle to inspect is limited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum YardFilter {
    /// All vehicles, with and without a yard.
    #[default]
    All,
    /// Vehicles of the yard with this id.
    Yard(i64),
    /// All vehicles, including vehicles without a yard, except the vehicles of the yard with this id.
    ExceptYard(i64),
}

impl YardFilter {
    /// Returns the yard filter of a caller with the given role. If `yard` contains an id, the filter is limited to that yard. The
    /// filter matches no vehicle if the role may not see that yard.
    #[must_use]
    pub fn for_role(role: Role, yard: Option<i32>) -> Self {
        match (yard, can_see_dash_yard(role)) {
            (Some(yard::DASH_YARD_ID), false) => Self::Yard(NONEXISTENT_YARD),
            (Some(yard), _) => Self::Yard(i64::from(yard)),
            (None, true) => Self::All,
            (None, false) => Self::ExceptYard(i64::from(yard::DASH_YARD_ID)),
        }
    }

    /// Encodes the yard filter as one SQL parameter: null for all vehicles, a yard id, or the negated id of the excluded yard.
    #[must_use]
    pub fn to_sql_parameter(self) -> Option<i64> {
        match self {
            Self::All => None,
            Self::Yard(yard) => Some(yard),
            Self::ExceptYard(yard) => Some(-yard),
        }
    }

    /// Returns `true` when the yard filter contains the vehicles of the given yard (`None` for vehicles without a yard).
    #[must_use]
    pub fn includes(self, yard: Option<i64>) -> bool {
        match self {
            Self::All => true,
            Self::Yard(only) => yard == Some(only),
            Self::ExceptYard(hidden) => yard != Some(hidden),
        }
    }
}

/// Returns `true` when a role may see yard `-` (parking spaces that begin with a dash).
#[must_use]
pub fn can_see_dash_yard(role: Role) -> bool {
    role != Role::Operator
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_operators_do_not_see_the_yard_named_dash() {
        for role in [Role::Admin, Role::Manager] {
            assert_eq!((YardFilter::for_role(role, None), YardFilter::for_role(role, Some(19))), (YardFilter::All, YardFilter::Yard(19)));
        }
        let (all, dash) = (YardFilter::for_role(Role::Operator, None), YardFilter::for_role(Role::Operator, Some(19)));
        assert_eq!([Some(19), Some(2), None].map(|yard| all.includes(yard)), [false, true, true]);
        assert_eq!([Some(19), Some(2), None].map(|yard| dash.includes(yard)), [false; 3]);
        assert_eq!(
            (all.to_sql_parameter(), dash.to_sql_parameter(), YardFilter::for_role(Role::Operator, Some(2)).to_sql_parameter()),
            (Some(-19), Some(0), Some(2))
        );
    }
}
