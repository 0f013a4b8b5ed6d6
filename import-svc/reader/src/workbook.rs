//! Opens the parts of a workbook that an import needs: the worksheet `Sheet1`, the shared strings and the number formats.
//!
//! Other parts, such as pictures, themes and macro worksheets, are not read and may be damaged.
use crate::{
    number_formats::NumberFormats,
    rejection::{ErrorCode, build_rejection, shorten_for_message, unreadable_workbook_rejection},
    text, zip_limits,
};
use patio_proto::imports::Rejection;
use quick_xml::{
    Reader,
    escape::resolve_xml_entity,
    events::{BytesRef, BytesStart, Event},
};
use std::{
    collections::HashMap,
    io::{BufReader, Cursor},
    rc::Rc,
};
use zip::{ZipArchive, read::ZipFile, result::ZipError};

/// Name of the worksheet that an import reads. Other worksheets of the workbook are ignored.
pub(crate) const SHEET_NAME: &str = "Sheet1";

type Package<'f> = ZipArchive<Cursor<&'f [u8]>>;
/// XML reader of one part (file) of the `.xlsx` package.
pub(crate) type WorkbookPartReader<'p, 'f> = Reader<BufReader<ZipFile<'p, Cursor<&'f [u8]>>>>;

/// An open workbook that contains the worksheet `Sheet1`.
pub(crate) struct Workbook<'f> {
    package: Package<'f>,
    sheet: String,
    /// Whether `Sheet1` is hidden in spreadsheet programs.
    pub(crate) is_hidden: bool,
    /// Whether date serial numbers count from 1904 instead of 1900.
    pub(crate) from_1904: bool,
    /// Shared strings of the workbook, to which cells refer by index.
    pub(crate) texts: Vec<Rc<str>>,
    pub(crate) formats: NumberFormats,
}

/// Entry of a worksheet in the workbook's list of worksheets: name, relationship id and visibility.
struct Entry {
    name: String,
    relationship: String,
    is_hidden: bool,
}

impl<'f> Workbook<'f> {
    /// Opens an `.xlsx` package, finds `Sheet1`, and reads the shared strings and number formats.
    ///
    /// # Errors
    /// Returns the rejection when one of these parts is missing or damaged.
    pub(crate) fn open(file: &'f [u8]) -> Result<Self, Rejection> {
        let mut package =
            ZipArchive::new(Cursor::new(file)).map_err(|_| unreadable_workbook_rejection("the file is damaged or not complete"))?;
        let path = workbook_path(&mut package)?;
        let (folder, name) = path.rsplit_once('/').map_or(("", path.as_str()), |(folder, name)| (folder, name));
        let links = relationships(&mut package, &join(folder, &format!("_rels/{name}.rels")))?;
        let (entries, from_1904) = entries(&mut package, &path)?;
        let Some(entry) = entries.iter().find(|entry| entry.name == SHEET_NAME) else { return Err(no_sheet(&entries)) };
        let link = links.get(&entry.relationship).ok_or_else(|| unreadable_workbook_rejection("its list of sheets is damaged"))?;
        if !link.kind.ends_with("/worksheet") {
            return Err(chart_sheet_rejection());
        }
        let target = |kind: &str, usual: &str| {
            let found = links.values().find(|link| link.kind.ends_with(kind));
            found.map_or_else(|| join(folder, usual), |link| join(folder, &link.target))
        };
        let texts = texts(&mut package, &target("/sharedStrings", "sharedStrings.xml"))?;
        let formats = formats(&mut package, &target("/styles", "styles.xml"))?;
        Ok(Self { sheet: join(folder, &link.target), is_hidden: entry.is_hidden, from_1904, texts, formats, package })
    }

    /// Opens the XML of `Sheet1`, together with the shared strings and number formats that its cells refer to.
    ///
    /// # Errors
    /// Returns the rejection when the worksheet part is missing.
    pub(crate) fn open_sheet(&mut self) -> Result<(WorkbookPartReader<'_, 'f>, &[Rc<str>], &NumberFormats), Rejection> {
        let part = part(&mut self.package, &self.sheet)?.ok_or_else(corrupt_workbook_part_rejection)?;
        Ok((part, &self.texts, &self.formats))
    }
}

/// Builds the rejection of a workbook in which a required part (file) cannot be read.
pub(crate) fn corrupt_workbook_part_rejection() -> Rejection {
    unreadable_workbook_rejection("its contents are damaged")
}

/// Builds the rejection of a `Sheet1` that is a chart instead of a worksheet.
pub(crate) fn chart_sheet_rejection() -> Rejection {
    build_rejection(ErrorCode::NoSheet, "'Sheet1' is a chart, not a worksheet. Rename the sheet with the vehicles to 'Sheet1'.")
}

fn no_sheet(there: &[Entry]) -> Rejection {
    let names: Vec<String> = there.iter().take(5).map(|entry| format!("'{}'", shorten_for_message(&entry.name))).collect();
    let found = if names.is_empty() { "it has none".to_owned() } else { format!("it has {}", names.join(", ")) };
    build_rejection(ErrorCode::NoSheet, format!("The file has no worksheet named 'Sheet1' ({found}). Rename the sheet to 'Sheet1'."))
}

/// Resolves a path inside the `.xlsx` package: relative to `folder`, or absolute if the path begins with a slash.
fn join(folder: &str, target: &str) -> String {
    let target = target.replace('\\', "/");
    let mut steps: Vec<&str> = if target.starts_with('/') { Vec::new() } else { folder.split('/').collect() };
    for step in target.split('/') {
        match step {
            "" | "." => {}
            ".." => drop(steps.pop()),
            other => steps.push(other),
        }
    }
    steps.into_iter().filter(|step| !step.is_empty()).collect::<Vec<_>>().join("/")
}

/// Normalizes the name of a part (file) of the `.xlsx` package: replaces backslashes with slashes and removes leading slashes.
fn tidy(name: &[u8]) -> String {
    String::from_utf8_lossy(name).replace('\\', "/").trim_start_matches('/').to_owned()
}

/// Opens a part (file) of the `.xlsx` package by name, ignoring letter case and the kind of slashes. Returns `None` if the part does
/// not exist.
fn part<'p, 'f>(package: &'p mut Package<'f>, path: &str) -> Result<Option<WorkbookPartReader<'p, 'f>>, Rejection> {
    let Some(index) = package.file_names_raw().position(|name| tidy(name).eq_ignore_ascii_case(path)) else { return Ok(None) };
    let file = package.by_index(index).map_err(|cause| match cause {
        ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => {
            unreadable_workbook_rejection("a part of it is locked with a password")
        }
        _ => unreadable_workbook_rejection("a part of it is damaged"),
    })?;
    let mut reader = Reader::from_reader(BufReader::with_capacity(64 << 10, file));
    reader.config_mut().check_end_names = false;
    Ok(Some(reader))
}

/// Finds the path of the main workbook part from the package's relationships, or else by its usual file name.
fn workbook_path(package: &mut Package<'_>) -> Result<String, Rejection> {
    let links = relationships(package, "_rels/.rels").unwrap_or_default();
    let said = links.values().find(|link| link.kind.ends_with("/officeDocument")).map(|link| join("", &link.target));
    let is_there = |path: &String| package.file_names_raw().any(|name| tidy(name).eq_ignore_ascii_case(path));
    let path = said.filter(is_there).or_else(|| package.file_names_raw().find(|name| zip_limits::is_main_workbook_path(name)).map(tidy));
    path.ok_or_else(corrupt_workbook_part_rejection)
}

/// Relationship: a link from one part of the `.xlsx` package to another part. `kind` is a URI whose last segment names the kind of the
/// target, such as `worksheet`.
struct Link {
    kind: String,
    target: String,
}

fn relationships(package: &mut Package<'_>, path: &str) -> Result<HashMap<String, Link>, Rejection> {
    let mut links = HashMap::new();
    let Some(mut xml) = part(package, path)? else { return Ok(links) };
    each_start(&mut xml, |start| {
        if start.local_name().as_ref() == "Relationship" {
            links.insert(attribute(start, "Id")?, Link { kind: attribute(start, "Type")?, target: attribute(start, "Target")? });
        }
        Ok(())
    })?;
    Ok(links)
}

fn entries(package: &mut Package<'_>, path: &str) -> Result<(Vec<Entry>, bool), Rejection> {
    let (mut entries, mut from_1904) = (Vec::new(), false);
    let mut xml = part(package, path)?.ok_or_else(corrupt_workbook_part_rejection)?;
    each_start(&mut xml, |start| {
        match start.local_name().as_ref() {
            "sheet" => entries.push(Entry {
                name: attribute(start, "name")?,
                relationship: attribute(start, "id")?,
                is_hidden: matches!(attribute(start, "state")?.as_str(), "hidden" | "veryHidden"),
            }),
            "workbookPr" => from_1904 |= matches!(attribute(start, "date1904")?.as_str(), "1" | "true"),
            _ => {}
        }
        Ok(())
    })?;
    Ok((entries, from_1904))
}

/// Calls `take` for the start tag of every XML element in a part (file) of the `.xlsx` package.
fn each_start(
    xml: &mut WorkbookPartReader<'_, '_>,
    mut take: impl FnMut(&BytesStart<'_>) -> Result<(), Rejection>,
) -> Result<(), Rejection> {
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        match xml.read_event_into(&mut buffer).map_err(|_| corrupt_workbook_part_rejection())? {
            Event::Start(start) | Event::Empty(start) => take(&start)?,
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}

/// Returns the value of the XML attribute with this name, ignoring its namespace prefix; empty if the attribute is missing.
fn attribute(start: &BytesStart<'_>, name: &str) -> Result<String, Rejection> {
    for attribute in start.attributes().with_checks(false) {
        let attribute = attribute.map_err(|_| corrupt_workbook_part_rejection())?;
        if attribute.key.local_name().as_ref() == name {
            return quick_xml::escape::unescape(attribute.value.as_ref())
                .map(std::borrow::Cow::into_owned)
                .map_err(|_| corrupt_workbook_part_rejection());
        }
    }
    Ok(String::new())
}

fn texts(package: &mut Package<'_>, path: &str) -> Result<Vec<Rc<str>>, Rejection> {
    let mut texts = Vec::new();
    let Some(mut xml) = part(package, path)? else { return Ok(texts) };
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        match xml.read_event_into(&mut buffer).map_err(|_| corrupt_workbook_part_rejection())? {
            Event::Start(start) if start.local_name().as_ref() == "si" => texts.push(read_cell_text(&mut xml, "si")?.into()),
            Event::Empty(start) if start.local_name().as_ref() == "si" => texts.push("".into()),
            Event::Empty(start) if start.local_name().as_ref() == "sst" => return Ok(texts),
            Event::End(end) if end.local_name().as_ref() == "sst" => return Ok(texts),
            Event::Eof => return Err(corrupt_workbook_part_rejection()),
            _ => {}
        }
    }
}

/// Reads the text of a cell up to the closing tag, and joins the differently formatted pieces of the text. Skips phonetic hints of Japanese
/// text.
pub(crate) fn read_cell_text(xml: &mut WorkbookPartReader<'_, '_>, closing: &str) -> Result<String, Rejection> {
    let (mut whole, mut buffer, mut phonetic) = (String::new(), Vec::new(), false);
    loop {
        buffer.clear();
        match xml.read_event_into(&mut buffer).map_err(|_| corrupt_workbook_part_rejection())? {
            Event::Start(start) => match start.local_name().as_ref() {
                "rPh" => phonetic = true,
                "t" => {
                    let keeps = attribute(&start, "space")? == "preserve";
                    let run = read_element_text(xml, "t")?;
                    let run = if keeps { run.as_str() } else { run.trim_matches([' ', '\t', '\r', '\n']) };
                    if !phonetic {
                        whole.push_str(&text::decode_xlsx_escapes(run));
                    }
                }
                _ => {}
            },
            Event::End(end) if end.local_name().as_ref() == closing => return Ok(whole),
            Event::End(end) if end.local_name().as_ref() == "rPh" => phonetic = false,
            Event::Eof => return Err(corrupt_workbook_part_rejection()),
            _ => {}
        }
    }
}

/// Reads the text content of an XML element up to its closing tag.
pub(crate) fn read_element_text(xml: &mut WorkbookPartReader<'_, '_>, closing: &str) -> Result<String, Rejection> {
    let (mut content, mut buffer) = (String::new(), Vec::new());
    loop {
        buffer.clear();
        match xml.read_event_into(&mut buffer).map_err(|_| corrupt_workbook_part_rejection())? {
            Event::Text(text) => content.push_str(&text.xml10_content()),
            Event::CData(text) => content.push_str(&text.xml10_content()),
            Event::GeneralRef(entity) => resolve(&entity, &mut content)?,
            Event::End(end) if end.local_name().as_ref() == closing => return Ok(content),
            Event::Eof => return Err(corrupt_workbook_part_rejection()),
            _ => {}
        }
    }
}

fn resolve(entity: &BytesRef<'_>, content: &mut String) -> Result<(), Rejection> {
    match (resolve_xml_entity(entity.as_ref()), entity.resolve_char_ref()) {
        (Some(text), _) => content.push_str(text),
        (None, Ok(Some(c))) => content.push(c),
        _ => return Err(corrupt_workbook_part_rejection()),
    }
    Ok(())
}

fn formats(package: &mut Package<'_>, path: &str) -> Result<NumberFormats, Rejection> {
    let (mut codes, mut styles, mut inside) = (HashMap::<u32, String>::new(), Vec::new(), false);
    let Some(mut xml) = part(package, path)? else { return Ok(NumberFormats::default()) };
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        match xml.read_event_into(&mut buffer).map_err(|_| corrupt_workbook_part_rejection())? {
            Event::Start(start) | Event::Empty(start) => match start.local_name().as_ref() {
                "numFmt" => {
                    if let Ok(id) = attribute(&start, "numFmtId")?.parse() {
                        codes.insert(id, attribute(&start, "formatCode")?);
                    }
                }
                "cellXfs" => inside = true,
                "xf" if inside => styles.push(attribute(&start, "numFmtId")?.parse().unwrap_or_default()),
                _ => {}
            },
            Event::End(end) if end.local_name().as_ref() == "cellXfs" => inside = false,
            Event::Eof => return Ok(NumberFormats::new(&styles, &codes)),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_found_from_their_folder_and_from_the_root() {
        assert_eq!(join("xl", "worksheets/sheet1.xml"), "xl/worksheets/sheet1.xml");
        assert_eq!(join("xl", "/xl/worksheets/sheet1.xml"), "xl/worksheets/sheet1.xml");
        assert_eq!(join("xl", "..\\other\\./a.xml"), "other/a.xml");
    }
}
