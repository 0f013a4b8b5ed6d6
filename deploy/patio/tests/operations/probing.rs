//! Asking one service from its own program.
use patio_harness::{Output, Patio, run, shared, until};
use std::{
    net::TcpListener,
    sync::LazyLock,
    time::{Duration, Instant},
};

/// The secret of the services.
pub const SECRET: &str = "a-secret-of-the-services";

/// auth-svc alone, which needs no other.
pub struct Auth(Patio);

/// One that is never stopped, for all tests that only ask it.
pub fn auth() -> &'static Auth {
    static AUTH: LazyLock<Auth> = LazyLock::new(|| Auth::start("true"));
    &AUTH
}

impl Auth {
    fn start(reflection: &str) -> Self {
        let builder = Patio::builder().five_processes().setting("PATIO_REFLECTION", reflection);
        let mut patio = builder.setting("PATIO_SERVICE_SECRET", SECRET).prepare();
        patio.replica_mut("auth-svc", 0).start().unwrap();
        let auth = Self(patio);
        until("auth-svc serves", Duration::from_secs(30), || auth.probe(&[]).code == Some(0));
        auth
    }

    pub fn address(&self) -> String {
        address(&self.0, "auth-svc")
    }

    fn probe(&self, arguments: &[&str]) -> Output {
        run("auth-svc", &[&["probe", "--addr", &self.address()], arguments].concat(), &[])
    }
}

fn address(patio: &Patio, program: &str) -> String {
    format!("127.0.0.1:{}", patio.replica(program, 0).port)
}

#[test]
fn a_probe_tells_how_a_service_is_by_words_and_exit_code() {
    let (_turn, auth) = (shared(), auth());
    let probed = auth.probe(&[]);
    assert_eq!((probed.code, probed.text()), (Some(0), format!("{} all SERVING\n", auth.address())));
    let probed = auth.probe(&["--json", "--service", "patio.auth.v1.UserService"]);
    let told: serde_json::Value = serde_json::from_str(&probed.text()).unwrap();
    assert_eq!((probed.code, &told["status"], &told["service"]), (Some(0), &"SERVING".into(), &"patio.auth.v1.UserService".into()));
    let probed = run("auth-svc", &["probe", "--addr", "127.0.0.1:1"], &[]);
    assert_eq!((probed.code, &*probed.stdout), (Some(2), "127.0.0.1:1 all UNREACHABLE\n"));
}

#[test]
fn what_cannot_be_asked_and_who_does_not_serve_have_exit_codes_of_their_own() {
    let (_turn, auth) = (shared(), auth());
    let probed = auth.probe(&["--service", "patio.auth.v1.Nonsense"]);
    assert_eq!(probed.code, Some(3), "{probed:?}");
    super::contains(&probed.text(), &["there is no service `patio.auth.v1.Nonsense` here"]);
    assert_eq!(auth.probe(&["--timeout", "soon"]).code, Some(3));
    assert_eq!(run("gateway", &["probe", "--nonsense"], &[]).code, Some(3));
    // campaign-svc that does not reach auth-svc can judge no token, and says so.
    let mut alone = Patio::builder().five_processes().setting("PATIO_AUTH_URL", "http://127.0.0.1:1").prepare();
    alone.replica_mut("campaign-svc", 0).start().unwrap();
    let address = address(&alone, "campaign-svc");
    let mut probed = None;
    until("campaign-svc answers", Duration::from_secs(30), || {
        probed = Some(run("campaign-svc", &["probe", "--addr", &address], &[]));
        probed.as_ref().is_some_and(|probed| probed.code != Some(2))
    });
    let probed = probed.unwrap();
    assert_eq!((probed.code, probed.stdout), (Some(1), format!("{address} all NOT_SERVING\n")));
}

#[test]
fn whoever_takes_the_connection_and_says_nothing_is_given_up() {
    let (_turn, silent) = (shared(), TcpListener::bind("127.0.0.1:0").unwrap());
    let address = silent.local_addr().unwrap().to_string();
    for arguments in [&["probe"][..], &["probe", "call", "GetKeys"]] {
        let begun = Instant::now();
        let probed = run("auth-svc", &[arguments, &["--addr", &address, "--timeout", "1"]].concat(), &[]);
        assert_eq!(probed.code, Some(2), "{probed:?}");
        assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    }
}

#[test]
fn a_probe_calls_what_changes_nothing_by_name() {
    let (_turn, auth) = (shared(), auth());
    for name in ["GetKeys", "TokenService/GetKeys", "patio.auth.v1.TokenService/GetKeys", "patio.auth.v1.TokenService.GetKeys"] {
        let called = auth.probe(&["call", name]);
        let told: serde_json::Value = serde_json::from_str(&called.text()).unwrap();
        assert!(called.code == Some(0) && told["keys"][0]["publicKey"].is_string(), "{name}: {told}");
    }
    let expect = |arguments: &[&str], code: i32, words: &str| {
        let called = auth.probe(&[&["call"], arguments].concat());
        assert!(called.code == Some(code) && called.text().contains(words), "{arguments:?}: {called:?}");
    };
    expect(&["GetMe"], 1, "Unauthenticated");
    expect(&["GetMe", "{}", "--token", "nonsense"], 1, "Unauthenticated");
    expect(&["SignIn", r#"{"hmc":"1000","password":"x"}"#], 3, "may change something");
    expect(&["GetNothing"], 3, "there is no rpc `GetNothing`");
    expect(&["GetNames", r#"{"id":1}"#], 3, "the message is no patio.auth.v1.GetNamesRequest");
    expect(&["GetNames", "{"], 3, "the message is no");
    assert_eq!(run("auth-svc", &["probe", "call", "GetKeys", "--addr", "127.0.0.1:1"], &[]).code, Some(2));
}

#[test]
fn without_reflection_nothing_is_told_and_nothing_called() {
    let (_turn, auth) = (shared(), Auth::start("false"));
    let called = auth.probe(&["call", "GetKeys"]);
    assert_eq!(called.code, Some(3), "{called:?}");
    super::contains(&called.text(), &["reflection is off"]);
}
