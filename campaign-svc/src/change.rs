//! What a caller wants to change in a campaign, and whether that may be.
use crate::{
    campaign::{Campaign, Standing},
    error::Error,
    fields::{self, Checks},
    steps,
};
use patio_proto::{
    access::Role,
    campaign::{CampaignStatus, UpdateCampaignRequest},
    status::campaign_text,
};
use serde_json::{Map, Value};

/// The fields of a save that passed their checks; what is absent stays as it is.
#[derive(Debug, Clone, Default)]
pub struct Change {
    name: Option<String>,
    description: Option<String>,
    image: Option<String>,
    model_type: Option<String>,
    part: Option<String>,
    status: Option<CampaignStatus>,
}

impl Change {
    /// Checks the shape of every field.
    ///
    /// # Errors
    /// Names every field that cannot be.
    pub fn checked(ask: UpdateCampaignRequest) -> Result<Self, Error> {
        let mut checks = Checks::default();
        let status = ask.status.map(|number| checks.take("status", status(number)));
        let mut take =
            |field, text: Option<String>, check: fn(&str) -> Result<String, String>| text.map(|text| checks.take(field, check(&text)));
        let change = Self {
            name: take("name", ask.name, fields::name),
            description: take("description", ask.description, fields::text),
            image: take("image", ask.image, fields::image),
            model_type: take("model_type", ask.model_type, fields::text),
            part: take("part", ask.part, fields::text),
            status,
        };
        checks.done()?;
        Ok(change)
    }

    /// The campaign as it would be, if the role may make it so.
    ///
    /// An operator's save may repeat what is stored, but one text that differs refuses all of it.
    ///
    /// # Errors
    /// The first rule that forbids it.
    pub fn applied(&self, before: &Campaign, role: Role) -> Result<Campaign, Error> {
        let mut after = before.clone();
        put(&mut after.name, self.name.as_ref());
        put(&mut after.description, self.description.as_ref());
        put(&mut after.image, self.image.as_ref());
        put(&mut after.model_type, self.model_type.as_ref());
        put(&mut after.part, self.part.as_ref());
        if let Some((field, ..)) = different(before, &after).next()
            && !steps::edits(role)
        {
            return Err(Error::FieldNotAllowed(field));
        }
        if let Some(to) = self.status {
            steps::step(role, before.status.0, to)?;
            after.status = Standing(to);
        }
        Ok(after)
    }
}

fn status(number: i32) -> Result<CampaignStatus, String> {
    match CampaignStatus::try_from(number) {
        Ok(CampaignStatus::Unspecified) | Err(_) => Err("is none of Ready, Ongoing, Pending Review and Closed".to_owned()),
        Ok(status) => Ok(status),
    }
}

fn put(place: &mut String, text: Option<&String>) {
    if let Some(text) = text {
        place.clone_from(text);
    }
}

/// The texts that differ: field, old and new.
fn different<'c>(before: &'c Campaign, after: &'c Campaign) -> impl Iterator<Item = (&'static str, &'c str, &'c str)> {
    before.texts().into_iter().zip(after.texts()).filter(|(old, new)| old.1 != new.1).map(|((field, old), (_, new))| (field, old, new))
}

/// The fields that differ, with what they held and hold, and a sentence that tells them.
pub struct Difference {
    pub old: Value,
    pub new: Value,
    pub summary: String,
}

/// What an audit entry tells of a change; none when nothing differs.
pub fn difference(before: &Campaign, after: &Campaign) -> Option<Difference> {
    let (mut old, mut new, mut told) = (Map::new(), Map::new(), Vec::new());
    for (field, from, to) in different(before, after) {
        old.insert(field.to_owned(), from.into());
        new.insert(field.to_owned(), to.into());
        told.push(field.to_owned());
    }
    if before.status != after.status {
        let (from, to) = (campaign_text(before.status.0), campaign_text(after.status.0));
        old.insert("status".to_owned(), from.into());
        new.insert("status".to_owned(), to.into());
        told.push(format!("status from {from} to {to}"));
    }
    let summary = format!("campaign \"{}\": {}", before.name, told.join(", "));
    (!told.is_empty()).then_some(Difference { old: Value::Object(old), new: Value::Object(new), summary })
}
