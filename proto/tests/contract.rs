//! Tests of the gRPC contract: every rpc has an access rule and a comment.
use patio_proto::{FILE_DESCRIPTOR_SET, METHODS, access::Role};
use prost_reflect::DescriptorPool;

#[test]
fn every_rpc_has_a_rule() {
    let bare: Vec<_> = METHODS.iter().filter(|m| m.role == Role::Unspecified as i32).map(|m| m.path).collect();
    assert!(bare.is_empty(), "rpcs without `at_least`: {bare:?}");
    assert!(METHODS.len() > 20);
}

#[test]
fn every_rpc_and_service_has_a_comment() {
    let pool = DescriptorPool::decode(FILE_DESCRIPTOR_SET).unwrap();
    let mut bare = Vec::new();
    for file in pool.files().filter(|f| f.package_name().starts_with("patio.")) {
        let info = file.file_descriptor_proto().source_code_info.clone().unwrap_or_default();
        let commented = |path: &[i32]| info.location.iter().any(|l| l.path == path && !l.leading_comments().trim().is_empty());
        for (s, service) in file.services().enumerate() {
            let s = i32::try_from(s).unwrap();
            if !commented(&[6, s]) {
                bare.push(service.full_name().to_owned());
            }
            for (m, method) in service.methods().enumerate() {
                if !commented(&[6, s, 2, i32::try_from(m).unwrap()]) {
                    bare.push(method.full_name().to_owned());
                }
            }
        }
    }
    assert!(bare.is_empty(), "without a comment: {bare:?}");
}

#[test]
fn whatever_is_open_to_anyone_is_named_here() {
    let open: Vec<_> = METHODS.iter().filter(|m| m.role == Role::Anyone as i32).map(|m| m.path).collect();
    assert_eq!(
        open,
        [
            "/patio.auth.v1.SessionService/SignIn",
            "/patio.auth.v1.SessionService/EndLeftSessions",
            "/patio.auth.v1.TokenService/GetSigningKeys",
            "/patio.auth.v1.TokenService/MintServiceToken",
        ]
    );
}
