//! Claims of a token, and their conversion to a caller.
use crate::auth::identity::Caller;
use chrono::{DateTime, TimeDelta, Utc};
use patio_proto::{access::Role, role};
use serde::{Deserialize, Serialize};

/// Claims of a token, which contain no personal data except the user id.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
pub struct Claims {
    /// Issuer, always `patio`.
    pub iss: String,
    /// Subject: the user's id, or `service:NAME`.
    pub sub: String,
    /// Role of the subject: `op` (operator), `tm` (manager), `admin` or `service`.
    pub role: String,
    /// Id of the session that the token belongs to.
    pub sid: String,
    /// Time at which the token was issued, in seconds since 1970.
    pub iat: i64,
    /// Time at which the token was issued, in milliseconds since 1970, for comparison with the times of revocations.
    pub iat_ms: i64,
    /// Time at which the token expires, in seconds since 1970.
    pub exp: i64,
    /// Whether the user has to change the password before most other calls are allowed.
    #[serde(default, skip_serializing_if = "is_false")]
    pub chg: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

/// Maximum lifetime of a token.
pub const MAX_TOKEN_LIFETIME: TimeDelta = TimeDelta::hours(24);
/// Maximum accepted difference between the clocks of two processes.
const MAX_CLOCK_SKEW: TimeDelta = TimeDelta::minutes(15);

/// Returns `true` when a token's times are plausible: not issued in the future, and not valid for longer than allowed.
pub(super) fn has_plausible_iat_and_exp(claims: &Claims, now: DateTime<Utc>) -> bool {
    let made = DateTime::from_timestamp_millis(claims.iat_ms);
    let ends = DateTime::from_timestamp(claims.exp, 0);
    made.zip(ends).is_some_and(|(made, ends)| {
        claims.iat == made.timestamp() && made <= now + MAX_CLOCK_SKEW && ends - made <= MAX_TOKEN_LIFETIME + MAX_CLOCK_SKEW
    })
}

pub(super) fn caller_from_claims(claims: &Claims) -> Option<Caller> {
    let (user_id, role) = if claims.sub.starts_with("service:") && claims.role == role::role_text(Role::Service) {
        (0, Role::Service)
    } else {
        (claims.sub.parse().ok().filter(|id| *id > 0)?, role::parse(&claims.role)?)
    };
    Some(Caller {
        user_id,
        role,
        session_id: claims.sid.clone(),
        issued_at: DateTime::from_timestamp_millis(claims.iat_ms)?,
        expires_at: DateTime::from_timestamp(claims.exp, 0)?,
        must_change_password: claims.chg,
    })
}

#[cfg(test)]
mod tests {
    use super::{super::TOKEN_ISSUER, *};

    #[test]
    fn tokens_from_the_future_or_with_too_long_a_lifetime_are_rejected() {
        let now = DateTime::from_timestamp(1_790_000_000, 0).unwrap();
        let claims = |made: TimeDelta, lives: TimeDelta| Claims {
            iss: TOKEN_ISSUER.to_owned(),
            sub: "2".to_owned(),
            role: "admin".to_owned(),
            sid: "s".to_owned(),
            iat: (now + made).timestamp(),
            iat_ms: (now + made).timestamp_millis(),
            exp: (now + made + lives).timestamp(),
            chg: false,
        };
        for (made, lives, ours) in [
            (TimeDelta::zero(), TimeDelta::hours(12), true),
            (TimeDelta::hours(-11), TimeDelta::hours(24), true),
            (TimeDelta::minutes(14), TimeDelta::hours(12), true),
            (TimeDelta::minutes(16), TimeDelta::hours(12), false),
            (TimeDelta::days(365), TimeDelta::hours(12), false),
            (TimeDelta::zero(), TimeDelta::hours(25), false),
            (TimeDelta::zero(), TimeDelta::days(3650), false),
        ] {
            assert_eq!(has_plausible_iat_and_exp(&claims(made, lives), now), ours, "made {made}, lives {lives}");
        }
        let inconsistent = Claims { iat: now.timestamp() - 60, ..claims(TimeDelta::zero(), TimeDelta::hours(1)) };
        assert!(!has_plausible_iat_and_exp(&inconsistent, now), "the two times of issue must agree");
        assert!(!has_plausible_iat_and_exp(&Claims { iat_ms: i64::MAX, ..inconsistent }, now));
    }
}
