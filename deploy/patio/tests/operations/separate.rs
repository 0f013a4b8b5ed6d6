//! Services in separate processes.
use patio_harness::{Patio, TestFolder, acquire_light_test_slot};
use serde_json::json;

#[test]
fn separate_services_without_redis_report_current_progress() {
    let (_turn, folder) = (acquire_light_test_slot(), TestFolder::create_temporary());
    let patio = Patio::builder().with_separate_processes().with_installation_folder(folder.path()).start();
    let admin = patio.sign_in();
    let vehicles = admin.import_template_workbook().vehicle_ids();
    let first = || admin.get("/api/campaigns")["campaigns"][0].take();
    assert_eq!((&first()["total_inspected"], &first()["next"]), (&json!(0), &json!(vehicles[0])));
    admin.save_vehicle(vehicles[0], &json!({ "status": "ok" }));
    assert_eq!((&first()["total_inspected"], &first()["next"]), (&json!(1), &json!(vehicles[1])));
    patio.stop();
}
