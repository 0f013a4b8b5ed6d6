//! Asking one service from its own program.
use super::programs::{PASSWORD, program, run};
use patio_kit::testing::free_port;
use std::{
    net::TcpListener,
    path::Path,
    process::{Child, Command},
    time::{Duration, Instant},
};

/// auth-svc alone, which needs no other.
pub struct Auth {
    child: Child,
    pub address: String,
}

impl Auth {
    pub fn start(data: &Path, reflection: &str) -> Self {
        let port = free_port();
        let address = format!("127.0.0.1:{port}");
        let child = Command::new(program("auth-svc"))
            .arg("serve")
            .env_clear()
            .envs([
                ("PATIO_LISTEN", address.as_str()),
                ("PATIO_AUTH_URL", &format!("http://{address}")),
                ("PATIO_ADMIN_PASSWORD", PASSWORD),
            ])
            .envs([("PATIO_SERVICE_SECRET", "x"), ("PATIO_LOG", "warn"), ("PATIO_ADMIN_LISTEN", "off"), ("PATIO_REFLECTION", reflection)])
            .env("PATIO_DATA_DIR", data)
            .spawn()
            .unwrap();
        let auth = Self { child, address };
        let started = Instant::now();
        while auth.probe(&[]).0 != Some(0) {
            assert!(started.elapsed() < Duration::from_secs(30), "it never serves");
            std::thread::sleep(Duration::from_millis(100));
        }
        auth
    }

    fn probe(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let (code, out, err) = run("auth-svc", &[&["probe", "--addr", &self.address], arguments].concat(), &[]);
        (code, out + &err)
    }
}

impl Drop for Auth {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_probe_tells_how_a_service_is_by_words_and_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let auth = Auth::start(folder.path(), "true");
    assert_eq!(auth.probe(&[]), (Some(0), format!("{} all SERVING\n", auth.address)));
    let (code, told) = auth.probe(&["--json", "--service", "patio.auth.v1.UserService"]);
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    assert_eq!((code, &told["status"], &told["service"]), (Some(0), &"SERVING".into(), &"patio.auth.v1.UserService".into()));
    let (code, out, _) = run("auth-svc", &["probe", "--addr", "127.0.0.1:1"], &[]);
    assert_eq!((code, out.as_str()), (Some(2), "127.0.0.1:1 all UNREACHABLE\n"));
}

#[test]
fn what_cannot_be_asked_and_who_does_not_serve_have_exit_codes_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let auth = Auth::start(folder.path(), "true");
    let (code, told) = auth.probe(&["--service", "patio.auth.v1.Nonsense"]);
    assert!(code == Some(3) && told.contains("there is no service `patio.auth.v1.Nonsense` here"), "{told}");
    assert_eq!(auth.probe(&["--timeout", "soon"]).0, Some(3));
    assert_eq!(run("gateway", &["probe", "--nonsense"], &[]).0, Some(3));
    // campaign-svc that does not reach auth-svc can judge no token, and says so.
    let port = free_port();
    let (address, data) = (format!("127.0.0.1:{port}"), folder.path().to_str().unwrap().to_owned());
    let mut alone = Command::new(program("campaign-svc"))
        .arg("serve")
        .env_clear()
        .envs([("PATIO_LISTEN", address.as_str()), ("PATIO_DATA_DIR", &data), ("PATIO_AUTH_URL", "http://127.0.0.1:1")])
        .envs([("PATIO_SERVICE_SECRET", "x"), ("PATIO_LOG", "error"), ("PATIO_ADMIN_LISTEN", "off")])
        .spawn()
        .unwrap();
    let probed = || run("campaign-svc", &["probe", "--addr", &address], &[]);
    let begun = Instant::now();
    while probed().0 == Some(2) && begun.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(100));
    }
    let (code, out, _) = probed();
    let _ = alone.kill();
    let _ = alone.wait();
    assert_eq!((code, out), (Some(1), format!("{address} all NOT_SERVING\n")));
}

#[test]
fn whoever_takes_the_connection_and_says_nothing_is_given_up() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap().to_string();
    for arguments in [&["probe"][..], &["probe", "call", "GetKeys"]] {
        let begun = Instant::now();
        let (code, out, err) = run("auth-svc", &[arguments, &["--addr", &address, "--timeout", "1"]].concat(), &[]);
        assert_eq!(code, Some(2), "{out}{err}");
        assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    }
}

#[test]
fn a_probe_calls_what_changes_nothing_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let auth = Auth::start(folder.path(), "true");
    for name in ["GetKeys", "TokenService/GetKeys", "patio.auth.v1.TokenService/GetKeys", "patio.auth.v1.TokenService.GetKeys"] {
        let (code, told) = auth.probe(&["call", name]);
        let told: serde_json::Value = serde_json::from_str(&told).unwrap();
        assert!(code == Some(0) && told["keys"][0]["publicKey"].is_string(), "{name}: {told}");
    }
    let exit = |arguments: &[&str]| auth.probe(&[&["call"], arguments].concat());
    let expect = |arguments: &[&str], code: i32, words: &str| {
        let (ended, told) = exit(arguments);
        assert!(ended == Some(code) && told.contains(words), "{arguments:?}: {ended:?} {told}");
    };
    expect(&["GetMe"], 1, "Unauthenticated");
    expect(&["GetMe", "{}", "--token", "nonsense"], 1, "Unauthenticated");
    expect(&["SignIn", r#"{"hmc":"1000","password":"x"}"#], 3, "may change something");
    expect(&["GetNothing"], 3, "there is no rpc `GetNothing`");
    expect(&["GetNames", r#"{"id":1}"#], 3, "the message is no patio.auth.v1.GetNamesRequest");
    expect(&["GetNames", "{"], 3, "the message is no");
    assert_eq!(run("auth-svc", &["probe", "call", "GetKeys", "--addr", "127.0.0.1:1"], &[]).0, Some(2));
}

#[test]
fn without_reflection_nothing_is_told_and_nothing_called() {
    let folder = tempfile::tempdir().unwrap();
    let auth = Auth::start(folder.path(), "false");
    let (code, told) = auth.probe(&["call", "GetKeys"]);
    assert!(code == Some(3) && told.contains("reflection is off"), "{told}");
}
