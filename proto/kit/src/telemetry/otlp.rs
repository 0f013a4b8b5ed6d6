//! Exporter that sends tracing spans to a trace collector by OTLP over gRPC, with optional TLS and headers.
use crate::config::{InvalidSetting, Settings};
use anyhow::Context;
use http::{HeaderMap, HeaderName, HeaderValue};
use opentelemetry_otlp::{
    SpanExporter, WithExportConfig, WithTonicConfig,
    tonic_types::{
        metadata::MetadataMap,
        transport::{Certificate, ClientTlsConfig},
    },
};
use opentelemetry_sdk::trace::SpanExporter as _;
use std::{fs, time::Duration};

/// Timeout for sending one batch of spans to the collector.
const EXPORT_TIMEOUT: Duration = Duration::from_secs(5);

/// Creates the exporter of spans. Returns `None` when the settings name no collector. The exporter connects when it sends the
/// first batch.
///
/// # Errors
/// Returns an [`InvalidSetting`] that names the invalid setting.
pub fn build_span_exporter(settings: &Settings) -> anyhow::Result<Option<SpanExporter>> {
    let Some(url) = &settings.otlp_url else { return Ok(None) };
    InvalidSetting::ensure(url.starts_with("http://") || url.starts_with("https://"), || {
        format!("PATIO_OTLP_ENDPOINT=`{url}`: begin it with http://, or https:// for TLS")
    })?;
    let headers = headers(settings).map_err(InvalidSetting::wrap_error)?;
    let mut exporter = SpanExporter::builder().with_tonic().with_endpoint(url).with_timeout(EXPORT_TIMEOUT).with_metadata(headers);
    if url.starts_with("https://") {
        exporter = exporter.with_tls_config(tls(settings).map_err(InvalidSetting::wrap_error)?);
    }
    let built = exporter.build().with_context(|| format!("PATIO_OTLP_ENDPOINT=`{url}`"));
    built.map(Some).map_err(InvalidSetting::wrap_error)
}

/// Sends an empty batch to the trace collector, to check the connection, TLS and the headers. Without a collector, does nothing.
///
/// # Errors
/// Returns the cause when the collector does not accept the batch.
pub async fn check_collector_connection(settings: &Settings) -> anyhow::Result<()> {
    if let Some(exporter) = build_span_exporter(settings)? {
        exporter.export(Vec::new()).await?;
    }
    Ok(())
}

/// Parses the headers for the trace collector from the setting `PATIO_OTLP_HEADERS`: `name=value` pairs separated by commas.
fn headers(settings: &Settings) -> anyhow::Result<MetadataMap> {
    let mut headers = HeaderMap::new();
    for header in settings.otlp_headers.split_values() {
        // The error does not show the header, because the header may be a secret.
        let (name, value) = header.split_once('=').context("PATIO_OTLP_HEADERS: a header is not written as name=value")?;
        let name = HeaderName::try_from(name.trim()).context("PATIO_OTLP_HEADERS: invalid name of a header")?;
        let value =
            HeaderValue::try_from(value.trim()).with_context(|| format!("PATIO_OTLP_HEADERS: invalid value of the header {name}"))?;
        headers.insert(name, value);
    }
    Ok(MetadataMap::from_headers(headers))
}

fn tls(settings: &Settings) -> anyhow::Result<ClientTlsConfig> {
    let Some(file) = &settings.otlp_ca else { return Ok(ClientTlsConfig::new().with_enabled_roots()) };
    let authorities = fs::read(file).with_context(|| format!("PATIO_OTLP_CA_FILE: cannot read {}", file.display()))?;
    Ok(ClientTlsConfig::new().ca_certificate(Certificate::from_pem(authorities)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::tests::parse_settings;

    #[test]
    fn headers_of_the_collector_are_read_in_pairs_and_a_rejected_one_is_not_shown() {
        let parse = |written: &str| headers(&parse_settings(&["--otlp-headers", written]));
        let read = parse("authorization=Bearer a=b, X-Scope-OrgID = yard,").unwrap();
        assert_eq!(read.len(), 2);
        for (name, value) in [("authorization", "Bearer a=b"), ("x-scope-orgid", "yard")] {
            assert_eq!(read.get(name).unwrap().to_str().unwrap(), value);
        }
        for wrong in ["hush", "a b=hush", "=hush", "x-key=\u{7}hush"] {
            let refused = format!("{:#}", parse(wrong).unwrap_err());
            assert!(refused.starts_with("PATIO_OTLP_HEADERS: ") && !refused.contains("hush"), "{refused}");
        }
    }
}
