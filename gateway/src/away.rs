//! The answer to whoever comes while too much is asked: made once and copied, as it has to cost little.
use crate::{
    error::Problem,
    headers::{METHODS, RequestId, known, wear, with_id},
};
use axum::{
    body::Body,
    response::{IntoResponse, Response},
};
use http::{HeaderMap, Method, StatusCode};
use metrics::Counter;
use patio_kit::errors::Reason;
use std::{collections::HashMap, sync::LazyLock};

/// Stands where the id of each request comes.
const ID: &str = "<id>";
const WORDS: &str = "too much is asked at once; try again in a moment";

/// What all of these answers have in common.
struct Away {
    headers: HeaderMap,
    before_id: String,
    after_id: String,
}

static PLAIN: LazyLock<Away> = LazyLock::new(|| Away::new(false));
/// For clients that nobody can listen to.
static SECURE: LazyLock<Away> = LazyLock::new(|| Away::new(true));

/// How many there were, by their method.
static COUNTED: LazyLock<HashMap<&str, Counter>> = LazyLock::new(|| {
    let counter = |method| metrics::counter!("patio_http_total", "method" => method, "route" => "turned away", "status" => "503");
    METHODS.into_iter().map(|method| (method, counter(method))).collect()
});

impl Away {
    fn new(hsts: bool) -> Self {
        let mut problem = Problem::new(StatusCode::SERVICE_UNAVAILABLE, Reason::Busy.text(), WORDS).after(1);
        problem.body.request_id = Some(ID.to_owned());
        let told = serde_json::to_string(&problem.body).unwrap_or_default();
        let (before_id, after_id) = told.split_once(ID).unwrap_or_default();
        let (before_id, after_id) = (before_id.to_owned(), after_id.to_owned());
        let mut headers = problem.into_response().headers().clone();
        wear(&mut headers, "/api", &RequestId("0".to_owned()), hsts);
        Self { headers, before_id, after_id }
    }
}

/// Answers a call of the API that is not worked on, and counts it.
#[must_use]
pub fn answer(method: &Method, id: &RequestId, hsts: bool) -> Response {
    let away = if hsts { &*SECURE } else { &*PLAIN };
    let mut response = Response::new(Body::from([&*away.before_id, &id.0, &away.after_id].concat()));
    *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    *response.headers_mut() = away.headers.clone();
    with_id(response.headers_mut(), id);
    if let Some(counter) = COUNTED.get(known(method)) {
        counter.increment(1);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::BodyExt;

    #[tokio::test]
    async fn it_says_what_any_other_refusal_would_say() {
        for hsts in [false, true] {
            let id = RequestId("seven".to_owned());
            let mut problem = Problem::new(StatusCode::SERVICE_UNAVAILABLE, "BUSY", WORDS).after(1);
            problem.body.request_id = Some(id.0.clone());
            let mut usual = problem.into_response();
            wear(usual.headers_mut(), "/api/vehicles/1", &id, hsts);
            let made = answer(&Method::GET, &id, hsts);
            assert_eq!((made.status(), made.headers()), (usual.status(), usual.headers()));
            let (made, usual) = (made.into_body().collect().await.unwrap(), usual.into_body().collect().await.unwrap());
            assert_eq!(made.to_bytes(), usual.to_bytes());
        }
    }
}
