//! gRPC `FileService`: exports campaigns, converts workbooks to SQL scripts, returns rejected workbooks, and applies CSV files
//! that change vehicles.
use crate::{
    api::{
        upload::{self, ReceivedFile},
        upload_limiter::UploadLimiter,
    },
    error::Error,
    files::{
        self, UploadedCsv, correction_workbook, download_stream,
        export::{ExportedFile, Exporter},
        sql_script,
    },
    saga::RequestingUser,
    store::rejected_workbooks,
};
use futures::{Stream, StreamExt};
use patio_kit::{
    audit,
    auth::identity::{self, Caller},
    client::call_context::CallContext,
    db::Db,
    service_host::ServiceHost,
};
use patio_proto::{
    access::Role,
    imports::{self as pb, csv_response::Outcome},
};
use std::pin::Pin;
use tonic::{Request, Response, Status, Streaming};
use workbook_reader::{
    WorkbookReadError, WorkbookReader,
    rejection::{self, ErrorCode, MAX_FILE_BYTES, build_rejection, file_too_large_rejection, is_unprintable, not_xlsx_rejection},
};

/// Maximum length in characters of a campaign name entered for an SQL script. Campaign names in workbooks have an equal limit.
const MAX_NAME_LEN: usize = 120;

/// Implements the gRPC `FileService`.
pub struct FileApi {
    host: ServiceHost,
    db: Db,
    reader: WorkbookReader,
    exporter: Exporter,
    upload_limiter: UploadLimiter,
}

type Pieces = Pin<Box<dyn Stream<Item = Result<pb::FileChunk, Status>> + Send>>;

impl FileApi {
    /// Creates the gRPC service. `upload_limiter` limits how many uploaded files are in memory at the same time.
    #[must_use]
    pub fn new(host: &ServiceHost, db: Db, (reader, exporter): (WorkbookReader, Exporter), upload_limiter: UploadLimiter) -> Self {
        Self { host: host.clone(), db, reader, exporter, upload_limiter }
    }

    async fn script(&self, caller: &Caller, pieces: Streaming<pb::UploadChunk>) -> Result<Pieces, Error> {
        let place = self.upload_limiter.try_acquire()?;
        let gathered = upload::receive_file(pieces, ".xlsx").await?;
        if let Some(refusal) = refusal_of(&gathered).or_else(|| check_file_name(&gathered.campaign_name)) {
            return Ok(download_stream::stream_rejection(refusal).boxed());
        }
        match self.reader.read(caller.user_id, gathered.data, &mut |_| {}).await {
            Ok(mut book) => {
                if !gathered.campaign_name.is_empty() {
                    book.sheet.campaign = gathered.campaign_name;
                }
                let pieces = download_stream::stream_text_chunks(
                    sql_script::script_file_name(&book.sheet.campaign),
                    download_stream::SQL_CONTENT_TYPE,
                    sql_script::generate_sql_script(book),
                );
                let held_while = move |piece| {
                    let _held = &place;
                    piece
                };
                Ok(pieces.map(held_while).boxed())
            }
            Err(WorkbookReadError::Rejected(refusal)) => Ok(download_stream::stream_rejection(refusal).boxed()),
            Err(WorkbookReadError::NotStarted(cause)) => Err(Error::ReaderNotStarted(cause)),
        }
    }

    /// Returns a copy of a rejected workbook in which the errors are marked. Only the uploader of the workbook and supervisors may
    /// download the copy. Other callers get `RejectedWorkbookNotFound`.
    async fn correction_workbook(&self, caller: &Caller, upload_id: &str) -> Result<Pieces, Error> {
        let _place = self.upload_limiter.try_acquire()?;
        let kept = rejected_workbooks::find_by_upload_id(&self.db, upload_id, self.host.clock.now())
            .await?
            .ok_or(Error::RejectedWorkbookNotFound)?;
        if kept.user_id != caller.user_id && caller.role != Role::Admin {
            return Err(Error::RejectedWorkbookNotFound);
        }
        let checked = match self.reader.read_correction_rows(caller.user_id, kept.data.into()).await {
            Ok(checked) => checked,
            Err(WorkbookReadError::Rejected(refusal)) => return Ok(download_stream::stream_rejection(refusal).boxed()),
            Err(WorkbookReadError::NotStarted(cause)) => return Err(Error::ReaderNotStarted(cause)),
        };
        let folder = self.exporter.temp_folder();
        let file = tokio::task::spawn_blocking(move || correction_workbook::write_correction_workbook(checked, &folder))
            .await
            .map_err(Error::TaskAborted)??;
        let name = format!("{}-errors.xlsx", download_stream::sanitize_file_name(kept.file_name.trim_end_matches(".xlsx")));
        Ok(download_stream::stream_file(name, download_stream::XLSX_CONTENT_TYPE, file).boxed())
    }

    async fn edit(&self, request: Request<Streaming<pb::UploadChunk>>, dry_run: bool) -> Result<pb::CsvResponse, Error> {
        let _place = self.upload_limiter.try_acquire()?;
        let bearer = CallContext::from_request(&request);
        let gathered = upload::receive_file(request.into_inner(), ".csv").await?;
        let outcome = if gathered.size > MAX_FILE_BYTES {
            Outcome::Rejected(build_rejection(ErrorCode::TooLarge, "O arquivo deve ter no máximo 5MB."))
        } else if !gathered.has_expected_extension {
            Outcome::Rejected(build_rejection(ErrorCode::NotXlsx, "Apenas arquivos CSV (.csv) são suportados."))
        } else {
            let file = UploadedCsv { name: gathered.name, data: gathered.data };
            Outcome::Edit(files::apply_csv_changes(&self.host.channels, &bearer, file, dry_run).await?)
        };
        Ok(pb::CsvResponse { outcome: Some(outcome) })
    }
}

fn refusal_of(gathered: &ReceivedFile) -> Option<pb::Rejection> {
    if gathered.size > MAX_FILE_BYTES {
        return Some(file_too_large_rejection());
    }
    (!gathered.has_expected_extension).then(|| not_xlsx_rejection(""))
}

fn check_file_name(name: &str) -> Option<pb::Rejection> {
    let is_bad = name.chars().count() > MAX_NAME_LEN || name.contains(is_unprintable);
    is_bad.then(|| {
        let words = format!(
            "The campaign name `{}` has more than {MAX_NAME_LEN} characters or an invisible character.",
            rejection::shorten_for_message(name)
        );
        build_rejection(ErrorCode::InvalidRows, words)
    })
}

#[tonic::async_trait]
impl pb::file_service_server::FileService for FileApi {
    type ExportCampaignStream = Pieces;
    type ConvertToSqlStream = Pieces;
    type GetRejectedSheetStream = Pieces;

    async fn export_campaign(&self, request: Request<pb::ExportCampaignRequest>) -> Result<Response<Pieces>, Status> {
        let person = RequestingUser {
            caller: identity::authenticated_caller(&request)?,
            bearer: CallContext::from_request(&request),
            address: audit::client_address(&request),
        };
        let request = request.into_inner();
        let report = match request.report() {
            pb::Report::Unspecified => return Err(Error::InvalidField("report: a report type is required".to_owned()).into()),
            known => known,
        };
        let ExportedFile { name, file } = self.exporter.export(&person, request.campaign_id, report).await?;
        Ok(Response::new(download_stream::stream_file(name, download_stream::XLSX_CONTENT_TYPE, file).boxed()))
    }

    async fn convert_to_sql(&self, request: Request<Streaming<pb::UploadChunk>>) -> Result<Response<Pieces>, Status> {
        let caller = identity::authenticated_caller(&request)?;
        Ok(Response::new(self.script(&caller, request.into_inner()).await?))
    }

    async fn get_rejected_sheet(&self, request: Request<pb::GetRejectedSheetRequest>) -> Result<Response<Pieces>, Status> {
        let caller = identity::authenticated_caller(&request)?;
        Ok(Response::new(self.correction_workbook(&caller, &request.get_ref().upload_id).await?))
    }

    async fn check_csv(&self, request: Request<Streaming<pb::UploadChunk>>) -> Result<Response<pb::CsvResponse>, Status> {
        Ok(Response::new(self.edit(request, true).await?))
    }

    async fn apply_csv(&self, request: Request<Streaming<pb::UploadChunk>>) -> Result<Response<pb::CsvResponse>, Status> {
        Ok(Response::new(self.edit(request, false).await?))
    }
}
