//! Short description of the browser at sign-in, so that users recognize their devices in the list of sessions.
use http::{HeaderMap, header::USER_AGENT};

/// Substrings of the `User-Agent` header, each with the browser that sends the substring. The first match counts, because many
/// browsers also send the names of other browsers.
const BROWSERS: [(&str, &str); 8] = [
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("CriOS/", "Chrome"),
    ("FxiOS/", "Firefox"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
];
const SYSTEMS: [(&str, &str); 7] = [
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("CrOS", "ChromeOS"),
    ("Mac OS X", "Mac"),
    ("Linux", "Linux"),
];

/// Returns the browser and operating system in the `User-Agent` header, such as `Chrome on Android`; empty when unknown.
#[must_use]
pub fn describe_browser_and_system(headers: &HeaderMap) -> String {
    let agent = headers.get(USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let named = |known: &[(&str, &'static str)]| known.iter().find(|(mark, _)| agent.contains(mark)).map(|(_, name)| *name);
    match (named(&BROWSERS), named(&SYSTEMS)) {
        (Some(browser), Some(system)) => format!("{browser} on {system}"),
        (Some(part), None) | (None, Some(part)) => part.to_owned(),
        (None, None) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_and_systems_are_named() {
        let named = |agent: &'static str| describe_browser_and_system(&HeaderMap::from_iter([(USER_AGENT, agent.parse().unwrap())]));
        let chrome =
            "Mozilla/5.0 (Linux; Android 14; SM-A546E) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36";
        assert_eq!(named(chrome), "Chrome on Android");
        let iphone = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 Version/17.0 Mobile/15E148 Safari/604.1";
        assert_eq!(named(iphone), "Safari on iPhone");
        for (agent, name) in [
            ("Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) CriOS/120.0 Mobile/15E148 Safari/604.1", "Chrome on iPhone"),
            ("Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) FxiOS/120.0 Mobile/15E148 Safari/605.1", "Firefox on iPhone"),
            ("Mozilla/5.0 (iPad; CPU OS 17_0 like Mac OS X) Version/17.0 EdgiOS/120.0 Mobile/15E148 Safari/605.1", "Edge on iPad"),
        ] {
            assert_eq!(named(agent), name);
        }
        let edge = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/120.0 Safari/537.36 Edg/120.0";
        assert_eq!(named(edge), "Edge on Windows");
        assert_eq!((named("curl/8.0"), describe_browser_and_system(&HeaderMap::new())), (String::new(), String::new()));
    }
}
