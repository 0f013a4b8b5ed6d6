//! What vehicle-svc reports when the work on a campaign passes a turning point.
use crate::{
    campaign::{Campaign, Standing, State},
    change,
    error::Error,
    fields::Checks,
    steps, store,
    works::Works,
};
use chrono::{DateTime, Utc};
use patio_kit::{
    audit::{self, Event},
    db::Tx,
};
use patio_proto::campaign::{ReportTurnRequest, Turn};

/// A report whose turn is known.
#[derive(Debug, Clone, Copy)]
pub struct Report {
    id: i64,
    turn: Turn,
    revision: i64,
}

impl Report {
    /// # Errors
    /// [`Error::BadFields`] for a turn that is none.
    pub fn checked(ask: ReportTurnRequest) -> Result<Self, Error> {
        let turn = Turn::try_from(ask.turn).ok().filter(|turn| *turn != Turn::Unspecified);
        let mut checks = Checks::default();
        let turn = checks.take("turn", turn.ok_or_else(|| "is none of begun, complete and incomplete".to_owned()));
        checks.done()?;
        Ok(Self { id: ask.campaign_id, turn, revision: ask.revision })
    }
}

impl Works {
    /// Moves a campaign along, unless the report is old or there is no campaign to move.
    pub async fn turn(&self, report: Report) -> Result<(), Error> {
        let at = self.now();
        self.db.write(move |tx| Box::pin(async move { turn(tx, report, at).await })).await
    }
}

async fn turn(tx: &mut Tx<'_>, report: Report, at: DateTime<Utc>) -> Result<(), Error> {
    let held = store::hold(tx, report.id).await?;
    let Some(before) = held.filter(|held| held.state == State::Live && held.turn_revision < report.revision) else { return Ok(()) };
    let status = steps::turned(before.status.0, report.turn).unwrap_or(before.status.0);
    store::note_turn(tx, report.id, status, report.revision).await?;
    tell(tx, &before, Campaign { status: Standing(status), ..before.clone() }, at).await
}

/// Appends an entry of nobody's, since no person moved the campaign.
async fn tell(tx: &mut Tx<'_>, before: &Campaign, after: Campaign, at: DateTime<Utc>) -> Result<(), Error> {
    let Some(difference) = change::difference(before, &after) else { return Ok(()) };
    let event = Event {
        kind: "campaign-changed",
        subject: after.subject(),
        summary: format!("{}, as its vehicles show", difference.summary),
        old: Some(difference.old),
        new: Some(difference.new),
        ..Event::default()
    };
    Ok(audit::append(tx, at, None, event).await?)
}
