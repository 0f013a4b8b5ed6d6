//! Static files of the web app: read from disk once at startup, compressed, and served from memory.
//!
//! The build of the web app writes Brotli versions (`NAME.br`), because Brotli compression takes too long at startup. Gzip
//! versions are compressed at startup.
use crate::http::problem::Problem;
use anyhow::Context;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};
use http::{
    HeaderMap, HeaderValue, Method, StatusCode,
    header::{ACCEPT_ENCODING, ALLOW, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, LINK, VARY},
};
use patio_kit::hex;
use std::{
    collections::HashMap,
    fs,
    io::{self, Write},
    path::Path,
};

const INDEX_PATH: &str = "/index.html";
const MANIFEST_PATH: &str = "/manifest.webmanifest";
/// Product name in the built web app, replaced by the configured name when the files are loaded.
const BUILT_NAME: &str = "Patio";
/// Extension of the Brotli files that the build writes beside the plain files.
const BROTLI_EXTENSION: &str = ".br";
const CACHE_FOR_A_YEAR: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const REVALIDATE: HeaderValue = HeaderValue::from_static("no-cache");

/// JSON file that lists the scripts and styles to preload; path relative to the folder of the built web app. Each entry is an array of a
/// route and the paths of its files.
const PRELOAD_FILE: &str = ".vite/preload.json";

/// Static files of the web app in memory.
#[derive(Debug, Default)]
pub struct StaticFiles {
    /// Files by URL path.
    files: HashMap<String, File>,
    preloads: Vec<Preload>,
}

/// Scripts and styles that the browser downloads together with the entry page, for one client-side route.
#[derive(Debug)]
struct Preload {
    /// Path of the route. A segment that starts with a colon stands for any text.
    route: String,
    /// Value of the `Link` header of the entry page.
    link: HeaderValue,
}

#[derive(Debug)]
struct File {
    plain: Bytes,
    /// Compressed versions of the content, each with the name of its encoding, in order of preference.
    encodings: Vec<(&'static str, Bytes)>,
    etag: HeaderValue,
    kind: HeaderValue,
}

impl StaticFiles {
    /// Loads all files of a folder, and inserts `product` as the product name into the entry page and the web manifest. A missing folder
    /// yields no files.
    ///
    /// # Errors
    /// Returns an error when a file in the folder cannot be read.
    pub fn load(folder: &Path, product: &str) -> anyhow::Result<Self> {
        let mut pages = Self::default();
        if folder.is_dir() {
            pages.gather(folder, "", product).with_context(|| format!("cannot read the web app in {}", folder.display()))?;
            pages.preloads =
                read_preloads(&folder.join(PRELOAD_FILE)).with_context(|| format!("cannot read {PRELOAD_FILE} of the web app"))?;
        }
        Ok(pages)
    }

    fn gather(&mut self, folder: &Path, under: &str, product: &str) -> anyhow::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name();
            // Hidden files, such as Vite's manifest folder, belong to the build tools and are not served.
            // Brotli files are loaded together with their plain file.
            let name_bytes = name.as_encoded_bytes();
            if name_bytes.starts_with(b".") || name_bytes.ends_with(BROTLI_EXTENSION.as_bytes()) {
                continue;
            }
            let path = format!("{under}/{}", name.to_string_lossy());
            if fs::metadata(entry.path())?.is_dir() {
                self.gather(&entry.path(), &path, product)?;
            } else {
                let brotli_path = folder.join(format!("{}{BROTLI_EXTENSION}", name.to_string_lossy()));
                let brotli = if is_named(&path) { None } else { read_if_exists(&brotli_path)? };
                let file = File::new(&path, named(&path, fs::read(entry.path())?, product)?, brotli)?;
                self.files.insert(path, file);
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
        if !self.files.contains_key(INDEX_PATH) {
            return (StatusCode::SERVICE_UNAVAILABLE, "The web app is not built.").into_response();
        }
        // The web app routes on the client side, so a path without a file extension gets the app's entry page.
        let is_page = !path.rsplit('/').next().unwrap_or_default().contains('.');
        let name = if is_page { INDEX_PATH } else { path };
        let Some(file) = self.files.get(name) else {
            return (StatusCode::NOT_FOUND, "This file does not exist.").into_response();
        };
        let mut response = file.respond(headers, if name.starts_with("/assets/") { CACHE_FOR_A_YEAR } else { REVALIDATE });
        if is_page && let Some(preload) = self.preloads.iter().find(|preload| preload.matches(path)) {
            response.headers_mut().insert(LINK, preload.link.clone());
        }
        response
    }
}

impl Preload {
    fn matches(&self, path: &str) -> bool {
        let (route, path) = (self.route.split('/'), path.split('/'));
        route.clone().count() == path.clone().count()
            && route.zip(path).all(|(expected, actual)| expected.starts_with(':') || expected == actual)
    }
}

/// Reads the list of scripts and styles to preload for each route. Returns an empty list if the file does not exist.
fn read_preloads(path: &Path) -> anyhow::Result<Vec<Preload>> {
    let Some(content) = read_if_exists(path)? else { return Ok(Vec::new()) };
    let lists: Vec<(String, Vec<String>)> = serde_json::from_slice(&content)?;
    lists.into_iter().map(|(route, files)| Ok(Preload { route, link: link_header(&files).try_into()? })).collect()
}

/// Returns the value of a `Link` header that preloads scripts and styles. Each link has the attribute `crossorigin`, because the
/// script and style tags of the entry page have this attribute.
fn link_header(files: &[String]) -> String {
    let links = files.iter().map(|file| {
        let relation = if file.ends_with(".css") { "preload; as=style" } else { "modulepreload" };
        format!("<{file}>; rel={relation}; crossorigin")
    });
    links.collect::<Vec<_>>().join(", ")
}

impl File {
    fn new(path: &str, plain: Vec<u8>, brotli: Option<Vec<u8>>) -> anyhow::Result<Self> {
        let kind = mime_guess::from_path(path).first_or_octet_stream().to_string();
        let is_text = ["text/", "json", "javascript", "xml", "wasm", "font/ttf"].iter().any(|part| kind.contains(part));
        let gzip = if is_text { Some(gzip(&plain)?).filter(|small| small.len() < plain.len()) } else { None };
        let encodings = [("br", brotli), ("gzip", gzip)].into_iter().filter_map(|(name, content)| Some((name, content?.into()))).collect();
        let short = &hex::sha256_hex(&plain)[..32];
        let kind = if kind.starts_with("text/") { format!("{kind}; charset=utf-8") } else { kind };
        Ok(Self { plain: plain.into(), encodings, etag: format!("\"{short}\"").try_into()?, kind: kind.try_into()? })
    }

    fn respond(&self, headers: &HeaderMap, cache_control: HeaderValue) -> Response {
        let mut response_headers = HeaderMap::from_iter([
            (ETAG, self.etag.clone()),
            (CACHE_CONTROL, cache_control),
            (VARY, HeaderValue::from_static("accept-encoding")),
        ]);
        if headers.get(IF_NONE_MATCH).is_some_and(|known| matches(known, &self.etag)) {
            return (StatusCode::NOT_MODIFIED, response_headers).into_response();
        }
        response_headers.insert(CONTENT_TYPE, self.kind.clone());
        let accepted = headers.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
        match self.encodings.iter().find(|(name, _)| accepts(accepted, name)) {
            Some((name, content)) => {
                response_headers.insert(CONTENT_ENCODING, HeaderValue::from_static(name));
                (response_headers, content.clone()).into_response()
            }
            None => (response_headers, self.plain.clone()).into_response(),
        }
    }
}

/// Returns `true` if an `Accept-Encoding` header names an encoding with a weight other than 0.
fn accepts(header: &str, encoding: &str) -> bool {
    header.split(',').any(|item| {
        let (name, weight) = item.split_once(';').unwrap_or((item, ""));
        let is_excluded = weight.trim().strip_prefix("q=").and_then(|number| number.trim().parse::<f32>().ok()) == Some(0.0);
        name.trim().eq_ignore_ascii_case(encoding) && !is_excluded
    })
}

/// Reads a file, or returns `None` if the file does not exist.
fn read_if_exists(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(None),
        content => content.map(Some),
    }
}

/// Returns `true` for the two files that contain [`BUILT_NAME`]: the entry page and the web manifest.
fn is_named(path: &str) -> bool {
    path == INDEX_PATH || path == MANIFEST_PATH
}

/// Returns the content of a file with the configured product name in place of [`BUILT_NAME`]. Only the entry page and the web
/// manifest contain the name; other files stay unchanged.
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
