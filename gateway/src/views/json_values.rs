//! Enums and timestamps of the JSON API, and their conversion from and to the proto types.
use crate::http::problem::{ApiResult, Problem};
use chrono::{DateTime, Datelike, Utc};
use patio_kit::clock;
use patio_proto::{access::Role, campaign, role, status, vehicle};
use serde::{Deserialize, Deserializer, Serialize, de::Error};
use std::borrow::Cow;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{ObjectBuilder, RefOr, Schema, Type},
};

/// Role of a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum UserType {
    /// Operator, who inspects vehicles.
    Op,
    /// Team leader, who has more rights than an operator and fewer than a supervisor.
    Tm,
    /// Supervisor, who has all rights, except those of the reserved developer account.
    Admin,
}

impl From<Role> for UserType {
    fn from(role: Role) -> Self {
        match role {
            Role::Admin => Self::Admin,
            Role::Manager => Self::Tm,
            Role::Unspecified | Role::Anyone | Role::Operator | Role::Developer | Role::Service => Self::Op,
        }
    }
}

impl From<UserType> for Role {
    fn from(user_type: UserType) -> Self {
        match user_type {
            UserType::Op => Self::Operator,
            UserType::Tm => Self::Manager,
            UserType::Admin => Self::Admin,
        }
    }
}

/// Returns the text of a role for audit entries, such as `admin`; `None` for the role of a caller who is not signed in.
#[must_use]
pub fn role_text(role: Role) -> Option<String> {
    Some(role::role_text(role)).filter(|text| !text.is_empty()).map(str::to_owned)
}

macro_rules! api_enum {
    ($(#[doc = $doc:literal])* $name:ident of $wire:path, $text:path, $parse:path, { $first:ident = $first_written:tt, $($value:ident = $written:tt,)* }) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
        #[expect(missing_docs, reason = "each variant is named like its JSON value")]
        pub enum $name { #[default] #[serde(rename = $first_written)] $first, $(#[serde(rename = $written)] $value,)* }

        impl $name {
            /// JSON values of all variants of this enum.
            pub const JSON_VALUES: &[&str] = &[$first_written, $($written),*];

            /// Converts this API enum to its proto enum.
            #[must_use]
            pub fn to_proto(self) -> $wire {
                match self { Self::$first => <$wire>::$first, $(Self::$value => <$wire>::$value,)* }
            }
        }

        impl From<$wire> for $name {
            fn from(proto: $wire) -> Self {
                match $text(proto) { $($written => Self::$value,)* _ => Self::default() }
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
                let written = String::deserialize(reader)?;
                $parse(&written).map(Self::from).ok_or_else(|| D::Error::custom(format!("`{written}` must be one of {:?}", Self::JSON_VALUES)))
            }
        }

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                let description = [$($doc),*].concat();
                ObjectBuilder::new().schema_type(Type::String).enum_values(Some(Self::JSON_VALUES.iter().copied())).description(Some(description.trim())).build().into()
            }
        }

        impl ToSchema for $name {
            fn name() -> Cow<'static, str> {
                stringify!($name).into()
            }
        }
    };
}

api_enum! {
    /// Inspection status of a vehicle; an empty string when the vehicle has no status.
    VehicleStatus of vehicle::VehicleStatus, status::vehicle_status_text, status::parse_vehicle_status, {
        Unspecified = "", Ok = "ok", Ng = "ng", Repair = "Repair", RepairOk = "Repair OK", NotFound = "Not Found", GateOut = "Gate Out", SOffBl = "S/OFF BL",
    }
}

api_enum! {
    /// Status of a campaign.
    CampaignStatus of campaign::CampaignStatus, status::campaign_status_text, status::parse_campaign_status, {
        Ready = "Ready", Ongoing = "Ongoing", PendingReview = "Pending Review", Closed = "Closed",
    }
}

/// Converts a proto timestamp; a missing timestamp becomes 1970-01-01T00:00:00Z.
#[must_use]
pub fn to_datetime_or_epoch(stamp: Option<&prost_types::Timestamp>) -> DateTime<Utc> {
    to_optional_datetime(stamp).unwrap_or_default()
}

/// Converts a proto timestamp; `None` when the timestamp is missing.
#[must_use]
pub fn to_optional_datetime(stamp: Option<&prost_types::Timestamp>) -> Option<DateTime<Utc>> {
    stamp.and_then(clock::from_timestamp)
}

/// Checks that a timestamp sent by a client lies within the years that all services can store, 1970 to 9999.
///
/// # Errors
/// Returns a 400 that names the field when the timestamp is out of range.
pub fn validate_timestamp_range(field: &str, at: DateTime<Utc>) -> ApiResult<DateTime<Utc>> {
    if (1970..=9999).contains(&at.year()) { Ok(at) } else { Err(Problem::invalid_field(field, "must be between the years 1970 and 9999")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_round_trips_through_json() {
        for known in status::ALL_VEHICLE_STATUSES {
            let json = serde_json::to_string(&VehicleStatus::from(known)).unwrap();
            assert_eq!(json, format!("\"{}\"", status::vehicle_status_text(known)));
            assert_eq!(serde_json::from_str::<VehicleStatus>(&json).unwrap().to_proto(), known);
        }
        assert!(serde_json::from_str::<VehicleStatus>("\"fine\"").is_err());
        assert!(serde_json::from_str::<CampaignStatus>("\"\"").is_err());
    }
}
