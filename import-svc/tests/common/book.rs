//! Builder of raw workbooks, so that each detail can be made invalid.
use std::io::{Cursor, Write};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

const MAIN: &str = r#"xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main""#;
const LINKS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// Path of the sheet part.
pub const SHEET: &str = "xl/worksheets/sheet1.xml";
/// Path of the shared strings part.
pub const STRINGS: &str = "xl/sharedStrings.xml";
/// Path of the workbook part.
pub const WORKBOOK: &str = "xl/workbook.xml";

/// A workbook package of named parts.
pub struct Book {
    parts: Vec<(String, Vec<u8>, CompressionMethod)>,
}

impl Book {
    /// Creates a workbook with these rows in `Sheet1`.
    pub fn new(rows: &[&[&str]]) -> Self {
        let data: String = rows.iter().enumerate().map(|(index, cells)| row(index + 1, cells)).collect();
        Self::of_data(&data)
    }

    /// Creates a workbook with this XML inside `sheetData` of `Sheet1`.
    pub fn of_data(data: &str) -> Self {
        let types = concat!(
            r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">"#,
            r#"<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>"#,
            r#"<Default Extension="xml" ContentType="application/xml"/></Types>"#
        );
        let package = "http://schemas.openxmlformats.org/package/2006/relationships";
        let root = format!(
            r#"<Relationships xmlns="{package}"><Relationship Id="rId1" Type="{LINKS}/officeDocument" Target="xl/workbook.xml"/></Relationships>"#
        );
        let links = format!(
            r#"<Relationships xmlns="{package}"><Relationship Id="rId1" Type="{LINKS}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>"#
        );
        let styles = concat!(
            r#"<numFmts count="1"><numFmt numFmtId="164" formatCode="000000"/></numFmts>"#,
            r#"<cellXfs count="6"><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="14"/><xf numFmtId="22"/><xf numFmtId="20"/><xf numFmtId="46"/></cellXfs>"#
        );
        let parts = [
            ("[Content_Types].xml", types.to_owned()),
            ("_rels/.rels", root),
            (WORKBOOK, workbook("Sheet1")),
            ("xl/_rels/workbook.xml.rels", links),
            ("xl/styles.xml", format!("<styleSheet {MAIN}>{styles}</styleSheet>")),
            (SHEET, worksheet(data)),
        ];
        Self { parts: parts.into_iter().map(|(name, xml)| (name.to_owned(), declared(&xml), CompressionMethod::Deflated)).collect() }
    }

    /// Adds or replaces a part.
    pub fn part(mut self, name: &str, content: impl Into<Vec<u8>>) -> Self {
        self.parts.retain(|(known, ..)| known != name);
        self.parts.push((name.to_owned(), content.into(), CompressionMethod::Deflated));
        self
    }

    /// Adds or replaces a part without compression.
    pub fn stored(mut self, name: &str, content: Vec<u8>) -> Self {
        self.parts.push((name.to_owned(), content, CompressionMethod::Stored));
        self
    }

    /// Removes a part.
    pub fn without(mut self, name: &str) -> Self {
        self.parts.retain(|(known, ..)| known != name);
        self
    }

    /// Returns the workbook as file content.
    pub fn bytes(&self) -> Vec<u8> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content, method) in &self.parts {
            zip.start_file(name.as_str(), SimpleFileOptions::default().compression_method(*method)).unwrap();
            zip.write_all(content).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }
}

fn declared(xml: &str) -> Vec<u8> {
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n{xml}").into_bytes()
}

/// Returns the XML of a workbook part with one sheet of this name.
pub fn workbook(sheet: &str) -> String {
    format!(r#"<workbook {MAIN} xmlns:r="{LINKS}"><sheets><sheet name="{sheet}" sheetId="1" r:id="rId1"/></sheets></workbook>"#)
}

/// Returns the XML of a sheet part with these rows.
pub fn worksheet(data: &str) -> String {
    format!("<worksheet {MAIN}><sheetData>{data}</sheetData></worksheet>")
}

/// Returns the XML of one row. Empty cells are omitted.
pub fn row(number: usize, cells: &[&str]) -> String {
    let cells: String = cells.iter().enumerate().map(|(index, text)| cell(index, number, text)).collect();
    format!(r#"<row r="{number}">{cells}</row>"#)
}

fn cell(index: usize, row: usize, text: &str) -> String {
    let place = format!("{}{row}", char::from(b'A' + u8::try_from(index).unwrap()));
    if text.starts_with("<c ") {
        return text.replace("{r}", &place);
    }
    if text.is_empty() {
        return String::new();
    }
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    format!(r#"<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>"#)
}

/// Returns the XML of a number cell with a style of [`Book::of_data`].
pub fn number(value: &str, style: usize) -> String {
    format!(r#"<c r="{{r}}" s="{style}"><v>{value}</v></c>"#)
}
