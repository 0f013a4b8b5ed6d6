//! gRPC contract of Patio: messages, services, the access rule of every rpc, and domain values that all services share.
use std::{collections::HashMap, sync::LazyLock};

macro_rules! areas {
    ($($(#[$doc:meta])* $area:ident = $package:literal;)*) => {
        #[expect(missing_docs, clippy::allow_attributes, clippy::allow_attributes_without_reason, clippy::too_many_lines, reason = "generated code, documented in the .proto files")]
        mod patio {
            $(pub mod $area { pub mod v1 { tonic::include_proto!($package); } })*
        }
        $($(#[$doc])* pub use patio::$area::v1 as $area;)*
    };
}

areas! {
    /// Access rules: which role may call which rpc.
    access = "patio.access.v1";
    /// Messages that several proto packages share, such as the page number and page size in requests for a list.
    common = "patio.common.v1";
    /// Users, sign-in, sessions and tokens.
    auth = "patio.auth.v1";
    /// Campaigns and the draft campaigns of running imports.
    campaign = "patio.campaign.v1";
    /// Vehicles and yards.
    vehicle = "patio.vehicle.v1";
    /// Imports of campaigns from workbooks, exports of vehicles, and changes of vehicles by CSV files.
    imports = "patio.imports.v1";
    /// Audit log: which user did what and when.
    audit = "patio.audit.v1";
}

pub mod normalization;
pub mod parking_space;
pub mod role;
pub mod status;
pub mod vin;
pub mod walking_order;
pub mod yard;

/// Complete gRPC contract as an encoded `FileDescriptorSet`, for gRPC reflection.
pub const FILE_DESCRIPTOR_SET: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));

/// Rpc of the gRPC contract, with its access and retry rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RpcMethod {
    /// HTTP path of the rpc: `/package.Service/Method`.
    pub path: &'static str,
    /// Minimum role of the caller, as the number of a role in [`access::Role`]. 0 means that the rpc has no access rule and is rejected for
    /// every caller.
    pub role: i32,
    /// Minimum role of a user on whose behalf a service may call the rpc, as the number of a role in [`access::Role`]. 0 means that no
    /// service may call the rpc on behalf of a user.
    pub on_behalf_of: i32,
    /// Whether users may call the rpc even while they must change their password.
    pub before_password_change: bool,
    /// Whether the rpc is idempotent, so that clients may retry a failed call.
    pub is_idempotent: bool,
    /// Whether the rpc is read-only.
    pub read_only: bool,
    /// Whether the client sends a stream of messages.
    pub client_streaming: bool,
    /// Whether the server responds with a stream of messages.
    pub server_streaming: bool,
}

impl RpcMethod {
    /// Returns the full name of the rpc's service, such as `patio.vehicle.v1.VehicleService`.
    #[must_use]
    pub fn service_name(&self) -> &'static str {
        self.path.trim_start_matches('/').split_once('/').map_or("", |(service, _)| service)
    }

    /// Returns the name of the rpc within its service, such as `SaveVehicle`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.path.rsplit_once('/').map_or("", |(_, name)| name)
    }
}

include!(concat!(env!("OUT_DIR"), "/methods.rs"));

/// Returns the rpc with the given HTTP path, including its access and retry rules. Returns `None` for an unknown path.
#[must_use]
pub fn find_rpc_method(path: &str) -> Option<&'static RpcMethod> {
    static BY_PATH: LazyLock<HashMap<&'static str, &'static RpcMethod>> =
        LazyLock::new(|| METHODS.iter().map(|method| (method.path, method)).collect());
    BY_PATH.get(path).copied()
}
