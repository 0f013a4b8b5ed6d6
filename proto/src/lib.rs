//! Patio's contract: every rpc with the rule of who may call it, and the values every side shares.
use std::{collections::HashMap, sync::LazyLock};

macro_rules! areas {
    ($($(#[$doc:meta])* $area:ident = $package:literal;)*) => {
        #[expect(missing_docs, clippy::allow_attributes, clippy::allow_attributes_without_reason, clippy::too_many_lines, reason = "generated; documented in the .proto files")]
        mod patio {
            $(pub mod $area { pub mod v1 { tonic::include_proto!($package); } })*
        }
        $($(#[$doc])* pub use patio::$area::v1 as $area;)*
    };
}

areas! {
    /// The rules of who may call what.
    access = "patio.access.v1";
    /// What several areas share.
    common = "patio.common.v1";
    /// Who people are, and whether they may come in.
    auth = "patio.auth.v1";
    /// Campaigns.
    campaign = "patio.campaign.v1";
    /// Vehicles and yards.
    vehicle = "patio.vehicle.v1";
    /// Spreadsheets in and out.
    imports = "patio.imports.v1";
    /// Who did what, when.
    audit = "patio.audit.v1";
}

pub mod identifier;
pub mod normal;
pub mod role;
pub mod space;
pub mod status;
pub mod walk;
pub mod yard;

/// The whole contract as an encoded `FileDescriptorSet`, for reflection.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));

/// One rpc and its rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Method {
    /// As in the request's path: `/package.Service/Method`.
    pub path: &'static str,
    /// A number of [`access::Role`]; 0 means that the rpc has no rule and is refused.
    pub role: i32,
    /// A number of [`access::Role`]: who may stand behind a service that makes the call; 0 for nobody.
    pub on_behalf_of: i32,
    /// Whether a repeated call does no more than a single one.
    pub repeatable: bool,
    /// Whether it changes nothing at all.
    pub read_only: bool,
    /// Whether the caller sends a stream.
    pub client_streaming: bool,
    /// Whether the answer is a stream.
    pub server_streaming: bool,
}

include!(concat!(env!("OUT_DIR"), "/methods.rs"));

/// Finds the rule of an rpc by its path.
#[must_use]
pub fn method(path: &str) -> Option<&'static Method> {
    static BY_PATH: LazyLock<HashMap<&'static str, &'static Method>> =
        LazyLock::new(|| METHODS.iter().map(|method| (method.path, method)).collect());
    BY_PATH.get(path).copied()
}
