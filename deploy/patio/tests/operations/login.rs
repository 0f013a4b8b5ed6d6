//! The commands `login` and `logout`, and calls to services with the stored session.
use patio_harness::{
    ADMIN_HMC, ADMIN_PASSWORD, Patio, ProgramOutput, TestFolder, acquire_light_test_slot, run_program, run_program_with_input,
};
use std::{fs, os::unix::fs::PermissionsExt};

fn call(settings: &[(&str, &str)], arguments: &[&str]) -> ProgramOutput {
    run_program("patio", &[&["probe"], arguments].concat(), settings)
}

#[test]
fn a_supervisor_signs_in_on_the_command_line_and_calls_services_without_reflection() {
    let (_turn, folder) = (acquire_light_test_slot(), TestFolder::create_temporary());
    let patio = Patio::builder().with_separate_processes().start();
    let file = folder.path().join("private/session.json");
    let url_of = |program: &str| format!("http://127.0.0.1:{}", patio.replica(program, 0).port);
    let (auth, vehicle, import) = (url_of("auth-svc"), url_of("vehicle-svc"), url_of("import-svc"));
    let settings = [
        ("PATIO_SESSION_FILE", file.to_str().unwrap()),
        ("PATIO_AUTH_URL", &*auth),
        ("PATIO_VEHICLE_URL", &*vehicle),
        ("PATIO_IMPORT_URL", &*import),
    ];
    let login = |password: &str| run_program_with_input("patio", &["login", &patio.url(), ADMIN_HMC], &settings, password);
    let wrong = login("not-the-password\n");
    assert!(wrong.code == Some(1) && wrong.combined_output().contains(&patio.url()) && !file.exists(), "{wrong:?}");
    assert_eq!(login("").code, Some(1), "no password");
    assert_eq!(run_program("patio", &["login", "ftp://x", ADMIN_HMC], &settings).code, Some(2), "wrong use");

    let vehicles = patio.sign_in().import_template_workbook().vehicle_ids();
    let done = login(&format!("{ADMIN_PASSWORD}\n"));
    assert!(done.code == Some(0) && done.stdout.starts_with(&format!("Signed in as {ADMIN_HMC} until ")), "{done:?}");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let stored: serde_json::Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert!(!done.combined_output().contains(stored["token"].as_str().unwrap()), "the token is not printed");

    // The contract says which service has the rpc, and the settings where that service listens.
    let found = call(&settings, &["call", "VehicleService/GetVehicle", &format!(r#"{{"id": {}}}"#, vehicles[0])]);
    let json: serde_json::Value = serde_json::from_str(&found.stdout).unwrap_or_default();
    assert_eq!((found.code, json["id"].as_str()), (Some(0), Some(&*vehicles[0].to_string())), "{found:?}");
    let me = call(&settings, &["call", "GetMe"]);
    assert!(me.code == Some(0) && me.stdout.contains(ADMIN_HMC), "{me:?}");
    let given = call(&settings, &["call", "GetMe", "{}", "--token", "nonsense"]);
    assert!(given.code == Some(1) && given.combined_output().contains("Unauthenticated"), "a given token wins: {given:?}");

    let ended = run_program("patio", &["logout"], &settings);
    assert!(ended.code == Some(0) && !file.exists(), "{ended:?}");
    let again = call(&settings, &["call", "GetMe"]);
    assert!(again.code == Some(1) && again.combined_output().contains("`patio login URL HMC` obtains a session"), "{again:?}");
    let old = call(&settings, &["call", "GetMe", "{}", "--token", stored["token"].as_str().unwrap()]);
    assert_eq!(old.code, Some(1), "the session has ended at the server too: {old:?}");
    patio.stop();
}

#[test]
fn a_session_file_that_others_can_read_is_not_used() {
    let (_turn, folder) = (acquire_light_test_slot(), TestFolder::create_temporary());
    let file = folder.path().join("session.json");
    fs::write(&file, r#"{"url": "http://127.0.0.1:1", "hmc": "1000", "token": "t", "expires_at": ""}"#).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let refused = call(&[("PATIO_SESSION_FILE", file.to_str().unwrap())], &["call", "GetMe", "--addr", &super::probing::auth().address()]);
    assert!(refused.code == Some(3) && refused.combined_output().contains("is readable by other users"), "{refused:?}");
}

#[test]
fn login_trusts_the_authority_that_is_given_and_no_other() {
    let (_turn, folder) = (acquire_light_test_slot(), TestFolder::create_temporary());
    let patio = Patio::builder().with_setting("PATIO_TLS", "self-signed").start();
    let file = folder.path().join("session.json");
    let url = patio.url().replace("http://127.0.0.1", "https://localhost");
    let authority = patio.data_folder().join("tls/patio-ca.crt");
    let login = |more: &[&str]| {
        let arguments = [&["login", &url, ADMIN_HMC, "--session", file.to_str().unwrap()], more].concat();
        run_program_with_input("patio", &arguments, &[], ADMIN_PASSWORD)
    };
    let unknown = login(&[]);
    assert!(unknown.code == Some(1) && !file.exists(), "{unknown:?}");
    let trusted = login(&["--ca", authority.to_str().unwrap()]);
    assert!(trusted.code == Some(0) && file.exists(), "{trusted:?}");
    patio.stop();
}
