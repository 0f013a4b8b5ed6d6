//! Who works where in campaigns, how fast, and when they will be done.
use crate::{
    api::Api,
    bearer::Signed,
    error::{Problem, ProblemBody, Reply},
    input::{Asked, Id},
    names::People,
    page, values,
};
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use http::StatusCode;
use patio_proto::vehicle as pb;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

/// The calls of this noun.
pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new().routes(routes!(campaign_pace)).routes(routes!(list_paces))
}

/// Most campaigns in one call.
const MOST: usize = 200;

/// How fast a campaign goes.
#[derive(Serialize, ToSchema)]
pub struct Pace {
    campaign_id: i64,
    /// Who saved in the last 15 minutes, the last one first.
    people: Vec<PersonPace>,
    /// Vehicles an hour over the last 30 minutes, or since the first save of these.
    per_hour: f64,
    /// Vehicles that are not inspected.
    remaining: i64,
    /// When nothing will remain at that pace; null when nobody works or nothing remains.
    finish_at: Option<DateTime<Utc>>,
}

/// Somebody at work in a campaign.
#[derive(Serialize, ToSchema)]
struct PersonPace {
    hmc: String,
    /// Where the last saved vehicle stands.
    yard_id: Option<i32>,
    yard_name: Option<String>,
    last_at: DateTime<Utc>,
    /// Vehicles saved in the last 30 minutes.
    saves: i64,
    per_hour: f64,
}

/// Everybody that a pace names.
pub fn people(pace: &pb::Pace) -> impl Iterator<Item = i64> {
    pace.people.iter().map(|person| person.user_id)
}

impl Pace {
    /// As the API shows it.
    #[must_use]
    pub fn of(pace: pb::Pace, people: &People) -> Self {
        let person = |person: pb::PersonPace| PersonPace {
            hmc: people.name(person.user_id),
            yard_id: person.yard,
            yard_name: page::yard_name(person.yard),
            last_at: values::moment(person.last_at.as_ref()),
            saves: person.saves,
            per_hour: person.per_hour,
        };
        Self {
            campaign_id: pace.campaign_id,
            people: pace.people.into_iter().map(person).collect(),
            per_hour: pace.per_hour,
            remaining: pace.remaining,
            finish_at: values::optional_moment(pace.finish_at.as_ref()),
        }
    }
}

async fn paces(api: &Api, signed: &Signed, campaign_ids: Vec<i64>) -> Reply<Vec<Pace>> {
    let paces = api.live().get_paces(signed.sign(pb::GetPacesRequest { campaign_ids })).await?.into_inner().paces;
    let names = api.names.of(signed, paces.iter().flat_map(people)).await;
    Ok(paces.into_iter().map(|pace| Pace::of(pace, &names)).collect())
}

/// Returns who works where in a campaign, how fast, and when it will be done.
#[utoipa::path(get, path = "/campaigns/{id}/pace", tag = "live", params(("id" = i64, Path, minimum = 1)),
    responses((status = 200, description = "The pace.", body = Pace),
        (status = 404, description = "There is no such campaign.", body = ProblemBody)),
    extensions(("x-rpc" = json!("/patio.vehicle.v1.LiveService/GetPaces"))))]
async fn campaign_pace(State(api): State<Api>, signed: Signed, Id(id): Id) -> Reply<Json<Pace>> {
    let found = paces(&api, &signed, vec![id]).await?.pop();
    found.map(Json).ok_or_else(|| Problem::new(StatusCode::NOT_FOUND, "NO_CAMPAIGN", format!("campaign {id} does not exist")))
}

/// Which campaigns.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct PacesQuery {
    /// At most 200 ids, separated by commas.
    #[param(pattern = "^[1-9][0-9]{0,17}(,[1-9][0-9]{0,17}){0,199}$", example = "1,2")]
    campaigns: String,
}

/// Returns the paces of several campaigns; those that do not exist are left out.
#[utoipa::path(get, path = "/pace", tag = "live", params(PacesQuery),
    responses((status = 200, description = "The paces, by campaign.", body = Vec<Pace>)),
    extensions(("x-rpc" = json!("/patio.vehicle.v1.LiveService/GetPaces"))))]
async fn list_paces(State(api): State<Api>, signed: Signed, Asked(query): Asked<PacesQuery>) -> Reply<Json<Vec<Pace>>> {
    let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten().filter(|id| *id > 0);
    let ids: Option<Vec<i64>> = query.campaigns.split(',').map(number).collect();
    let ids = ids.filter(|ids| ids.len() <= MOST).ok_or_else(|| Problem::field("campaigns", "it is 1 to 200 ids, separated by commas"))?;
    paces(&api, &signed, ids).await.map(Json)
}
