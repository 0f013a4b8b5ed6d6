//! Demo campaigns and users, created through the same services that the web pages use.
use patio_kit::{cli::print_to_stdout, client::call_context::CallContext, config::secret::Secret, service_host::ServiceHost};
use patio_proto::{
    access::Role,
    auth::{CreateUserRequest, SignInRequest, session_service_client::SessionServiceClient, user_service_client::UserServiceClient},
    imports::{UploadChunk, import_campaign_response::Outcome, import_service_client::ImportServiceClient},
    vehicle::{ListVehiclesRequest, SaveVehicleRequest, VehicleStatus, vehicle_service_client::VehicleServiceClient},
};
use rust_xlsxwriter::Workbook;
use std::time::Duration;

/// Demo campaigns: name, part, description, model, number of vehicles, number of inspected vehicles.
const CAMPAIGNS: [(&str, &str, &str, &str, u32, usize); 3] = [
    ("Demo 24-017 Airbag connector", "Airbag connector", "Connector may come loose; check the yellow clip", "HB20", 120, 46),
    ("Demo 24-021 Door seal", "Door seal", "Seal of the left rear door is cut too short", "CRETA", 640, 25),
    ("Demo 24-023 Tyre pressure label", "Label", "Label shows the values of another market", "HB20S", 36, 36),
];
/// Letters of the yards in which the demo vehicles are parked.
const LETTERS: [char; 5] = ['A', 'B', 'J', 'M', 'R'];
/// Statuses of the demo inspections, used in rotation.
const FINDINGS: [VehicleStatus; 5] = [VehicleStatus::Ok, VehicleStatus::Ok, VehicleStatus::Ng, VehicleStatus::Ok, VehicleStatus::NotFound];

/// Seeder that creates demo users and campaigns. The seeder signs in with the login name (HMC) and password of the first supervisor.
pub struct DemoSeeder {
    hmc: String,
    password: String,
    generated: bool,
}

impl DemoSeeder {
    /// Creates a seeder that signs in as the first supervisor. If `auth` has no password for this user, `random_password` is stored
    /// in `auth`.
    pub fn for_first_supervisor(auth: &mut auth_svc::Config, random_password: String) -> Self {
        let generated = auth.admin_password.is_none();
        let password = auth.admin_password.get_or_insert_with(|| Secret::from(random_password)).expose().to_owned();
        Self { hmc: auth.admin_hmc.clone(), password, generated }
    }

    /// Creates the demo users and campaigns that do not exist yet.
    pub async fn seed_if_missing(self, host: &ServiceHost) -> anyhow::Result<()> {
        let request = SignInRequest { hmc: self.hmc.clone(), password: self.password.clone(), ..Default::default() };
        let Ok(session) = SessionServiceClient::new(host.channels.auth.clone()).sign_in(request).await else {
            return print_to_stdout(
                "Demo data not created: the database already has a supervisor; set --admin-password to that password.\n",
            );
        };
        let token = session.into_inner().token;
        let bearer = CallContext::new(Some(&token), "demo", "");
        if self.generated {
            print_to_stdout(&format!("First supervisor: HMC {}, password {}\n", self.hmc, self.password))?;
        }
        self.people(host, &bearer).await?;
        for campaign in CAMPAIGNS {
            import(host, &bearer, campaign).await?;
        }
        Ok(())
    }

    async fn people(&self, host: &ServiceHost, bearer: &CallContext) -> anyhow::Result<()> {
        for (hmc, role, label) in [("2000", Role::Manager, "team leader"), ("3000", Role::Operator, "operator")] {
            let request =
                CreateUserRequest { hmc: hmc.to_owned(), password: self.password.clone(), role: role.into(), must_change_password: false };
            if UserServiceClient::new(host.channels.auth.clone()).create_user(bearer.grpc_request(request)).await.is_ok() {
                print_to_stdout(&format!("Demo {label}: HMC {hmc}, same password\n"))?;
            }
        }
        Ok(())
    }
}

async fn import(host: &ServiceHost, bearer: &CallContext, campaign: (&str, &str, &str, &str, u32, usize)) -> anyhow::Result<()> {
    let file = workbook(campaign)?;
    let upload_id = uuid::Uuid::new_v4().to_string();
    let first = UploadChunk { upload_id, file_name: "demo.xlsx".to_owned(), ..UploadChunk::default() };
    let chunks: Vec<_> = std::iter::once(first)
        .chain(file.chunks(64 << 10).map(|data| UploadChunk { data: data.to_vec(), ..UploadChunk::default() }))
        .collect();
    let request = bearer.grpc_request_with_timeout(Duration::from_secs(120), tokio_stream::iter(chunks));
    let reply = ImportServiceClient::new(host.channels.import.clone()).import_campaign(request).await?.into_inner();
    match reply.outcome {
        Some(Outcome::Imported(done)) => {
            inspect(host, bearer, done.campaign.map(|campaign| campaign.id).unwrap_or_default(), campaign.5).await
        }
        Some(Outcome::Rejected(why)) => print_to_stdout(&format!("{}: {}\n", campaign.0, why.message)),
        None => Ok(()),
    }
}

async fn inspect(host: &ServiceHost, bearer: &CallContext, campaign_id: i64, count: usize) -> anyhow::Result<()> {
    let mut vehicles = VehicleServiceClient::new(host.channels.vehicle.clone());
    let page = Some(patio_proto::common::Page { index: 0, size: 200 });
    let request = ListVehiclesRequest { campaign_id, page, ..Default::default() };
    let walk = vehicles.list_vehicles(bearer.grpc_request(request)).await?.into_inner().vehicles;
    for (n, vehicle) in walk.into_iter().take(count).enumerate() {
        let status = Some(FINDINGS[n % FINDINGS.len()].into());
        vehicles.save_vehicle(bearer.grpc_request(SaveVehicleRequest { id: vehicle.id, status, ..Default::default() })).await?;
    }
    Ok(())
}

fn workbook((name, part, description, model, count, _): (&str, &str, &str, &str, u32, usize)) -> anyhow::Result<Vec<u8>> {
    let mut workbook = Workbook::new();
    let sheet = workbook.add_worksheet().set_name("Sheet1")?;
    for (column, title) in (0..).zip(["Campaign", "Part", "Description", "Model Type", "Model Code", "Serial Number", "Parking Space"]) {
        sheet.write_string(0, column, title)?;
    }
    for (column, value) in (0..).zip([name, part, description, model]) {
        sheet.write_string(1, column, value)?;
    }
    for n in 0..count {
        let letter = LETTERS[usize::try_from(n)? % LETTERS.len()];
        sheet.write_string(n + 1, 4, model)?;
        sheet.write_string(n + 1, 5, format!("{:06}", 1_700 + n * 37))?;
        sheet.write_string(n + 1, 6, format!("{letter}-{}", n / 5 + 1))?;
    }
    Ok(workbook.save_to_buffer()?)
}
