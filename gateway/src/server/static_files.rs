//! Static files of the web app: read from disk once at startup, compressed, and served from memory.
use crate::http::problem::Problem;
use anyhow::Context;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};
use http::{
    HeaderMap, HeaderValue, Method, StatusCode,
    header::{ACCEPT_ENCODING, ALLOW, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY},
};
use patio_kit::hex;
use std::{collections::HashMap, fs, io::Write, path::Path};

const INDEX_PATH: &str = "/index.html";
const MANIFEST_PATH: &str = "/manifest.webmanifest";
/// Product name in the built web app, replaced by the configured name when the files are loaded.
const BUILT_NAME: &str = "Patio";
const CACHE_FOR_A_YEAR: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const REVALIDATE: HeaderValue = HeaderValue::from_static("no-cache");

/// Static files of the web app in memory, by URL path.
#[derive(Debug, Default)]
pub struct StaticFiles(HashMap<String, File>);

#[derive(Debug)]
struct File {
    plain: Bytes,
    gzip: Option<Bytes>,
    etag: HeaderValue,
    kind: HeaderValue,
}

impl StaticFiles {
    /// Loads all files of a folder, with `product` as the product name; a missing folder yields no files.
    ///
    /// # Errors
    /// Returns an error when a file in the folder cannot be read.
    pub fn load(folder: &Path, product: &str) -> anyhow::Result<Self> {
        let mut pages = Self::default();
        if folder.is_dir() {
            pages.gather(folder, "", product).with_context(|| format!("cannot read the web app in {}", folder.display()))?;
        }
        Ok(pages)
    }

    fn gather(&mut self, folder: &Path, under: &str, product: &str) -> anyhow::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name();
            // Hidden files, such as Vite's manifest folder, belong to the build tools and are not served.
            if name.as_encoded_bytes().starts_with(b".") {
                continue;
            }
            let path = format!("{under}/{}", name.to_string_lossy());
            if fs::metadata(entry.path())?.is_dir() {
                self.gather(&entry.path(), &path, product)?;
            } else {
                let file = File::new(&path, named(&path, fs::read(entry.path())?, product)?)?;
                self.0.insert(path, file);
            }
        }
        Ok(())
    }

    /// Returns the response with the file at a URL path, or with the web app's `index.html` for a path without a file extension.
    #[must_use]
    pub fn serve(&self, method: &Method, path: &str, headers: &HeaderMap) -> Response {
        if path == "/api" || path.starts_with("/api/") {
            return Problem::new(StatusCode::NOT_FOUND, "NOT_FOUND", "This path does not exist.").into_response();
        }
        if method != Method::GET && method != Method::HEAD {
            return (StatusCode::METHOD_NOT_ALLOWED, [(ALLOW, "GET, HEAD")], "This path accepts only GET.").into_response();
        }
        if !self.0.contains_key(INDEX_PATH) {
            return (StatusCode::SERVICE_UNAVAILABLE, "The web app is not built.").into_response();
        }
        // The web app routes on the client side, so a path without a file extension gets the app's entry page.
        let is_page = !path.rsplit('/').next().unwrap_or_default().contains('.');
        let name = if is_page { INDEX_PATH } else { path };
        match self.0.get(name) {
            Some(file) => file.respond(headers, if name.starts_with("/assets/") { CACHE_FOR_A_YEAR } else { REVALIDATE }),
            None => (StatusCode::NOT_FOUND, "This file does not exist.").into_response(),
        }
    }
}

impl File {
    fn new(path: &str, plain: Vec<u8>) -> anyhow::Result<Self> {
        let kind = mime_guess::from_path(path).first_or_octet_stream().to_string();
        let is_text = ["text/", "json", "javascript", "xml", "wasm", "font/ttf"].iter().any(|part| kind.contains(part));
        let gzip = if is_text { Some(gzip(&plain)?).filter(|small| small.len() < plain.len()) } else { None };
        let short = &hex::sha256(&plain)[..32];
        let kind = if kind.starts_with("text/") { format!("{kind}; charset=utf-8") } else { kind };
        Ok(Self { plain: plain.into(), gzip: gzip.map(Bytes::from), etag: format!("\"{short}\"").try_into()?, kind: kind.try_into()? })
    }

    fn respond(&self, headers: &HeaderMap, kept: HeaderValue) -> Response {
        let mut response_headers =
            HeaderMap::from_iter([(ETAG, self.etag.clone()), (CACHE_CONTROL, kept), (VARY, HeaderValue::from_static("accept-encoding"))]);
        if headers.get(IF_NONE_MATCH).is_some_and(|known| matches(known, &self.etag)) {
            return (StatusCode::NOT_MODIFIED, response_headers).into_response();
        }
        response_headers.insert(CONTENT_TYPE, self.kind.clone());
        let takes_gzip =
            headers.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).is_some_and(|encodings| encodings.contains("gzip"));
        match &self.gzip {
            Some(small) if takes_gzip => {
                response_headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
                (response_headers, small.clone()).into_response()
            }
            _ => (response_headers, self.plain.clone()).into_response(),
        }
    }
}

/// Returns the content of a file with the configured product name. Only the entry page and the web manifest contain the name;
/// other files stay unchanged.
fn named(path: &str, plain: Vec<u8>, product: &str) -> anyhow::Result<Vec<u8>> {
    let name = match path {
        INDEX_PATH => product.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;"),
        MANIFEST_PATH => {
            let quoted = serde_json::to_string(product)?;
            quoted.get(1..quoted.len() - 1).unwrap_or_default().to_owned()
        }
        _ => return Ok(plain),
    };
    Ok(String::from_utf8(plain)?.replace(BUILT_NAME, &name).into_bytes())
}

fn matches(known: &HeaderValue, etag: &HeaderValue) -> bool {
    let (known, etag) = (known.to_str().unwrap_or_default(), etag.to_str().unwrap_or_default());
    known.split(',').any(|tag| tag.trim().trim_start_matches("W/") == etag || tag.trim() == "*")
}

fn gzip(plain: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut writer = GzEncoder::new(Vec::new(), Compression::best());
    writer.write_all(plain)?;
    Ok(writer.finish()?)
}
