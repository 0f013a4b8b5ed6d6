//! Roles as the wire and the database spell them.
use crate::access::Role;

/// The text of a person's role: `op`, `tm` or `admin`; empty for what no person has.
#[must_use]
pub fn text(role: Role) -> &'static str {
    match role {
        Role::Operator => "op",
        Role::Manager => "tm",
        Role::Admin => "admin",
        Role::Service => "service",
        Role::Unspecified | Role::Anyone | Role::Developer => "",
    }
}

/// Reads a person's role; none for anything but `op`, `tm` and `admin`.
#[must_use]
pub fn parse(text: &str) -> Option<Role> {
    match text {
        "op" => Some(Role::Operator),
        "tm" => Some(Role::Manager),
        "admin" => Some(Role::Admin),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_role_a_person_can_have_reads_back_as_itself() {
        for role in [Role::Operator, Role::Manager, Role::Admin] {
            assert_eq!(parse(text(role)), Some(role));
        }
        assert_eq!(parse("service"), None);
        assert_eq!(parse(""), None);
    }
}
