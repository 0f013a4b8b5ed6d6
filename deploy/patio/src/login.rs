//! The commands `patio login` and `patio logout`, which obtain and end a session at a running Patio. The command `probe call` uses
//! this session.
use anyhow::{Context, bail, ensure};
use clap::Args;
use patio_kit::{
    cli::{
        print_to_stdout,
        session_file::{self, StoredSession},
    },
    config::{OPERATION_HELP_HEADING, secret::Secret},
};
use serde_json::{Value, json};
use std::{
    fs,
    io::{self, IsTerminal, Read, Write},
    path::{Path, PathBuf},
    time::Duration,
};
use ureq::{
    Agent,
    tls::{PemItem, RootCerts, TlsConfig, parse_pem},
};

/// Timeout of a call to Patio. The timeout is long, because sign-ins queue while many users sign in.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Options of `patio login` and `patio logout`: the session file and the trusted certificate authorities.
#[derive(Debug, Args)]
pub struct SessionOptions {
    /// File in which `patio login` stores the session. Default: `.config/patio/session.json` in the home directory.
    #[arg(long, env = "PATIO_SESSION_FILE", help_heading = OPERATION_HELP_HEADING)]
    session: Option<PathBuf>,
    /// PEM file with the certificate authority that issued Patio's certificate, such as `data/tls/patio-ca.crt`. Default: the
    /// public certificate authorities.
    #[arg(long)]
    ca: Option<PathBuf>,
}

/// Arguments of `patio login`.
#[derive(Debug, Args)]
pub struct LoginOptions {
    /// Public URL of the running Patio, such as `https://patio.example`.
    #[arg(value_parser = public_url)]
    url: String,
    /// Login name (HMC) of the user.
    hmc: String,
    #[command(flatten)]
    file: SessionOptions,
}

/// Signs in and stores the session. On a terminal, prompts for the password without echo; otherwise reads the password from
/// standard input.
///
/// # Errors
/// Returns an error when Patio cannot be reached or rejects the sign-in, or the session cannot be stored.
pub fn login(options: &LoginOptions) -> anyhow::Result<()> {
    let path = session_file::session_file_path(options.file.session.as_deref())?;
    let agent = agent(options.file.ca.as_deref())?;
    let password = read_password(&options.hmc)?;
    let sign_in = format!("{}/api/sessions", options.url);
    let answer = agent.post(&sign_in).send_json(json!({ "hmc": options.hmc, "password": password.expose() }));
    let mut answer = answer.with_context(|| options.url.clone())?;
    let status = answer.status();
    let body: Value =
        answer.body_mut().read_json().with_context(|| format!("{sign_in} responded {status} without JSON; is this Patio?"))?;
    ensure!(status.is_success(), "{}: {}", options.url, body["message"].as_str().unwrap_or(status.as_str()));
    let text = |name: &str| body[name].as_str().map(ToOwned::to_owned).with_context(|| format!("the response has no `{name}`"));
    let session = StoredSession { url: options.url.clone(), hmc: text("hmc")?, token: text("token")?, expires_at: text("expires_at")? };
    session.write(&path)?;
    print_to_stdout(&format!("Signed in as {} until {}. The session is stored in {}\n", session.hmc, session.expires_at, path.display()))?;
    if body["must_change_password"] == true {
        print_to_stdout("This password was set by another user: change it in the pages, until then most calls are rejected.\n")?;
    }
    Ok(())
}

/// Ends the stored session and deletes its file.
///
/// # Errors
/// Returns an error when there is no session file, Patio cannot be reached, or the file cannot be deleted.
pub fn logout(options: &SessionOptions) -> anyhow::Result<()> {
    let path = session_file::session_file_path(options.session.as_deref())?;
    let Some(session) = StoredSession::read(&path)? else { bail!("{} does not exist: no session is stored", path.display()) };
    let agent = agent(options.ca.as_deref())?;
    let ended = agent.delete(format!("{}/api/sessions", session.url)).header("authorization", format!("Bearer {}", session.token)).call();
    let status = ended.with_context(|| session.url.clone())?.status().as_u16();
    // 401: the session has ended already.
    ensure!([204, 401].contains(&status), "{}: the sign-out was answered with {status}", session.url);
    StoredSession::remove(&path)?;
    print_to_stdout(&format!("Signed out from {}.\n", session.url))
}

fn public_url(written: &str) -> Result<String, String> {
    let url = written.trim_end_matches('/');
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")).unwrap_or_default();
    if rest.is_empty() || rest.contains(['/', '@', '?']) {
        return Err("expected https://host or https://host:port".to_owned());
    }
    Ok(url.to_owned())
}

fn agent(authority: Option<&Path>) -> anyhow::Result<Agent> {
    let mut tls = TlsConfig::builder();
    if let Some(file) = authority {
        let pem = fs::read(file).with_context(|| file.display().to_string())?;
        let certificates = parse_pem(&pem).filter_map(|item| match item {
            Ok(PemItem::Certificate(certificate)) => Some(Ok(certificate)),
            Ok(_) => None,
            Err(cause) => Some(Err(cause)),
        });
        let certificates: Vec<_> = certificates.collect::<Result<_, _>>().with_context(|| file.display().to_string())?;
        ensure!(!certificates.is_empty(), "{} contains no certificate", file.display());
        tls = tls.root_certs(RootCerts::from(certificates.into_iter()));
    }
    Ok(Agent::config_builder().http_status_as_error(false).timeout_global(Some(TIMEOUT)).tls_config(tls.build()).build().into())
}

fn read_password(hmc: &str) -> anyhow::Result<Secret> {
    let mut stdin = io::stdin();
    let mut text = String::new();
    if stdin.is_terminal() {
        write!(io::stderr(), "Password of {hmc}: ")?;
        text = rpassword::read_password().context("cannot read the password from the terminal")?;
    } else {
        stdin.read_to_string(&mut text).context("standard input")?;
    }
    let password = text.lines().next().unwrap_or_default();
    ensure!(!password.is_empty(), "the password is empty: type it, or pass it on standard input");
    Ok(Secret::from(password.to_owned()))
}
