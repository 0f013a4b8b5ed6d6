//! Requested changes of a campaign: field checks, permissions, and the difference for the audit entry.
use crate::{
    campaign::{Campaign, StoredStatus},
    error::Error,
    fields::{self, FieldErrors},
    status_transitions,
};
use chrono::{DateTime, Datelike, SecondsFormat, Utc};
use patio_kit::clock;
use patio_proto::{
    access::Role,
    campaign::{CampaignStatus, UpdateCampaignRequest},
    status::campaign_status_text,
};
use serde_json::{Map, Value};

/// Validated fields of a campaign update; fields that are `None` stay unchanged.
#[derive(Debug, Clone, Default)]
pub struct CampaignChange {
    name: Option<String>,
    description: Option<String>,
    image: Option<String>,
    model_type: Option<String>,
    part: Option<String>,
    status: Option<CampaignStatus>,
    /// New due date; `Some(None)` removes the due date.
    due_at: Option<Option<DateTime<Utc>>>,
}

impl CampaignChange {
    /// Checks the format of every field of an update request, and returns the requested change.
    ///
    /// # Errors
    /// Returns [`Error::InvalidFields`] with every invalid field.
    pub fn from_request(request: UpdateCampaignRequest) -> Result<Self, Error> {
        let mut checks = FieldErrors::default();
        let status = request.status.map(|number| checks.unwrap_or_record_error("status", status(number)));
        let due_at =
            checks.unwrap_or_record_error("due_at", due_at(request.due_at.as_ref().map(clock::from_timestamp), request.clear_due_at));
        let mut take = |field, text: Option<String>, check: fn(&str) -> Result<String, String>| {
            text.map(|text| checks.unwrap_or_record_error(field, check(&text)))
        };
        let change = Self {
            name: take("name", request.name, fields::validate_name),
            description: take("description", request.description, fields::validate_text),
            image: take("image", request.image, fields::validate_image_path),
            model_type: take("model_type", request.model_type, fields::validate_text),
            part: take("part", request.part, fields::validate_text),
            status,
            due_at,
        };
        checks.into_result()?;
        Ok(change)
    }

    /// Returns the campaign with this change applied, if the caller's role may make the change.
    ///
    /// An operator's update is rejected if any field other than the status differs from the stored campaign.
    ///
    /// # Errors
    /// Returns `FieldNotAllowed`, `TransitionNotAllowed` or `InvalidTransition`.
    pub fn apply(&self, before: &Campaign, role: Role) -> Result<Campaign, Error> {
        let mut after = before.clone();
        put(&mut after.name, self.name.as_ref());
        put(&mut after.description, self.description.as_ref());
        put(&mut after.image, self.image.as_ref());
        put(&mut after.model_type, self.model_type.as_ref());
        put(&mut after.part, self.part.as_ref());
        after.due_at = self.due_at.unwrap_or(before.due_at);
        let due = (before.due_at != after.due_at).then_some("due_at");
        if let Some(field) = different(before, &after).map(|(field, ..)| field).next().or(due)
            && !status_transitions::may_edit_fields(role)
        {
            return Err(Error::FieldNotAllowed(field));
        }
        if let Some(to) = self.status {
            status_transitions::check_status_transition(role, before.status.0, to)?;
            after.status = StoredStatus(to);
        }
        Ok(after)
    }
}

fn status(number: i32) -> Result<CampaignStatus, String> {
    match CampaignStatus::try_from(number) {
        Ok(CampaignStatus::Unspecified) | Err(_) => Err("must be Ready, Ongoing, Pending Review or Closed".to_owned()),
        Ok(status) => Ok(status),
    }
}

/// Validates the due date of an update request. The year must be between 1970 and 9999, a range that every database can store.
/// Returns `None` if the due date stays unchanged, and `Some(None)` if the request removes the due date.
fn due_at(new: Option<Option<DateTime<Utc>>>, clear: bool) -> Result<Option<Option<DateTime<Utc>>>, String> {
    match (new, clear) {
        (None, clear) => Ok(clear.then_some(None)),
        (Some(_), true) => Err("is set and removed at once".to_owned()),
        (Some(Some(at)), false) if (1970..=9999).contains(&at.year()) => Ok(Some(Some(at))),
        (Some(_), false) => Err("must be between the years 1970 and 9999".to_owned()),
    }
}

fn put(place: &mut String, text: Option<&String>) {
    if let Some(text) = text {
        place.clone_from(text);
    }
}

/// Returns the text fields that differ between two versions of a campaign, each with field name, old value and new value.
fn different<'c>(before: &'c Campaign, after: &'c Campaign) -> impl Iterator<Item = (&'static str, &'c str, &'c str)> {
    before
        .text_fields()
        .into_iter()
        .zip(after.text_fields())
        .filter(|(old, new)| old.1 != new.1)
        .map(|((field, old), (_, new))| (field, old, new))
}

/// Changed fields of a campaign for the audit entry: old values, new values and a summary sentence.
pub struct ChangedFields {
    pub old: Value,
    pub new: Value,
    pub summary: String,
}

/// Returns the fields that differ between two versions of a campaign, for the audit entry; `None` when no field differs.
pub fn diff_fields(before: &Campaign, after: &Campaign) -> Option<ChangedFields> {
    let (mut old, mut new, mut changes) = (Map::new(), Map::new(), Vec::new());
    for (field, from, to) in different(before, after) {
        old.insert(field.to_owned(), from.into());
        new.insert(field.to_owned(), to.into());
        changes.push(field.to_owned());
    }
    if before.due_at != after.due_at {
        let text = |at: Option<DateTime<Utc>>| at.map(|at| at.to_rfc3339_opts(SecondsFormat::Secs, true)).unwrap_or_default();
        old.insert("due_at".to_owned(), text(before.due_at).into());
        new.insert("due_at".to_owned(), text(after.due_at).into());
        changes.push("due_at".to_owned());
    }
    if before.status != after.status {
        let (from, to) = (campaign_status_text(before.status.0), campaign_status_text(after.status.0));
        old.insert("status".to_owned(), from.into());
        new.insert("status".to_owned(), to.into());
        changes.push(format!("status from {from} to {to}"));
    }
    let summary = format!("campaign \"{}\": {}", before.name, changes.join(", "));
    (!changes.is_empty()).then_some(ChangedFields { old: Value::Object(old), new: Value::Object(new), summary })
}
