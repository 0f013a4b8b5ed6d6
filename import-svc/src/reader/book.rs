//! The parts of a workbook that Patio reads: where `Sheet1` is, its texts and its number formats.
//!
//! A package holds far more: pictures, thumbnails, themes, old macro sheets. None of that has to be sound.
use super::{format::Formats, text};
use crate::refusal::{ErrorCode, refuse, shown, unreadable};
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

/// The one sheet that is read.
pub(super) const SHEET: &str = "Sheet1";

type Package<'f> = ZipArchive<Cursor<&'f [u8]>>;
/// The XML of one part, read as a stream.
pub(super) type Part<'p, 'f> = Reader<BufReader<ZipFile<'p, Cursor<&'f [u8]>>>>;

/// A workbook whose `Sheet1` has been found.
pub(super) struct Workbook<'f> {
    package: Package<'f>,
    sheet: String,
    /// `true` when `Sheet1` is hidden in spreadsheet programs.
    pub(super) is_hidden: bool,
    /// `true` when days are counted from 1904.
    pub(super) from_1904: bool,
    /// The texts that cells refer to by number.
    pub(super) texts: Vec<Rc<str>>,
    pub(super) formats: Formats,
}

/// What a workbook says of a sheet.
struct Entry {
    name: String,
    relationship: String,
    is_hidden: bool,
}

impl<'f> Workbook<'f> {
    /// Opens a package, finds `Sheet1` and reads texts and number formats.
    ///
    /// # Errors
    /// The refusal when one of these parts is missing or damaged.
    pub(super) fn open(file: &'f [u8]) -> Result<Self, Rejection> {
        let mut package = ZipArchive::new(Cursor::new(file)).map_err(|_| unreadable("the file is damaged or not complete"))?;
        let path = workbook_path(&mut package)?;
        let (folder, name) = path.rsplit_once('/').map_or(("", path.as_str()), |(folder, name)| (folder, name));
        let links = relationships(&mut package, &join(folder, &format!("_rels/{name}.rels")))?;
        let (entries, from_1904) = entries(&mut package, &path)?;
        let Some(entry) = entries.iter().find(|entry| entry.name == SHEET) else { return Err(no_sheet(&entries)) };
        let link = links.get(&entry.relationship).ok_or_else(|| unreadable("its list of sheets leads nowhere"))?;
        if !link.kind.ends_with("/worksheet") {
            return Err(no_worksheet());
        }
        let target = |kind: &str, usual: &str| {
            let found = links.values().find(|link| link.kind.ends_with(kind));
            found.map_or_else(|| join(folder, usual), |link| join(folder, &link.target))
        };
        let texts = texts(&mut package, &target("/sharedStrings", "sharedStrings.xml"))?;
        let formats = formats(&mut package, &target("/styles", "styles.xml"))?;
        Ok(Self { sheet: join(folder, &link.target), is_hidden: entry.is_hidden, from_1904, texts, formats, package })
    }

    /// The XML of `Sheet1`, beside what its cells refer to.
    ///
    /// # Errors
    /// The refusal when the part is missing.
    pub(super) fn sheet(&mut self) -> Result<(Part<'_, 'f>, &[Rc<str>], &Formats), Rejection> {
        let part = part(&mut self.package, &self.sheet)?.ok_or_else(damaged)?;
        Ok((part, &self.texts, &self.formats))
    }
}

/// The refusal of a part that is needed and cannot be read.
pub(super) fn damaged() -> Rejection {
    unreadable("its contents are damaged")
}

/// The refusal of a `Sheet1` that holds no cells.
pub(super) fn no_worksheet() -> Rejection {
    refuse(ErrorCode::NoSheet, "'Sheet1' is a chart, not a worksheet; rename the sheet with the vehicles to 'Sheet1'.")
}

fn no_sheet(there: &[Entry]) -> Rejection {
    let names: Vec<String> = there.iter().take(5).map(|entry| format!("'{}'", shown(&entry.name))).collect();
    let found = if names.is_empty() { "it has none".to_owned() } else { format!("it has {}", names.join(", ")) };
    refuse(ErrorCode::NoSheet, format!("The workbook has no worksheet named 'Sheet1' ({found}); rename the sheet to 'Sheet1'."))
}

/// A path inside the package: relative to a folder, or from the root when it begins with a slash.
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

/// The name of a part with plain slashes and none in front.
fn tidy(name: &[u8]) -> String {
    String::from_utf8_lossy(name).replace('\\', "/").trim_start_matches('/').to_owned()
}

/// Opens a part whatever the case and slashes of its name; none when there is no such part.
fn part<'p, 'f>(package: &'p mut Package<'f>, path: &str) -> Result<Option<Part<'p, 'f>>, Rejection> {
    let Some(index) = package.file_names_raw().position(|name| tidy(name).eq_ignore_ascii_case(path)) else { return Ok(None) };
    let file = package.by_index(index).map_err(|cause| match cause {
        ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => unreadable("a part of it is locked with a password"),
        _ => unreadable("a part of it is damaged"),
    })?;
    let mut reader = Reader::from_reader(BufReader::with_capacity(64 << 10, file));
    reader.config_mut().check_end_names = false;
    Ok(Some(reader))
}

/// Where the package says that its workbook is, or the part that is called so.
fn workbook_path(package: &mut Package<'_>) -> Result<String, Rejection> {
    let links = relationships(package, "_rels/.rels").unwrap_or_default();
    let said = links.values().find(|link| link.kind.ends_with("/officeDocument")).map(|link| join("", &link.target));
    let is_there = |path: &String| package.file_names_raw().any(|name| tidy(name).eq_ignore_ascii_case(path));
    let path = said.filter(is_there).or_else(|| package.file_names_raw().find(|name| super::package::is_workbook(name)).map(tidy));
    path.ok_or_else(damaged)
}

/// A relationship: the end of its type's address tells what the target is.
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
    let mut xml = part(package, path)?.ok_or_else(damaged)?;
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

/// Calls `take` with each element's start.
fn each_start(xml: &mut Part<'_, '_>, mut take: impl FnMut(&BytesStart<'_>) -> Result<(), Rejection>) -> Result<(), Rejection> {
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        match xml.read_event_into(&mut buffer).map_err(|_| damaged())? {
            Event::Start(start) | Event::Empty(start) => take(&start)?,
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}

/// An attribute by its name without prefix; empty when there is none.
fn attribute(start: &BytesStart<'_>, name: &str) -> Result<String, Rejection> {
    for attribute in start.attributes().with_checks(false) {
        let attribute = attribute.map_err(|_| damaged())?;
        if attribute.key.local_name().as_ref() == name {
            return quick_xml::escape::unescape(attribute.value.as_ref()).map(std::borrow::Cow::into_owned).map_err(|_| damaged());
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
        match xml.read_event_into(&mut buffer).map_err(|_| damaged())? {
            Event::Start(start) if start.local_name().as_ref() == "si" => texts.push(item(&mut xml, "si")?.into()),
            Event::Empty(start) if start.local_name().as_ref() == "si" => texts.push("".into()),
            Event::Empty(start) if start.local_name().as_ref() == "sst" => return Ok(texts),
            Event::End(end) if end.local_name().as_ref() == "sst" => return Ok(texts),
            Event::Eof => return Err(damaged()),
            _ => {}
        }
    }
}

/// Reads a text of one or several runs up to the end of its element; readings beside Japanese text are left out.
pub(super) fn item(xml: &mut Part<'_, '_>, closing: &str) -> Result<String, Rejection> {
    let (mut whole, mut buffer, mut phonetic) = (String::new(), Vec::new(), false);
    loop {
        buffer.clear();
        match xml.read_event_into(&mut buffer).map_err(|_| damaged())? {
            Event::Start(start) => match start.local_name().as_ref() {
                "rPh" => phonetic = true,
                "t" => {
                    let keeps = attribute(&start, "space")? == "preserve";
                    let run = content(xml, "t")?;
                    let run = if keeps { run.as_str() } else { run.trim_matches([' ', '\t', '\r', '\n']) };
                    if !phonetic {
                        whole.push_str(&text::unescaped(run));
                    }
                }
                _ => {}
            },
            Event::End(end) if end.local_name().as_ref() == closing => return Ok(whole),
            Event::End(end) if end.local_name().as_ref() == "rPh" => phonetic = false,
            Event::Eof => return Err(damaged()),
            _ => {}
        }
    }
}

/// Reads the characters up to the end of an element.
pub(super) fn content(xml: &mut Part<'_, '_>, closing: &str) -> Result<String, Rejection> {
    let (mut content, mut buffer) = (String::new(), Vec::new());
    loop {
        buffer.clear();
        match xml.read_event_into(&mut buffer).map_err(|_| damaged())? {
            Event::Text(text) => content.push_str(&text.xml10_content()),
            Event::CData(text) => content.push_str(&text.xml10_content()),
            Event::GeneralRef(entity) => resolve(&entity, &mut content)?,
            Event::End(end) if end.local_name().as_ref() == closing => return Ok(content),
            Event::Eof => return Err(damaged()),
            _ => {}
        }
    }
}

fn resolve(entity: &BytesRef<'_>, content: &mut String) -> Result<(), Rejection> {
    match (resolve_xml_entity(entity.as_ref()), entity.resolve_char_ref()) {
        (Some(text), _) => content.push_str(text),
        (None, Ok(Some(c))) => content.push(c),
        _ => return Err(damaged()),
    }
    Ok(())
}

fn formats(package: &mut Package<'_>, path: &str) -> Result<Formats, Rejection> {
    let (mut codes, mut styles, mut inside) = (HashMap::<u32, String>::new(), Vec::new(), false);
    let Some(mut xml) = part(package, path)? else { return Ok(Formats::default()) };
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        match xml.read_event_into(&mut buffer).map_err(|_| damaged())? {
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
            Event::Eof => return Ok(Formats::of(&styles, &codes)),
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
