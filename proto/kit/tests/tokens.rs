//! Tests of token verification: signature, issuer, key, times, session and user.
use chrono::{DateTime, TimeDelta, Utc};
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use patio_kit::{
    auth::identity::{ACTIVITY_REPORT_INTERVAL, Claims, TOKEN_ISSUER, TokenVerifier},
    clock::{Clock, to_timestamp},
    errors::{ErrorReason, reason},
};
use patio_proto::{access::Role, auth::Revocation};
use ring::signature::{Ed25519KeyPair, KeyPair};

/// Identity that knows one signing key, and the private part of this key.
struct Issuer {
    clock: Clock,
    identity: TokenVerifier,
    private: EncodingKey,
}

fn key_pair() -> (EncodingKey, Vec<u8>) {
    let document = Ed25519KeyPair::generate_pkcs8(&ring::rand::SystemRandom::new()).unwrap();
    let public = Ed25519KeyPair::from_pkcs8(document.as_ref()).unwrap().public_key().as_ref().to_vec();
    (EncodingKey::from_ed_der(document.as_ref()), public)
}

impl Issuer {
    fn new() -> Self {
        let clock = Clock::default();
        let identity = TokenVerifier::new(clock.clone());
        let (private, public) = key_pair();
        identity.replace_signing_keys([("one".to_owned(), public)]);
        Self { clock, identity, private }
    }

    fn claims(&self, session: &str) -> Claims {
        let now = self.clock.now();
        Claims {
            iss: TOKEN_ISSUER.to_owned(),
            sub: "7".to_owned(),
            role: "op".to_owned(),
            sid: session.to_owned(),
            iat: now.timestamp(),
            iat_ms: now.timestamp_millis(),
            exp: (now + TimeDelta::hours(1)).timestamp(),
            chg: false,
        }
    }

    fn sign(&self, kid: Option<&str>, claims: &Claims) -> String {
        sign_with(&self.private, kid, claims)
    }

    fn token(&self, session: &str) -> String {
        self.sign(Some("one"), &self.claims(session))
    }

    fn accepts(&self, token: &str) -> bool {
        match self.identity.authenticate(token) {
            Ok(_) => true,
            Err(refusal) => {
                let ended = reason(&refusal) == Some(ErrorReason::SessionEnded);
                assert!(ended || reason(&refusal) == Some(ErrorReason::NotSignedIn));
                let words = if ended { "This session has ended. Sign in again." } else { "Sign in to continue." };
                assert_eq!(refusal.message(), words, "a refusal does not say what is wrong with the token");
                false
            }
        }
    }

    fn end_user(&self, until: Option<DateTime<Utc>>) {
        let revocation = Revocation { sequence: 2, user_id: 7, issued_before: until.map(to_timestamp), ..Default::default() };
        self.identity.add_revocations(&[revocation]);
    }
}

fn sign_with(key: &EncodingKey, kid: Option<&str>, claims: &Claims) -> String {
    let mut header = Header::new(Algorithm::EdDSA);
    header.kid = kid.map(str::to_owned);
    jsonwebtoken::encode(&header, claims, key).unwrap()
}

#[test]
fn a_token_names_its_user_role_session_and_times() {
    let issuer = Issuer::new();
    let claims = issuer.claims("s");
    let caller = issuer.identity.authenticate(&issuer.sign(Some("one"), &claims)).unwrap();
    assert_eq!((caller.user_id, caller.role, caller.session_id.as_str()), (7, Role::Operator, "s"));
    assert_eq!((caller.issued_at.timestamp_millis(), caller.expires_at.timestamp()), (claims.iat_ms, claims.exp));
    let service = Claims { sub: "service:import-svc".to_owned(), role: "service".to_owned(), ..claims };
    let caller = issuer.identity.authenticate(&issuer.sign(Some("one"), &service)).unwrap();
    assert_eq!((caller.user_id, caller.role, caller.signed_in_user_id()), (0, Role::Service, None));
}

#[test]
fn claims_that_no_token_of_ours_has_are_refused() {
    let issuer = Issuer::new();
    let good = issuer.claims("s");
    for (what, claims) in [
        ("another issuer", Claims { iss: "another".to_owned(), ..good.clone() }),
        ("a user id of 0", Claims { sub: "0".to_owned(), ..good.clone() }),
        ("a negative user id", Claims { sub: "-7".to_owned(), ..good.clone() }),
        ("a name in place of an id", Claims { sub: "seven".to_owned(), ..good.clone() }),
        ("an unknown role", Claims { role: "root".to_owned(), ..good.clone() }),
        ("no role", Claims { role: String::new(), ..good.clone() }),
        ("a service with the role of a person", Claims { sub: "service:x".to_owned(), ..good.clone() }),
        ("a time of issue out of range", Claims { iat_ms: i64::MAX, ..good.clone() }),
        ("an expiry out of range", Claims { exp: i64::MAX, ..good.clone() }),
    ] {
        assert!(!issuer.accepts(&issuer.sign(Some("one"), &claims)), "{what}");
    }
    assert!(issuer.accepts(&issuer.sign(Some("one"), &good)));
}

#[test]
fn a_signature_counts_only_by_the_key_that_the_token_names() {
    let issuer = Issuer::new();
    let claims = issuer.claims("s");
    let (other, _) = key_pair();
    assert!(!issuer.accepts(&sign_with(&other, Some("one"), &claims)), "signed by another key");
    assert!(!issuer.accepts(&issuer.sign(Some("two"), &claims)), "a key that is not known");
    assert!(!issuer.accepts(&issuer.sign(None, &claims)), "no key named");
    let token = issuer.token("s");
    let (content, signature) = token.rsplit_once('.').unwrap();
    let (header, body) = content.split_once('.').unwrap();
    let longer = issuer.sign(Some("one"), &Claims { role: "admin".to_owned(), ..claims });
    let of_admin = longer.split('.').nth(1).unwrap();
    assert!(!issuer.accepts(&format!("{header}.{of_admin}.{signature}")), "claims under the signature of others");
    assert!(!issuer.accepts(&format!("{header}.{body}.")), "no signature");
    for odd in ["", ".", "..", "token", "a.b.c", &token[..token.len() - 2], &format!("{token}x"), &format!(" {token}")] {
        assert!(!issuer.accepts(odd), "{odd:?}");
    }
    assert!(issuer.accepts(&token));
}

#[test]
fn a_token_ends_at_its_last_second_even_when_it_was_verified_before() {
    let issuer = Issuer::new();
    let token = issuer.token("s");
    assert!(issuer.accepts(&token));
    issuer.clock.advance(TimeDelta::minutes(59));
    assert!(issuer.accepts(&token));
    issuer.clock.advance(TimeDelta::minutes(1));
    assert!(!issuer.accepts(&token));
    let past = Claims { exp: issuer.clock.now().timestamp(), ..issuer.claims("s") };
    assert!(!issuer.accepts(&issuer.sign(Some("one"), &past)));
}

#[test]
fn a_withdrawn_key_refuses_tokens_that_were_verified_before() {
    let issuer = Issuer::new();
    let token = issuer.token("s");
    assert!(issuer.accepts(&token) && issuer.identity.has_any_signing_key() && issuer.identity.has_signing_key("one"));
    issuer.identity.replace_signing_keys([("two".to_owned(), key_pair().1)]);
    assert!(!issuer.accepts(&token) && !issuer.identity.has_signing_key("one"));
    issuer.identity.replace_signing_keys([]);
    assert!(!issuer.identity.has_any_signing_key());
}

#[test]
fn a_revoked_session_is_refused_at_once_and_others_of_the_user_go_on() {
    let issuer = Issuer::new();
    let (ended, other) = (issuer.token("ended"), issuer.token("other"));
    assert!(issuer.accepts(&ended) && issuer.accepts(&other));
    issuer.identity.add_revocations(&[Revocation { sequence: 5, session_id: "ended".to_owned(), user_id: 7, ..Default::default() }]);
    assert_eq!((issuer.accepts(&ended), issuer.accepts(&other), issuer.identity.last_revocation_sequence()), (false, true, 5));
    issuer.identity.add_revocations(&[Revocation { sequence: 3, session_id: "earlier".to_owned(), ..Default::default() }]);
    assert_eq!(issuer.identity.last_revocation_sequence(), 5, "an older revocation does not set the sequence back");
}

#[test]
fn ending_a_users_sessions_refuses_tokens_issued_up_to_that_moment_and_no_later_one() {
    let issuer = Issuer::new();
    let before = issuer.token("before");
    issuer.end_user(Some(issuer.clock.now()));
    assert!(!issuer.accepts(&before));
    issuer.clock.advance(TimeDelta::milliseconds(2));
    assert!(issuer.accepts(&issuer.token("after")));
    let of_another = Claims { sub: "8".to_owned(), ..issuer.claims("another") };
    assert!(issuer.accepts(&issuer.sign(Some("one"), &of_another)));
    issuer.end_user(None);
    assert!(!issuer.accepts(&issuer.token("now")), "without a moment it is now");
}

#[test]
fn the_use_of_a_session_is_reported_once_in_five_minutes() {
    let issuer = Issuer::new();
    let (first, second) = (issuer.token("first"), issuer.token("second"));
    for _ in 0..3 {
        assert!(issuer.accepts(&first) && issuer.accepts(&second));
    }
    let mut used = issuer.identity.take_unreported_sessions(10);
    used.sort();
    assert_eq!(used, ["first", "second"]);
    assert!(issuer.accepts(&first));
    assert!(issuer.identity.take_unreported_sessions(10).is_empty());
    issuer.clock.advance(ACTIVITY_REPORT_INTERVAL);
    assert!(issuer.accepts(&first) && issuer.accepts(&second));
    let some = issuer.identity.take_unreported_sessions(1);
    assert_eq!((some.len(), issuer.identity.take_unreported_sessions(10).len()), (1, 1), "as many as were asked for, then the rest");
    issuer.identity.requeue_unreported_sessions(some.clone());
    assert_eq!(issuer.identity.take_unreported_sessions(10), some);
}
