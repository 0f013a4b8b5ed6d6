//! Which vehicles of a campaign a caller sees. Operators do not see the yard of the dash.
use patio_proto::{access::Role, yard};

/// A number that no vehicle has as its yard.
const NO_SUCH_YARD: i64 = 0;

/// The vehicles that a list, a counter or the search for the next vehicle takes into account.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum View {
    /// Every vehicle.
    #[default]
    All,
    /// Those of one yard.
    Yard(i64),
    /// Those of every yard but one.
    Without(i64),
}

impl View {
    /// What a role sees that asks for one yard, or for none in particular.
    #[must_use]
    pub fn of(role: Role, yard: Option<i32>) -> Self {
        match (yard, sees_dash(role)) {
            (Some(yard::DASH), false) => Self::Yard(NO_SUCH_YARD),
            (Some(yard), _) => Self::Yard(i64::from(yard)),
            (None, true) => Self::All,
            (None, false) => Self::Without(i64::from(yard::DASH)),
        }
    }

    /// The view as one value of a statement: none for all, the yard, or below zero the yard that is left out.
    #[must_use]
    pub fn number(self) -> Option<i64> {
        match self {
            Self::All => None,
            Self::Yard(yard) => Some(yard),
            Self::Without(yard) => Some(-yard),
        }
    }

    /// Whether it holds a vehicle of this yard.
    #[must_use]
    pub fn holds(self, yard: Option<i64>) -> bool {
        match self {
            Self::All => true,
            Self::Yard(only) => yard == Some(only),
            Self::Without(hidden) => yard != Some(hidden),
        }
    }
}

/// Whether a role sees the yard of the dash.
#[must_use]
pub fn sees_dash(role: Role) -> bool {
    role != Role::Operator
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_operators_do_not_see_the_yard_of_the_dash() {
        for role in [Role::Admin, Role::Manager] {
            assert_eq!((View::of(role, None), View::of(role, Some(19))), (View::All, View::Yard(19)));
        }
        let (all, dash) = (View::of(Role::Operator, None), View::of(Role::Operator, Some(19)));
        assert_eq!([Some(19), Some(2), None].map(|yard| all.holds(yard)), [false, true, true]);
        assert_eq!([Some(19), Some(2), None].map(|yard| dash.holds(yard)), [false; 3]);
        assert_eq!((all.number(), dash.number(), View::of(Role::Operator, Some(2)).number()), (Some(-19), Some(0), Some(2)));
    }
}
