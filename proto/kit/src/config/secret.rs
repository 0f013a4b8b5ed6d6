//! Values that must not appear in logs or output.
use std::{fmt, str::FromStr};

/// Secret value that prints as asterisks instead of its text.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Returns the secret text, which must not be logged.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Returns the values of a secret that consists of several values separated by commas. Empty values are omitted.
    pub fn split_values(&self) -> impl Iterator<Item = &str> {
        self.0.split(',').map(str::trim).filter(|value| !value.is_empty())
    }
}

impl From<String> for Secret {
    fn from(value: String) -> Self {
        Self(value)
    }
}

impl FromStr for Secret {
    type Err = std::convert::Infallible;
    fn from_str(value: &str) -> Result<Self, Self::Err> {
        Ok(Self(value.to_owned()))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "(empty)" } else { "********" })
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// Returns a URL with its password masked, both in the user part and in query parameters. If an `@` follows a query parameter, everything
/// after the scheme is masked, because the position of the password is ambiguous.
#[must_use]
pub fn mask_url(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (who, place) = match rest.rsplit_once('@') {
        // A password in a parameter may contain `@`: the text before the last `@` is then not a user and a password.
        Some((who, _)) if who.split_once('?').is_some_and(|(_, query)| query.contains('=')) => return format!("{scheme}://********"),
        Some((who, place)) => (format!("{}:********@", who.split(':').next().unwrap_or_default()), place),
        None => (String::new(), rest),
    };
    let place = match place.split_once('?') {
        Some((place, query)) => format!("{place}?{}", query.split('&').map(mask_parameter).collect::<Vec<_>>().join("&")),
        None => place.to_owned(),
    };
    format!("{scheme}://{who}{place}")
}

fn mask_parameter(parameter: &str) -> String {
    match parameter.split_once('=') {
        Some((name, _)) if name.to_lowercase().contains("pass") => format!("{name}=********"),
        _ => parameter.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_do_not_show() {
        assert_eq!(format!("{:?} {}", Secret::from("abc".to_owned()), Secret::default()), "******** (empty)");
        assert_eq!(mask_url("postgres://patio:pw@h:5432/d"), "postgres://patio:********@h:5432/d");
        assert_eq!(mask_url("redis://h"), "redis://h");
        assert_eq!(mask_url("postgres://a:p?w@h/d"), "postgres://a:********@h/d");
        let inside = "postgres://h/d?user=a&password=pw&sslmode=require";
        assert_eq!(mask_url(inside), "postgres://h/d?user=a&password=********&sslmode=require");
    }

    #[test]
    fn a_secret_may_have_several_values() {
        let values = |text: &str| Secret::from(text.to_owned()).split_values().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!((values("new, old,"), values("one"), values(" ,")), (vec!["new".into(), "old".into()], vec!["one".into()], vec![]));
    }

    #[test]
    fn a_password_with_characters_of_a_url_is_masked_as_a_whole() {
        for (url, masked) in [
            ("postgres://a:p@w@h/d", "postgres://a:********@h/d"),
            ("postgres://h/d?user=a&password=p@w", "postgres://********"),
            ("postgres://a:p:w/x#y@h/d", "postgres://a:********@h/d"),
            ("redis://:pw@h:6379/1", "redis://:********@h:6379/1"),
            ("postgres://h/d?PassWord=p=w&sslpassword=pw", "postgres://h/d?PassWord=********&sslpassword=********"),
            ("postgres://a:pw@h,i:6432/d?password=pw&user=b", "postgres://a:********@h,i:6432/d?password=********&user=b"),
        ] {
            assert_eq!(mask_url(url), masked);
        }
    }
}
