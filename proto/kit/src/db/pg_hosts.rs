//! Hosts of a `PostgreSQL` cluster, and the search for the primary among them.
use crate::config::InvalidSetting;
use futures::future::select_ok;
use sqlx::{ConnectOptions, Connection, Error, postgres::PgConnectOptions};
use std::{io, str::FromStr, time::Duration};
use tokio::time::timeout;

/// Timeout of the query that checks whether a host accepts writes.
const HOST_TIMEOUT: Duration = Duration::from_millis(1500);
/// Parameter of a database URL with which libpq selects the primary among several hosts.
const SESSION_PARAMETER: &str = "target_session_attrs";

/// Hosts of one `PostgreSQL` cluster, in the order of the database URL.
///
/// A URL such as `postgres://user:password@a:5432,b:5432/patio` names the primary and its standbys, which have the same users and
/// databases.
#[derive(Debug, Clone)]
pub(super) struct PgHosts(Vec<PgConnectOptions>);

impl PgHosts {
    /// Parses a database URL with one or several hosts, separated by commas.
    ///
    /// # Errors
    /// Returns an error when the URL is invalid, or requests a server other than the primary.
    pub(super) fn parse(url: &str) -> anyhow::Result<Self> {
        let all = urls(url)?.iter().map(|url| PgConnectOptions::from_str(url)).collect::<Result<Vec<_>, _>>()?;
        Ok(Self(all))
    }

    /// Applies a change to the connection options of every host.
    pub(super) fn map_connect_options(self, change: impl Fn(PgConnectOptions) -> PgConnectOptions) -> Self {
        Self(self.0.into_iter().map(change).collect())
    }

    /// Returns the connection options of the first host.
    pub(super) fn first_host(&self) -> &PgConnectOptions {
        &self.0[0]
    }

    /// Returns `true` when the cluster has several hosts. Patio then has to find the primary among them.
    pub(super) fn is_cluster(&self) -> bool {
        self.0.len() > 1
    }

    /// Returns the addresses of all hosts as `host:port`, separated by commas.
    pub(super) fn addresses(&self) -> String {
        self.0.iter().map(address).collect::<Vec<_>>().join(", ")
    }

    /// Checks on all hosts at once whether they accept writes. Returns the connection options of the first host that accepts writes,
    /// or `None` if no host does.
    pub(super) async fn find_primary(&self) -> Option<PgConnectOptions> {
        let asked = self.0.iter().map(|host| Box::pin(check_writable(host)));
        select_ok(asked).await.ok().map(|(primary, _)| primary.clone())
    }
}

/// Returns the address of a server as `host:port`.
pub(super) fn address(options: &PgConnectOptions) -> String {
    format!("{}:{}", options.get_host(), options.get_port())
}

/// Checks that a host accepts writes, and returns the host.
async fn check_writable(host: &PgConnectOptions) -> Result<&PgConnectOptions, Error> {
    let asked = async {
        let mut connection = host.connect().await?;
        let read_only: String = sqlx::query_scalar("select current_setting('transaction_read_only')").fetch_one(&mut connection).await?;
        connection.close().await?;
        if read_only == "off" { Ok(host) } else { Err(Error::Io(io::ErrorKind::ReadOnlyFilesystem.into())) }
    };
    timeout(HOST_TIMEOUT, asked).await.map_err(|_| Error::PoolTimedOut)?
}

/// Splits a database URL with several hosts into one URL for each host.
fn urls(url: &str) -> anyhow::Result<Vec<String>> {
    let Some((scheme, rest)) = url.split_once("://") else { return Ok(vec![url.to_owned()]) };
    let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    let (user, hosts) = authority.rsplit_once('@').map_or((String::new(), authority), |(user, hosts)| (format!("{user}@"), hosts));
    let path = without_session(path)?;
    Ok(hosts.split(',').map(|host| format!("{scheme}://{user}{host}{path}")).collect())
}

/// Returns the path and query of a database URL without [`SESSION_PARAMETER`], because Patio finds the primary itself. Rejects a
/// value that does not select the primary.
fn without_session(path: &str) -> anyhow::Result<String> {
    let Some((path, parameters)) = path.split_once('?') else { return Ok(path.to_owned()) };
    let mut kept = Vec::new();
    for parameter in parameters.split('&') {
        match parameter.split_once('=') {
            Some((SESSION_PARAMETER, value)) => InvalidSetting::ensure(["read-write", "primary"].contains(&value), || {
                format!(
                    "PATIO_DATABASE_URL has {SESSION_PARAMETER}={value}: leave it out, Patio always uses the server that accepts writes"
                )
            })?,
            _ => kept.push(parameter),
        }
    }
    Ok(if kept.is_empty() { path.to_owned() } else { format!("{path}?{}", kept.join("&")) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_host_of_a_url_has_its_own_port_and_shares_user_and_database() {
        let hosts =
            PgHosts::parse("postgres://patio:p%40ss@a,b:6432,[::1]:7000/yard?sslmode=disable&target_session_attrs=read-write").unwrap();
        assert_eq!(hosts.addresses(), "a:5432, b:6432, [::1]:7000");
        assert!(hosts.is_cluster());
        for host in &hosts.0 {
            assert_eq!((host.get_username(), host.get_database()), ("patio", Some("yard")));
        }
        assert!(!PgHosts::parse("postgres://patio@a/yard").unwrap().is_cluster());
    }

    #[test]
    fn a_url_that_asks_for_a_standby_or_names_no_port_number_is_rejected() {
        let rejected = |url: &str| PgHosts::parse(url).unwrap_err().to_string();
        assert!(rejected("postgres://a,b/yard?target_session_attrs=standby").contains("target_session_attrs=standby"));
        assert!(rejected("postgres://a:1,b:x/yard").contains("port"));
    }

    #[tokio::test]
    async fn no_host_is_the_primary_when_none_responds() {
        let hosts = PgHosts::parse("postgres://patio@127.0.0.1:1,127.0.0.1:2/yard").unwrap();
        assert!(hosts.find_primary().await.is_none());
    }
}
