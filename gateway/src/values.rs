//! The vocabularies of the API, and how the contract's values are spelled in them.
use crate::error::{Problem, Reply};
use chrono::{DateTime, Datelike, Utc};
use patio_kit::clock;
use patio_proto::{access::Role, campaign, role, status, vehicle};
use serde::{Deserialize, Deserializer, Serialize, de::Error};
use std::borrow::Cow;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{ObjectBuilder, RefOr, Schema, Type},
};

/// What a person may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum UserType {
    /// Operator.
    Op,
    /// Team leader.
    Tm,
    /// Supervisor.
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
    fn from(told: UserType) -> Self {
        match told {
            UserType::Op => Self::Operator,
            UserType::Tm => Self::Manager,
            UserType::Admin => Self::Admin,
        }
    }
}

/// The text of the role an audit entry was made in; none when nobody was signed in.
#[must_use]
pub fn role_text(role: Role) -> Option<String> {
    Some(role::text(role)).filter(|text| !text.is_empty()).map(str::to_owned)
}

macro_rules! vocabulary {
    ($(#[doc = $doc:literal])* $name:ident of $wire:path, $text:path, $parse:path, { $first:ident = $first_written:tt, $($value:ident = $written:tt,)* }) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
        #[expect(missing_docs, reason = "each is what it is spelled as")]
        pub enum $name { #[default] #[serde(rename = $first_written)] $first, $(#[serde(rename = $written)] $value,)* }

        impl $name {
            /// Every spelling.
            pub const SPELLINGS: &[&str] = &[$first_written, $($written),*];

            /// As the contract has it.
            #[must_use]
            pub fn wire(self) -> $wire {
                match self { Self::$first => <$wire>::$first, $(Self::$value => <$wire>::$value,)* }
            }
        }

        impl From<$wire> for $name {
            fn from(told: $wire) -> Self {
                match $text(told) { $($written => Self::$value,)* _ => Self::default() }
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
                let written = String::deserialize(reader)?;
                $parse(&written).map(Self::from).ok_or_else(|| D::Error::custom(format!("`{written}` is none of {:?}", Self::SPELLINGS)))
            }
        }

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                let description = [$($doc),*].concat();
                ObjectBuilder::new().schema_type(Type::String).enum_values(Some(Self::SPELLINGS.iter().copied())).description(Some(description.trim())).build().into()
            }
        }

        impl ToSchema for $name {
            fn name() -> Cow<'static, str> {
                stringify!($name).into()
            }
        }
    };
}

vocabulary! {
    /// What an inspection found; empty for nothing yet.
    VehicleStatus of vehicle::VehicleStatus, status::text, status::parse, {
        Unspecified = "", Ok = "ok", Ng = "ng", Repair = "Repair", RepairOk = "Repair OK", NotFound = "Not Found", GateOut = "Gate Out", SOffBl = "S/OFF BL",
    }
}

vocabulary! {
    /// Where a campaign is in its life.
    CampaignStatus of campaign::CampaignStatus, status::campaign_text, status::parse_campaign, {
        Ready = "Ready", Ongoing = "Ongoing", PendingReview = "Pending Review", Closed = "Closed",
    }
}

/// A moment of the contract as JSON has it; the epoch when it is missing.
#[must_use]
pub fn moment(stamp: Option<&prost_types::Timestamp>) -> DateTime<Utc> {
    optional_moment(stamp).unwrap_or_default()
}

/// A moment of the contract that may be missing.
#[must_use]
pub fn optional_moment(stamp: Option<&prost_types::Timestamp>) -> Option<DateTime<Utc>> {
    stamp.and_then(clock::moment)
}

/// A moment as a client tells it, within what everything here can keep.
///
/// # Errors
/// Names the field when it is not.
pub fn kept(field: &str, at: DateTime<Utc>) -> Reply<DateTime<Utc>> {
    if (1970..=9999).contains(&at.year()) { Ok(at) } else { Err(Problem::field(field, "it is between the years 1970 and 9999")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_goes_out_and_comes_in_as_itself() {
        for known in status::ALL {
            let json = serde_json::to_string(&VehicleStatus::from(known)).unwrap();
            assert_eq!(json, format!("\"{}\"", status::text(known)));
            assert_eq!(serde_json::from_str::<VehicleStatus>(&json).unwrap().wire(), known);
        }
        assert!(serde_json::from_str::<VehicleStatus>("\"fine\"").is_err());
        assert!(serde_json::from_str::<CampaignStatus>("\"\"").is_err());
    }
}
