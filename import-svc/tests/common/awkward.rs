//! Files that must be rejected, each with its error code and a part of the expected message.
use super::{
    FIRST, HEADER,
    book::{Book, SHEET, STRINGS, WORKBOOK, number, row, workbook, worksheet},
    good, with_rows,
};

/// A file that must be rejected.
pub struct Awkward {
    pub name: &'static str,
    pub file: Vec<u8>,
    pub code: i32,
    pub words: &'static str,
}

fn awkward(name: &'static str, file: Vec<u8>, code: i32, words: &'static str) -> Awkward {
    Awkward { name, file, code, words }
}

/// Returns all files that must be rejected.
pub fn files() -> Vec<Awkward> {
    [no_workbooks(), damaged(), hostile(), wrong_sheets(), wrong_columns(), wrong_places(), wrong_campaigns(), wrong_rows()]
        .into_iter()
        .flatten()
        .collect()
}

fn plain() -> Book {
    Book::new(&[&HEADER, &FIRST])
}

fn no_workbooks() -> Vec<Awkward> {
    let csv = b"Campaign;Part;Description;Model Code;Serial Number;Parking Space\n".to_vec();
    let ole = [&b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"[..], &[0; 4096]].concat();
    let other = |part: &str, text: &str| plain().without(WORKBOOK).part(part, text).bytes();
    vec![
        awkward("an empty file", Vec::new(), 51, "empty"),
        awkward("a CSV file renamed", csv, 53, "Only .xlsx"),
        awkward("an older workbook renamed", ole, 53, "an .xls file"),
        awkward("a page renamed", b"<html><table><tr><td>Campaign</td></tr></table></html>".to_vec(), 53, "Only .xlsx"),
        awkward("two bytes of a package", b"PK".to_vec(), 53, "Only .xlsx"),
        awkward("a text document", other("word/document.xml", "<document/>"), 53, "not a spreadsheet"),
        awkward("an open document", other("content.xml", "<office/>"), 53, "not a spreadsheet"),
        awkward("a binary workbook", other("xl/workbook.bin", "\u{1}\u{2}"), 53, "not a spreadsheet"),
    ]
}

fn damaged() -> Vec<Awkward> {
    let whole = good("Damaged", 200);
    let middle = whole.len() / 2;
    let cut = |left: usize| whole[..left].to_vec();
    let mut flipped = plain().bytes();
    let sheet = position(&flipped, SHEET.as_bytes()) + SHEET.len();
    flipped[sheet + 20] ^= 0x55;
    vec![
        awkward("the first half of a file", cut(middle), 51, "not complete"),
        awkward("all but the last bytes", cut(whole.len() - 30), 51, "not complete"),
        awkward("a flipped byte", flipped, 51, "damaged"),
        awkward("a locked part", patched(plain().bytes(), 6, 8, &[1, 0]), 51, "locked"),
        awkward("an unknown compression", patched(plain().bytes(), 8, 10, &[77, 0]), 51, "damaged"),
        awkward("no sheet part", plain().without(SHEET).bytes(), 51, "damaged"),
        awkward("XML that does not close", plain().part(SHEET, r#"<worksheet><sheetData><row r="1"><c r="A1""#).bytes(), 51, "damaged"),
        awkward("tags that cross", plain().part(SHEET, worksheet(r#"<row r="1"><c r="A1"></row></c>"#)).bytes(), 56, "Missing"),
        awkward("a text that is not there", changed(5, r#"<c r="{r}" t="s"><v>7</v></c>"#), 57, "is missing in the workbook"),
        awkward("a text before the first", changed(6, r#"<c r="{r}" t="s"><v>-1</v></c>"#), 57, "is missing in the workbook"),
        awkward("a cell of no known kind", changed(5, r#"<c r="{r}" t="zz"><v>7</v></c>"#), 57, "unknown type"),
        awkward("bytes that are no text", not_utf8(), 51, "damaged"),
        awkward("a place that is none", with_rows(&[&[r#"<c r="4294967296A99999999999"><v>7</v></c>"#]]), 51, "damaged"),
        awkward("rows out of order", Book::of_data(&format!("{}{}", row(2, &FIRST), row(1, &HEADER))).bytes(), 56, "Missing"),
        awkward(
            "a row that comes back",
            Book::of_data(&[row(1, &HEADER), row(3, &FIRST), row(2, &FIRST)].concat()).bytes(),
            51,
            "out of order",
        ),
    ]
}

fn hostile() -> Vec<Awkward> {
    let laughs = r#"<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>"#;
    let outside = r#"<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>"#;
    let strings = |count: &str| format!(r#"<sst count="1" uniqueCount="{count}"><si><t>a</t></si></sst>"#);
    let spread = |bytes: usize| format!("<worksheet><sheetData>{}</sheetData></worksheet>", "<row></row>".repeat(bytes / 11));
    let bomb = plain().part(SHEET, spread(300 << 20)).bytes();
    let many = (0..2_000).fold(plain(), |book, index| book.stored(&format!("xl/media/{index}"), Vec::new()));
    let texts = format!("<sst>{}</sst>", "<si><t></t></si>".repeat((33 << 20) / 16));
    vec![
        awkward("300 MiB of rows", bomb.clone(), 51, "256 MiB"),
        awkward("300 MiB that claim to be less", claiming_less(bomb), 51, "cannot be read"),
        awkward("thousands of parts", many.bytes(), 51, "more parts"),
        awkward("four billion texts", plain().part(STRINGS, strings("4294967295")).bytes(), 51, "list of texts is damaged"),
        awkward(
            "more texts than numbers have digits",
            plain().part(STRINGS, strings("99999999999999999999")).bytes(),
            51,
            "list of texts is damaged",
        ),
        awkward("33 MiB of texts", plain().part(STRINGS, texts).bytes(), 51, "32 MiB"),
        awkward(
            "entities that grow",
            plain().part(SHEET, format!("{laughs}{}", worksheet(&row(1, &["<c r=\"A1\" t=\"str\"><v>&b;</v></c>"])))).bytes(),
            51,
            "document type",
        ),
        awkward(
            "an entity from outside",
            plain().part(STRINGS, format!("{outside}<sst><si><t>&a;</t></si></sst>")).bytes(),
            51,
            "document type",
        ),
        awkward("an entity nobody declared", with_rows(&[&[r#"<c r="{r}" t="str"><v>&nobody;</v></c>"#]]), 51, "damaged"),
        awkward("a cell of two million characters", with_rows(&[&[&"x".repeat(2 << 20)]]), 51, "longer than any"),
        awkward(
            "a comment of 100 MiB",
            plain().part(SHEET, format!("<worksheet><!--{}--></worksheet>", "<".repeat(100 << 20))).bytes(),
            51,
            "cannot be read",
        ),
    ]
}

fn wrong_sheets() -> Vec<Awkward> {
    let named = |name: &str| plain().part(WORKBOOK, workbook(name)).bytes();
    vec![
        awkward("a sheet of another name", named("Plan1"), 50, "'Plan1'"),
        awkward("a sheet in small letters", named("sheet1"), 50, "Rename the sheet to 'Sheet1'"),
        awkward("a sheet with a blank behind", named("Sheet1 "), 50, "Rename"),
        awkward("no sheet", plain().part(WORKBOOK, "<workbook><sheets></sheets></workbook>").bytes(), 50, "none"),
        awkward("a chart", plain().part(SHEET, "<chartsheet><sheetViews></sheetViews></chartsheet>").bytes(), 50, "chart"),
    ]
}

fn wrong_columns() -> Vec<Awkward> {
    let header = |names: &[&str]| Book::new(&[names, &FIRST]).bytes();
    let mut twice = HEADER;
    twice[3] = "part";
    let far_name = r#"<c r="BM1" t="inlineStr"><is><t>Colour</t></is></c></row>"#;
    let named_far_right = Book::of_data(&format!("{}{}", row(1, &HEADER).replace("</row>", far_name), row(2, &FIRST))).bytes();
    let merged = ["Campaign", "Part", "", "Model Type", "Model Code", "Serial Number", "Parking Space"];
    vec![
        awkward("a missing column", header(&HEADER[..6]), 56, "Missing: Parking Space"),
        awkward("two missing columns", header(&HEADER[2..]), 56, "Missing: Campaign, Part"),
        awkward("an excess column", header(&[&HEADER[..], &["Colour"]].concat()), 56, "Not expected: Colour"),
        awkward("a column that comes twice", header(&twice), 56, "Part (twice)"),
        awkward("a merged header", header(&merged), 56, "Missing: Description"),
        awkward("nothing at all", Book::of_data("").bytes(), 56, "Missing: Campaign"),
        awkward("a header in row 2", Book::of_data(&format!("{}{}", row(2, &HEADER), row(3, &FIRST))).bytes(), 56, "Missing"),
        awkward("a name right of the last usable column", named_far_right, 56, "Not expected: Colour"),
        awkward("a value below no name", with_rows(&[&[&FIRST[..], &["?"]].concat()]), 56, "H (no name)"),
    ]
}

fn wrong_places() -> Vec<Awkward> {
    let far = |place: &str| {
        let cell = format!(r#"<c r="{place}" t="inlineStr"><is><t>x</t></is></c>"#);
        Book::of_data(&format!("{}{}<row r=\"1048576\">{cell}</row>", row(1, &HEADER), row(2, &FIRST))).bytes()
    };
    vec![
        awkward("the farthest corner", far("XFD1048576"), 56, "XFD (no name)"),
        awkward("the last row", far("A1048576"), 57, "row 1048576"),
        awkward("only a header", Book::new(&[&HEADER]).bytes(), 55, "no vehicles"),
        awkward("only a header and blanks", with_rows(&[&["  ", "\u{a0}"], &[], &["", "", "\t"]]), 55, "no vehicles"),
    ]
}

fn changed(column: usize, value: &str) -> Vec<u8> {
    let mut cells = FIRST;
    cells[column] = value;
    with_rows(&[&cells])
}

fn wrong_campaigns() -> Vec<Awkward> {
    let second = |column: usize, value: &str| {
        let mut cells = ["", "", "", "", "HB20", "000124", "A-3"];
        cells[column] = value;
        with_rows(&[&FIRST, &cells])
    };
    vec![
        awkward("a campaign without a name", changed(0, ""), 57, "Campaign is missing in the first row."),
        awkward("a name of 121 characters", changed(0, &"n".repeat(121)), 57, "more than 120"),
        awkward("a part of 121 characters", changed(1, &"p".repeat(121)), 57, "more than 120"),
        awkward("a description of 2,001 characters", changed(2, &"d".repeat(2_001)), 57, "more than 2000"),
        awkward("two campaigns", second(0, "Brakes"), 57, "differs from the first row"),
        awkward("two parts", second(1, "Brake"), 57, "differs from the first row"),
    ]
}

fn wrong_rows() -> Vec<Awkward> {
    let twice = |serial: &str| with_rows(&[&FIRST, &["", "", "", "", "hb20", serial, "B-9"]]);
    let digits = number("1234567890123456", 0);
    vec![
        awkward("no model code", changed(4, ""), 57, "Model Code is missing."),
        awkward("no serial number", changed(5, "\u{a0}"), 57, "Serial Number is missing."),
        awkward("no parking space", changed(6, ""), 57, "Parking Space is missing."),
        awkward("a serial number of 41 characters", changed(5, &"9".repeat(41)), 57, "more than 40"),
        awkward("a space of 41 characters", changed(6, &"A".repeat(41)), 57, "at most 40"),
        awkward("a model code with a blank inside", changed(4, "HB 20"), 57, "Model Code has the character"),
        awkward("a formula as a model code", changed(4, "=cmd|'/c calc'!A1"), 57, "Model Code has the character"),
        awkward("an error cell", changed(5, r#"<c r="{r}" t="e"><v>#N/A</v></c>"#), 57, "#N/A"),
        awkward("an error of newer programs", changed(2, r#"<c r="{r}" t="e"><v>#SPILL!</v></c>"#), 57, "#SPILL!"),
        awkward("an error nobody knows", changed(5, r#"<c r="{r}" t="e"><v>#PATIO!</v></c>"#), 57, "#PATIO!"),
        awkward("a date as a serial number", changed(5, &number("46082", 2)), 57, "Excel turned this into a date"),
        awkward("a date as a parking space", changed(6, &number("46082", 3)), 57, "Excel turned this into a date"),
        awkward("a date of the standard", changed(5, r#"<c r="{r}" t="d"><v>2025-01-01</v></c>"#), 57, "Excel turned this into a date"),
        awkward("a time as a model code", changed(4, &number("0.75", 4)), 57, "Excel turned this into a date"),
        awkward("a length of time as a space", changed(6, &number("1.5", 5)), 57, "Excel turned this into a time"),
        awkward(
            "a truth value as a model code",
            changed(4, r#"<c r="{r}" t="b"><v>1</v></c>"#),
            57,
            "Excel turned this into TRUE or FALSE",
        ),
        awkward("a truth value as a space", changed(6, r#"<c r="{r}" t="b"><v>0</v></c>"#), 57, "Excel turned this into TRUE or FALSE"),
        awkward("a space that is the text of a date", changed(6, "01/mar"), 57, "is a date or a time"),
        awkward("a number that lost digits", changed(5, &digits), 57, "more than 15 digits"),
        awkward("a date that does not exist", changed(5, &number("99999999", 2)), 57, "date that does not exist"),
        awkward("the same vehicle twice", twice("000123"), 57, "Same vehicle as in row 2."),
        awkward("the same vehicle, spelled otherwise", twice("000-123"), 57, "Same vehicle as in row 2."),
    ]
}

fn not_utf8() -> Vec<u8> {
    let sheet = worksheet(&[row(1, &HEADER), row(2, &FIRST)].concat()).into_bytes();
    let at = position(&sheet, b"HB20");
    plain().part(SHEET, [&sheet[..at], b"\xff\xfe", &sheet[at..]].concat()).bytes()
}

fn position(bytes: &[u8], what: &[u8]) -> usize {
    bytes.windows(what.len()).position(|window| window == what).unwrap()
}

/// Overwrites bytes in every header of a zip package: at offset `local` in local headers, at `central` in the directory.
fn patched(mut file: Vec<u8>, local: usize, central: usize, bytes: &[u8]) -> Vec<u8> {
    for (magic, offset) in [(b"PK\x03\x04", local), (b"PK\x01\x02", central)] {
        let places: Vec<usize> = file.windows(4).enumerate().filter(|(_, window)| window == magic).map(|(at, _)| at).collect();
        for place in places {
            file[place + offset..place + offset + bytes.len()].copy_from_slice(bytes);
        }
    }
    file
}

fn claiming_less(file: Vec<u8>) -> Vec<u8> {
    patched(file, 22, 24, &[0, 4, 0, 0])
}
