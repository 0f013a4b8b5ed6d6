//! Conversion of roles to and from their texts in tokens, the database and the JSON API.
use crate::access::Role;

/// Returns the text of a role: `op`, `tm`, `admin` or `service`. The text is empty for roles that no caller has, such as
/// `ROLE_ANYONE`.
#[must_use]
pub fn role_text(role: Role) -> &'static str {
    match role {
        Role::Operator => "op",
        Role::Manager => "tm",
        Role::Admin => "admin",
        Role::Service => "service",
        Role::Unspecified | Role::Anyone | Role::Developer => "",
    }
}

/// Parses a user's role. Returns `None` for any text other than `op`, `tm` and `admin`.
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
            assert_eq!(parse(role_text(role)), Some(role));
        }
        assert_eq!(parse("service"), None);
        assert_eq!(parse(""), None);
    }
}
