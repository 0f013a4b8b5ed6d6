//! `FileService`.
use super::{
    places::Places,
    upload::{self, Gathered},
};
use crate::{
    error::Error,
    files::{
        self, CsvFile, corrections,
        export::{Exporter, Written},
        piece, sql,
    },
    reader::{Failure, Reader},
    refusal::{self, ErrorCode, LARGEST_FILE, is_unprintable, not_xlsx, refuse, too_large},
    saga::Person,
    store::rejected,
};
use futures::{Stream, StreamExt};
use patio_kit::{
    audit,
    db::Db,
    host::Host,
    identity::{self, Caller},
    link::Bearer,
};
use patio_proto::{
    access::Role,
    imports::{self as pb, csv_reply::Outcome},
};
use std::pin::Pin;
use tonic::{Request, Response, Status, Streaming};

/// The longest name of a campaign, in characters, as in a sheet.
const LONGEST_NAME: usize = 120;

/// Answers the calls of `FileService`.
pub struct Api {
    host: Host,
    db: Db,
    reader: Reader,
    exporter: Exporter,
    places: Places,
}

type Pieces = Pin<Box<dyn Stream<Item = Result<pb::FilePiece, Status>> + Send>>;

impl Api {
    /// On the given host.
    #[must_use]
    pub fn new(host: &Host, db: Db, (reader, exporter): (Reader, Exporter), places: Places) -> Self {
        Self { host: host.clone(), db, reader, exporter, places }
    }

    async fn script(&self, caller: &Caller, pieces: Streaming<pb::UploadChunk>) -> Result<Pieces, Error> {
        let place = self.places.take()?;
        let gathered = upload::gather(pieces, ".xlsx").await?;
        if let Some(refusal) = refusal_of(&gathered).or_else(|| refusal_of_name(&gathered.campaign_name)) {
            return Ok(piece::of_refusal(refusal).boxed());
        }
        match self.reader.read(caller.user_id, gathered.data, &mut |_| {}).await {
            Ok(mut book) => {
                if !gathered.campaign_name.is_empty() {
                    book.sheet.campaign = gathered.campaign_name;
                }
                let pieces = piece::of_texts(sql::name(&book.sheet.campaign), piece::SQL, sql::script(book));
                let held_while = move |piece| {
                    let _held = &place;
                    piece
                };
                Ok(pieces.map(held_while).boxed())
            }
            Err(Failure::Refused(refusal)) => Ok(piece::of_refusal(refusal).boxed()),
            Err(Failure::NotStarted(cause)) => Err(Error::NoReader(cause)),
        }
    }

    /// A refused sheet with its errors, for whoever sent it and for supervisors; to others it is not there.
    async fn corrections(&self, caller: &Caller, upload_id: &str) -> Result<Pieces, Error> {
        let _place = self.places.take()?;
        let kept = rejected::find(&self.db, upload_id, self.host.clock.now()).await?.ok_or(Error::NoSheet)?;
        if kept.user_id != caller.user_id && caller.role != Role::Admin {
            return Err(Error::NoSheet);
        }
        let checked = match self.reader.check(caller.user_id, kept.data.into()).await {
            Ok(checked) => checked,
            Err(Failure::Refused(refusal)) => return Ok(piece::of_refusal(refusal).boxed()),
            Err(Failure::NotStarted(cause)) => return Err(Error::NoReader(cause)),
        };
        let folder = self.exporter.folder();
        let file = tokio::task::spawn_blocking(move || corrections::write(checked, &folder)).await.map_err(Error::Stopped)??;
        let name = format!("{}-errors.xlsx", piece::safe(kept.file_name.trim_end_matches(".xlsx")));
        Ok(piece::of_file(name, piece::XLSX, file).boxed())
    }

    async fn edit(&self, request: Request<Streaming<pb::UploadChunk>>, dry_run: bool) -> Result<pb::CsvReply, Error> {
        let _place = self.places.take()?;
        let bearer = Bearer::of(&request);
        let gathered = upload::gather(request.into_inner(), ".csv").await?;
        let outcome = if gathered.size > LARGEST_FILE {
            Outcome::Rejected(refuse(ErrorCode::TooLarge, "O arquivo deve ter no máximo 5MB."))
        } else if !gathered.is_named_rightly {
            Outcome::Rejected(refuse(ErrorCode::NotXlsx, "Apenas arquivos CSV (.csv) são suportados."))
        } else {
            let file = CsvFile { name: gathered.name, data: gathered.data };
            Outcome::Edit(files::edit(&self.host.links, &bearer, file, dry_run).await?)
        };
        Ok(pb::CsvReply { outcome: Some(outcome) })
    }
}

fn refusal_of(gathered: &Gathered) -> Option<pb::Rejection> {
    if gathered.size > LARGEST_FILE {
        return Some(too_large());
    }
    (!gathered.is_named_rightly).then(|| not_xlsx(""))
}

fn refusal_of_name(name: &str) -> Option<pb::Rejection> {
    let is_bad = name.chars().count() > LONGEST_NAME || name.contains(is_unprintable);
    is_bad.then(|| {
        let words =
            format!("The campaign's name `{}` is longer than {LONGEST_NAME} characters or cannot be printed.", refusal::shown(name));
        refuse(ErrorCode::Rows, words)
    })
}

#[tonic::async_trait]
impl pb::file_service_server::FileService for Api {
    type ExportCampaignStream = Pieces;
    type ConvertToSqlStream = Pieces;
    type GetRejectedSheetStream = Pieces;

    async fn export_campaign(&self, request: Request<pb::ExportCampaignRequest>) -> Result<Response<Pieces>, Status> {
        let person = Person { caller: identity::caller(&request)?, bearer: Bearer::of(&request), address: audit::address(&request) };
        let ask = request.into_inner();
        let report = match ask.report() {
            pb::Report::Unspecified => return Err(Error::Bad("report: one has to be chosen".to_owned()).into()),
            known => known,
        };
        let Written { name, file } = self.exporter.export(&person, ask.campaign_id, report).await?;
        Ok(Response::new(piece::of_file(name, piece::XLSX, file).boxed()))
    }

    async fn convert_to_sql(&self, request: Request<Streaming<pb::UploadChunk>>) -> Result<Response<Pieces>, Status> {
        let caller = identity::caller(&request)?;
        Ok(Response::new(self.script(&caller, request.into_inner()).await?))
    }

    async fn get_rejected_sheet(&self, request: Request<pb::GetRejectedSheetRequest>) -> Result<Response<Pieces>, Status> {
        let caller = identity::caller(&request)?;
        Ok(Response::new(self.corrections(&caller, &request.get_ref().upload_id).await?))
    }

    async fn check_csv(&self, request: Request<Streaming<pb::UploadChunk>>) -> Result<Response<pb::CsvReply>, Status> {
        Ok(Response::new(self.edit(request, true).await?))
    }

    async fn apply_csv(&self, request: Request<Streaming<pb::UploadChunk>>) -> Result<Response<pb::CsvReply>, Status> {
        Ok(Response::new(self.edit(request, false).await?))
    }
}
