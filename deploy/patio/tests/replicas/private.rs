//! TLS between services: everything works, and callers without a certificate are rejected.
use patio_harness::{CertificateAuthority, Patio, acquire_light_test_slot, run_program};
use serde_json::json;

#[test]
fn services_work_over_tls_and_reject_callers_without_a_certificate() {
    let _turn = acquire_light_test_slot();
    let (ours, other) = (CertificateAuthority::try_new().unwrap(), CertificateAuthority::try_new().unwrap());
    let patio = Patio::builder().with_separate_processes().with_service_tls(ours).start();
    let admin = patio.sign_in();
    let vehicles = admin.import_template_workbook().vehicle_ids();
    admin.save_vehicle(vehicles[0], &json!({ "status": "ng" }));
    assert_eq!(admin.get_vehicle(vehicles[0])["status"], "ng");

    let folder = patio.folder();
    other.issue_certificate(&folder.join("stranger"), "127.0.0.1").unwrap();
    for service in ["auth-svc", "campaign-svc", "vehicle-svc", "import-svc"] {
        let address = format!("127.0.0.1:{}", patio.replica(service, 0).port);
        let probe = |tls: &str| {
            let tls = folder.join(tls).display().to_string();
            run_program(service, &["probe", "--addr", &address, "--timeout", "5"], &[("PATIO_SERVICE_TLS", &tls)])
        };
        let with = probe("tls-gateway");
        assert!(with.code == Some(0) && with.combined_output().contains("SERVING"), "{with:?}");
        assert_eq!(probe("stranger").code, Some(2), "{service} accepts a caller without a certificate");
        let plain = run_program(service, &["probe", "--addr", &address, "--timeout", "5"], &[]);
        assert_eq!(plain.code, Some(2), "{service} speaks without TLS: {plain:?}");
    }
    let metrics = ureq::get(format!("{}/metrics", patio.replica("gateway", 0).admin_url())).call().unwrap();
    let metrics = metrics.into_body().read_to_string().unwrap();
    assert!(metrics.contains("patio_service_certificate_expires_timestamp_seconds"), "the certificate expiry has a metric");
    patio.stop();
}
