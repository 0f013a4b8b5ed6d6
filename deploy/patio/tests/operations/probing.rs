//! The command `probe`: health and calls of one service from the command line.
use patio_harness::{Patio, ProgramOutput, acquire_light_test_slot, run_program, wait_until};
use std::{
    net::TcpListener,
    sync::LazyLock,
    time::{Duration, Instant},
};

/// Shared secret of the services in these tests.
pub const SECRET: &str = "a-secret-of-the-services";

/// A running auth-svc without the other services.
pub struct Auth(Patio);

/// Returns an auth-svc that all tests share and never stop.
pub fn auth() -> &'static Auth {
    static AUTH: LazyLock<Auth> = LazyLock::new(|| Auth::start("true"));
    &AUTH
}

impl Auth {
    fn start(reflection: &str) -> Self {
        let builder = Patio::builder().with_separate_processes().with_setting("PATIO_REFLECTION", reflection);
        let mut patio = builder.with_setting("PATIO_SERVICE_SECRET", SECRET).build();
        patio.replica_mut("auth-svc", 0).start().unwrap();
        let auth = Self(patio);
        wait_until("auth-svc serves", Duration::from_secs(30), || auth.probe(&[]).code == Some(0));
        auth
    }

    pub fn address(&self) -> String {
        address(&self.0, "auth-svc")
    }

    fn probe(&self, arguments: &[&str]) -> ProgramOutput {
        run_program("auth-svc", &[&["probe", "--addr", &self.address()], arguments].concat(), &[])
    }
}

fn address(patio: &Patio, program: &str) -> String {
    format!("127.0.0.1:{}", patio.replica(program, 0).port)
}

#[test]
fn a_probe_reports_the_health_as_text_and_exit_code() {
    let (_turn, auth) = (acquire_light_test_slot(), auth());
    let probed = auth.probe(&[]);
    assert_eq!((probed.code, probed.combined_output()), (Some(0), format!("{} auth-svc SERVING\n", auth.address())));
    let probed = auth.probe(&["--json", "--service", "patio.auth.v1.UserService"]);
    let json: serde_json::Value = serde_json::from_str(&probed.combined_output()).unwrap();
    assert_eq!((probed.code, &json["status"], &json["service"]), (Some(0), &"SERVING".into(), &"patio.auth.v1.UserService".into()));
    let probed = run_program("auth-svc", &["probe", "--addr", "127.0.0.1:1"], &[]);
    assert_eq!((probed.code, &*probed.stdout), (Some(2), "127.0.0.1:1 auth-svc UNREACHABLE\n"));
    let probed = auth.probe(&["--service", "all"]);
    assert_eq!((probed.code, probed.combined_output()), (Some(0), format!("{} all SERVING\n", auth.address())));
    let other = run_program("vehicle-svc", &["probe", "--addr", &auth.address()], &[]);
    assert_eq!(other.code, Some(3), "{other:?}");
    super::contains(&other.combined_output(), &["the process has no gRPC service `patio.vehicle.v1.VehicleService`"]);
    let whole = run_program("patio", &["probe", "--service", "auth-svc"], &[("PATIO_AUTH_URL", &format!("http://{}", auth.address()))]);
    assert_eq!((whole.code, whole.combined_output()), (Some(0), format!("{} auth-svc SERVING\n", auth.address())));
}

#[test]
fn unreachable_and_not_serving_have_different_exit_codes() {
    let (_turn, auth) = (acquire_light_test_slot(), auth());
    let probed = auth.probe(&["--service", "patio.auth.v1.Nonsense"]);
    assert_eq!(probed.code, Some(3), "{probed:?}");
    super::contains(&probed.combined_output(), &["the process has no gRPC service `patio.auth.v1.Nonsense`"]);
    assert_eq!(auth.probe(&["--timeout", "soon"]).code, Some(3));
    assert_eq!(run_program("gateway", &["probe", "--nonsense"], &[]).code, Some(3));
    // Without auth-svc, campaign-svc cannot verify tokens and reports not serving.
    let mut alone = Patio::builder().with_separate_processes().with_setting("PATIO_AUTH_URL", "http://127.0.0.1:1").build();
    alone.replica_mut("campaign-svc", 0).start().unwrap();
    let address = address(&alone, "campaign-svc");
    let mut probed = None;
    wait_until("campaign-svc answers", Duration::from_secs(30), || {
        probed = Some(run_program("campaign-svc", &["probe", "--addr", &address], &[]));
        probed.as_ref().is_some_and(|probed| probed.code != Some(2))
    });
    let probed = probed.unwrap();
    assert_eq!((probed.code, probed.stdout), (Some(1), format!("{address} campaign-svc NOT_SERVING\n")));
}

#[test]
fn a_server_that_accepts_but_never_responds_times_out() {
    let (_turn, silent) = (acquire_light_test_slot(), TcpListener::bind("127.0.0.1:0").unwrap());
    let address = silent.local_addr().unwrap().to_string();
    for arguments in [&["probe"][..], &["probe", "call", "GetSigningKeys"]] {
        let begun = Instant::now();
        let probed = run_program("auth-svc", &[arguments, &["--addr", &address, "--timeout", "1"]].concat(), &[]);
        assert_eq!(probed.code, Some(2), "{probed:?}");
        assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    }
}

#[test]
fn a_probe_can_call_read_only_methods_by_name() {
    let (_turn, auth) = (acquire_light_test_slot(), auth());
    for name in [
        "GetSigningKeys",
        "TokenService/GetSigningKeys",
        "patio.auth.v1.TokenService/GetSigningKeys",
        "patio.auth.v1.TokenService.GetSigningKeys",
    ] {
        let called = auth.probe(&["call", name]);
        let json: serde_json::Value = serde_json::from_str(&called.combined_output()).unwrap();
        assert!(called.code == Some(0) && json["keys"][0]["publicKey"].is_string(), "{name}: {json}");
    }
    let expect = |arguments: &[&str], code: i32, words: &str| {
        let called = auth.probe(&[&["call"], arguments].concat());
        assert!(called.code == Some(code) && called.combined_output().contains(words), "{arguments:?}: {called:?}");
    };
    expect(&["GetMe"], 1, "Unauthenticated");
    expect(&["GetMe", "{}", "--token", "nonsense"], 1, "Unauthenticated");
    expect(&["SignIn", r#"{"hmc":"1000","password":"x"}"#], 3, "may change data");
    expect(&["GetNothing"], 3, "the contract has no rpc `GetNothing`");
    expect(&["ResolveUserNames", r#"{"id":1}"#], 3, "the message is not a valid patio.auth.v1.ResolveUserNamesRequest");
    expect(&["ResolveUserNames", "{"], 3, "the message is not a valid");
    assert_eq!(run_program("auth-svc", &["probe", "call", "GetSigningKeys", "--addr", "127.0.0.1:1"], &[]).code, Some(2));
}

#[test]
fn the_contract_is_listed_and_called_without_reflection() {
    let (_turn, auth) = (acquire_light_test_slot(), Auth::start("false"));
    let called = auth.probe(&["call", "GetSigningKeys"]);
    assert!(called.code == Some(0) && called.stdout.contains("publicKey"), "{called:?}");
    let listed = run_program("vehicle-svc", &["probe", "list"], &[]);
    assert_eq!(listed.code, Some(0), "{listed:?}");
    super::contains(
        &listed.stdout,
        &[
            "patio.vehicle.v1.VehicleService/GetVehicle\toperator\tread-only\n",
            "patio.auth.v1.SessionService/SignIn\tanyone\tchanges data\n",
        ],
    );
}
