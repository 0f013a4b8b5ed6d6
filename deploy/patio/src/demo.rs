//! Demo campaigns and people, made through the same calls that the pages use.
use patio_kit::{command::print, host::Host, link::Bearer, secret::Secret};
use patio_proto::{
    access::Role,
    auth::{CreateUserRequest, SignInRequest, session_service_client::SessionServiceClient, user_service_client::UserServiceClient},
    imports::{UploadChunk, import_campaign_reply::Outcome, import_service_client::ImportServiceClient},
    vehicle::{ListVehiclesRequest, SaveVehicleRequest, VehicleStatus, vehicle_service_client::VehicleServiceClient},
};
use rust_xlsxwriter::Workbook;
use std::time::Duration;

/// Campaign, part, description, model, vehicles, and how many of a page are inspected.
const CAMPAIGNS: [(&str, &str, &str, &str, u32, usize); 3] = [
    ("Demo 24-017 Airbag connector", "Airbag connector", "Connector may come loose; check the yellow clip", "HB20", 120, 46),
    ("Demo 24-021 Door seal", "Door seal", "Seal of the left rear door is cut too short", "CRETA", 640, 25),
    ("Demo 24-023 Tyre pressure label", "Label", "Label shows the values of another market", "HB20S", 36, 36),
];
/// Letters of the yards that demo vehicles stand in.
const LETTERS: [char; 5] = ['A', 'B', 'J', 'M', 'R'];
/// What inspections find, again and again.
const FINDINGS: [VehicleStatus; 5] = [VehicleStatus::Ok, VehicleStatus::Ok, VehicleStatus::Ng, VehicleStatus::Ok, VehicleStatus::NotFound];

/// A demo about to be filled in.
pub struct Demo {
    hmc: String,
    password: String,
    generated: bool,
}

impl Demo {
    /// Decides with which password the first supervisor is made and signs in.
    pub fn prepare(auth: &mut auth_svc::Config, chance: String) -> Self {
        let generated = auth.admin_password.is_none();
        let password = auth.admin_password.get_or_insert_with(|| Secret::from(chance)).expose().to_owned();
        Self { hmc: auth.admin_hmc.clone(), password, generated }
    }

    /// Fills in what is not there yet.
    pub async fn fill(self, host: &Host) -> anyhow::Result<()> {
        let ask = SignInRequest { hmc: self.hmc.clone(), password: self.password.clone(), ..Default::default() };
        let Ok(session) = SessionServiceClient::new(host.links.auth.clone()).sign_in(ask).await else {
            return print("The demo was not filled in: this database has a supervisor already; give his password with --admin-password.\n");
        };
        let token = session.into_inner().token;
        let bearer = Bearer::new(Some(&token), "demo", "");
        if self.generated {
            print(&format!("First supervisor: HMC {}, password {}\n", self.hmc, self.password))?;
        }
        self.people(host, &bearer).await?;
        for campaign in CAMPAIGNS {
            import(host, &bearer, campaign).await?;
        }
        Ok(())
    }

    async fn people(&self, host: &Host, bearer: &Bearer) -> anyhow::Result<()> {
        for (hmc, role, label) in [("2000", Role::Manager, "team leader"), ("3000", Role::Operator, "operator")] {
            let ask = CreateUserRequest { hmc: hmc.to_owned(), password: self.password.clone(), role: role.into() };
            if UserServiceClient::new(host.links.auth.clone()).create_user(bearer.sign(ask)).await.is_ok() {
                print(&format!("Demo {label}: HMC {hmc}, the same password\n"))?;
            }
        }
        Ok(())
    }
}

async fn import(host: &Host, bearer: &Bearer, campaign: (&str, &str, &str, &str, u32, usize)) -> anyhow::Result<()> {
    let file = workbook(campaign)?;
    let upload_id = uuid::Uuid::new_v4().to_string();
    let first = UploadChunk { upload_id, file_name: "demo.xlsx".to_owned(), ..UploadChunk::default() };
    let chunks: Vec<_> = std::iter::once(first)
        .chain(file.chunks(64 << 10).map(|data| UploadChunk { data: data.to_vec(), ..UploadChunk::default() }))
        .collect();
    let request = bearer.sign_within(Duration::from_secs(120), tokio_stream::iter(chunks));
    let reply = ImportServiceClient::new(host.links.import.clone()).import_campaign(request).await?.into_inner();
    match reply.outcome {
        Some(Outcome::Imported(done)) => {
            inspect(host, bearer, done.campaign.map(|campaign| campaign.id).unwrap_or_default(), campaign.5).await
        }
        Some(Outcome::Rejected(why)) => print(&format!("{}: {}\n", campaign.0, why.message)),
        None => Ok(()),
    }
}

async fn inspect(host: &Host, bearer: &Bearer, campaign_id: i64, count: usize) -> anyhow::Result<()> {
    let mut vehicles = VehicleServiceClient::new(host.links.vehicle.clone());
    let page = Some(patio_proto::common::Page { index: 0, size: 200 });
    let ask = ListVehiclesRequest { campaign_id, page, ..Default::default() };
    let walk = vehicles.list_vehicles(bearer.sign(ask)).await?.into_inner().vehicles;
    for (n, vehicle) in walk.into_iter().take(count).enumerate() {
        let status = Some(FINDINGS[n % FINDINGS.len()].into());
        vehicles.save_vehicle(bearer.sign(SaveVehicleRequest { id: vehicle.id, status, ..Default::default() })).await?;
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
