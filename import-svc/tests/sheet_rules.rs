//! Valid variants of the campaign sheet, and how their cells are read.
use crate::common::{
    FIRST, HEADER,
    book::{Book, SHEET, STRINGS, WORKBOOK, number, row, worksheet},
    read, vehicles, with_rows,
};
use import_svc::template_workbook;

/// Reads a serial number cell and a parking space cell. Returns the stored values.
async fn taken(serial: &str, space: &str) -> [String; 2] {
    let book = read(with_rows(&[&["Pumps", "", "", "", "HB20", serial, space]])).await.unwrap();
    let [_, serial, space] = vehicles(&book).remove(0);
    [serial, space]
}

#[tokio::test]
async fn the_template_imports_as_it_is() {
    let template = template_workbook::build_template_workbook().unwrap();
    assert_eq!(template.name, "patio-campaign-template.xlsx");
    let book = read(template.data).await.unwrap();
    assert_eq!((book.sheet.campaign.as_str(), book.sheet.vehicles), ("Example campaign", 4));
    let spaces: Vec<String> = vehicles(&book).into_iter().map(|[_, _, space]| space).collect();
    assert_eq!(spaces, ["A-2", "A-10", "- 3", "0-7"]);
    assert_eq!(vehicles(&book)[0][1], "000123");
}

#[tokio::test]
async fn the_campaign_comes_from_the_first_row() {
    let rows: [&[&str]; 3] =
        [&FIRST, &["Pumps", "", "Replace it", "", "HB20", "2", "A-3"], &["", "Fuel pump", "", "Hatch", "HB20", "3", "A-4"]];
    let sheet = read(with_rows(&rows)).await.unwrap().sheet;
    assert_eq!([sheet.campaign, sheet.part, sheet.description, sheet.model_type], ["Pumps", "Fuel pump", "Replace it", "Hatch"]);
    assert_eq!(sheet.vehicles, 3);
}

#[tokio::test]
async fn header_names_are_found_whatever_their_case_blanks_and_order() {
    let header = [" parking space", "SERIAL NUMBER\u{a0}", "model  code", "\tCampaign ", "part", "DESCRIPTION"];
    let file = Book::new(&[&header, &["A-2", "000123", "hb20", "Pumps", "Pump", "Replace"]]).bytes();
    let book = read(file).await.unwrap();
    assert_eq!((book.sheet.campaign.as_str(), book.sheet.model_type.as_str()), ("Pumps", ""));
    assert_eq!(vehicles(&book), [["HB20", "000123", "A-2"]]);
}

#[tokio::test]
async fn blank_rows_are_skipped_and_rows_keep_their_numbers() {
    let blank: &[&str] = &[" ", "", "\u{a0}"];
    let bad: &[&str] = &["", "", "", "", "HB20", "", "A-9"];
    let rows: [&[&str]; 5] = [&[], &FIRST, blank, &["", "", "", "", "HB20", "2", "A-3"], &[]];
    assert_eq!(read(with_rows(&rows)).await.unwrap().sheet.vehicles, 2);
    let refused = read(with_rows(&[&FIRST, blank, bad])).await.unwrap_err();
    assert_eq!(refused.rows[0].row, 4);
}

#[tokio::test]
async fn text_cells_keep_leading_zeros_and_lose_invisible_characters() {
    for (written, kept) in [
        ("000123", "000123"),
        (" 000123\u{a0}", "000123"),
        ("\u{feff}0a-1\u{200b}", "0A-1"),
        ("1.10", "1.10"),
        ("1E5", "1E5"),
        ("00_x0007_1\u{2013}2", "001-2"),
    ] {
        assert_eq!(taken(written, "A-1").await[0], kept, "{written:?}");
    }
}

#[tokio::test]
async fn parking_spaces_keep_the_blanks_that_mean_something() {
    for (written, kept) in [
        ("- 3", "- 3"),
        (" - 3", "- 3"),
        ("--", "--"),
        ("0-7", "0-7"),
        ("A-2 ", "A-2"),
        ("=1+1", "=1+1"),
        ("+12", "+12"),
        ("@SUM(A1)", "@SUM(A1)"),
        ("=cmd|'/c calc'!A1", "=cmd|'/c calc'!A1"),
        ("Ç-1", "Ç-1"),
        ("A\u{2013}01", "A-01"),
        ("A\u{2011}02", "A-02"),
        ("A\u{2212}03", "A-03"),
        ("-  3\u{a0}", "- 3"),
        ("<b>&", "<b>&"),
    ] {
        assert_eq!(taken("1", written).await[1], kept, "{written:?}");
    }
}

#[tokio::test]
async fn numbers_are_taken_as_they_are_shown() {
    for (cell, shown) in [
        (number("123", 0), "123"),
        (number("123.0", 0), "123"),
        (number("1.23E2", 0), "123"),
        (number("123", 1), "000123"),
        (number("1234567", 1), "1234567"),
        (number("100000000000000", 0), "100000000000000"),
        (number("0.1", 0), "0.1"),
        (number("-5", 0), "-5"),
        (r#"<c r="{r}" t="n"><v>7</v></c>"#.to_owned(), "7"),
    ] {
        assert_eq!(taken(&cell, "A-1").await[0], shown, "{cell}");
    }
}

#[tokio::test]
async fn dates_times_and_booleans_of_a_description_become_locale_independent_text() {
    for (cell, shown) in [
        (number("45658", 2), "2025-01-01"),
        (number("45658.5", 3), "2025-01-01 12:00:00"),
        (number("0.75", 4), "18:00:00"),
        (number("1.5", 5), "36:00:00"),
        (r#"<c r="{r}" t="d"><v>2025-01-01</v></c>"#.to_owned(), "2025-01-01"),
        (r#"<c r="{r}" t="b"><v>1</v></c>"#.to_owned(), "TRUE"),
        (r#"<c r="{r}" t="b"><v>0</v></c>"#.to_owned(), "FALSE"),
    ] {
        let book = read(with_rows(&[&["Pumps", "", &cell, "", "HB20", "1", "A-1"]])).await.unwrap();
        assert_eq!(book.sheet.description, shown, "{cell}");
    }
}

#[tokio::test]
async fn formulas_are_taken_by_the_value_they_had() {
    for (cell, shown) in [
        (r#"<c r="{r}" t="str"><f>A1&amp;"-2"</f><v>A-2</v></c>"#, "A-2"),
        (r#"<c r="{r}"><f>1+1</f><v>2</v></c>"#, "2"),
        (r#"<c r="{r}"><f t="shared" ref="G2:G3" si="4294967295">1+1</f><v>2</v></c>"#, "2"),
    ] {
        assert_eq!(taken("1", cell).await[1], shown, "{cell}");
    }
    let never_computed = r#"<c r="{r}"><f>1+1</f></c>"#;
    let refused = read(with_rows(&[&["Pumps", "", "", "", "HB20", "1", never_computed]])).await.unwrap_err();
    assert_eq!(refused.rows[0].message, "Parking Space is missing.");
}

#[tokio::test]
async fn shared_rich_and_escaped_texts_are_read() {
    let strings = concat!(
        "<sst count=\"9\" uniqueCount=\"4\"><si><t>Pumps &amp; more</t></si>",
        "<si><r><t>HB</t></r><r><rPr><b/></rPr><t>20</t></r></si>",
        "<si><t><![CDATA[00<1>]]></t></si><si><t>A-2</t><rPh sb=\"0\" eb=\"1\"><t>kana</t></rPh></si></sst>"
    );
    let text = |index: usize| format!(r#"<c r="{{r}}" t="s"><v>{index}</v></c>"#);
    let (name, model, space) = (text(0), text(1), text(3));
    let rows = [row(1, &HEADER), row(2, &[&name, "", "", "", &model, "0001", &space])].concat();
    let book = read(Book::of_data(&rows).part(STRINGS, strings).bytes()).await.unwrap();
    assert_eq!(book.sheet.campaign, "Pumps & more");
    assert_eq!(vehicles(&book), [["HB20", "0001", "A-2"]]);
}

#[tokio::test]
async fn cells_without_places_prefixes_and_byte_order_marks_are_read() {
    let cells = |texts: &[&str]| -> String {
        texts.iter().map(|text| format!("<x:c t=\"inlineStr\"><x:is><x:t>{text}</x:t></x:is></x:c>")).collect()
    };
    let rows = format!("<x:row>{}</x:row><x:row>{}</x:row>", cells(&HEADER), cells(&FIRST));
    let sheet = format!(
        "\u{feff}<x:worksheet xmlns:x=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><x:sheetData>{rows}</x:sheetData></x:worksheet>"
    );
    assert_eq!(vehicles(&read(Book::of_data("").part(SHEET, sheet).bytes()).await.unwrap()), [["HB20", "000123", "A-2"]]);
}

#[tokio::test]
async fn dates_of_the_other_epoch_are_read() {
    let workbook = concat!(
        r#"<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><workbookPr date1904="1"/>"#,
        r#"<sheets><sheet name="Notes" sheetId="2" r:id="rId1"/><sheet name="Sheet1" sheetId="1" state="hidden" r:id="rId1"/></sheets></workbook>"#
    );
    let rows = [row(1, &HEADER), row(2, &["Pumps", "", &number("44196", 2), "", "HB20", "1", "A-1"])].concat();
    let file = Book::of_data("").part(SHEET, worksheet(&rows)).part(WORKBOOK, workbook).bytes();
    let sheet = read(file).await.unwrap().sheet;
    assert_eq!(sheet.description, "2025-01-01");
    assert_eq!(sheet.notes, ["The sheet 'Sheet1' is hidden. Its vehicles were read anyway."]);
}

#[tokio::test]
async fn a_campaign_is_the_same_whatever_its_blanks_and_keeps_its_line_breaks() {
    let rows: [&[&str]; 3] = [
        &["Brakes\u{a0} north", "Hose", "Replace the hose.\r\nThen_x000D__x000A_test it.", "", "HB20", "1", "A\u{2013}1"],
        &["Brakes north", "Hose ", "Replace  the\u{a0}hose.\nThen\ntest it.", "", "HB20", "2", "A\u{2212}2"],
        &["Brakes  north", "", "", "", "HB20", "3", "A-3"],
    ];
    let sheet = read(with_rows(&rows)).await.unwrap().sheet;
    assert_eq!([sheet.campaign.as_str(), sheet.description.as_str()], ["Brakes north", "Replace the hose.\nThen\ntest it."]);
    assert_eq!(sheet.notes, ["Campaign: unusual spaces or characters replaced (1).", "Parking Space: dashes replaced with hyphens (2)."]);
}

#[tokio::test]
async fn unused_parts_may_be_damaged() {
    let workbook = concat!(
        r#"<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>"#,
        r#"<sheet name="Macro1" sheetId="3" r:id="rId9"/><sheet name="Old" sheetId="4" state="odd"/><sheet name="Sheet1" sheetId="1" r:id="rId1"/>"#,
        "</sheets></workbook>"
    );
    let picture = b"a picture of nothing".repeat(40);
    let mut file = Book::new(&[&HEADER, &FIRST])
        .part(WORKBOOK, workbook)
        .part("xl/theme/theme1.xml", "<a:theme><broken")
        .part("docProps/app.xml", "<Properties><broken")
        .part("xl/media/image1.png", picture)
        .bytes();
    let media = file.windows(19).position(|window| window == b"xl/media/image1.png").unwrap();
    file[media + 24] ^= 0x55; // a damaged picture
    assert_eq!(vehicles(&read(file).await.unwrap()), [["HB20", "000123", "A-2"]]);
}

#[tokio::test]
async fn every_bad_cell_of_a_row_is_named() {
    let refused = read(with_rows(&[&["", "", "", "", "H?", r#"<c r="{r}" t="e"><v>#REF!</v></c>"#, ""]])).await.unwrap_err();
    let columns: Vec<&str> = refused.rows.iter().map(|row| row.column.as_str()).collect();
    assert_eq!(columns, ["Serial Number", "Campaign", "Parking Space", "Model Code"]);
    assert_eq!((refused.rows[0].value.as_str(), refused.total_errors), ("#REF!", 4));
}

#[tokio::test]
async fn a_cell_style_is_found_among_the_other_styles_of_a_workbook() {
    let styles = concat!(
        r#"<styleSheet><numFmts count="1"><numFmt numFmtId="164" formatCode="000000"/></numFmts>"#,
        r#"<cellStyleXfs count="1"><xf numFmtId="0"/></cellStyleXfs><cellXfs count="3"><xf numFmtId="0"/>"#,
        r#"<xf numFmtId="0"><alignment vertical="top"/></xf><xf numFmtId="164"/></cellXfs></styleSheet>"#
    );
    let rows = [row(1, &HEADER), row(2, &["Pumps", "", "", "", "HB20", &number("123", 2), "A-1"])].concat();
    let book = read(Book::of_data(&rows).part("xl/styles.xml", styles).bytes()).await.unwrap();
    assert_eq!(vehicles(&book), [["HB20", "000123", "A-1"]]);
}

#[tokio::test]
async fn texts_keep_blanks_between_their_pieces_and_all_their_characters() {
    let strings = concat!(
        r#"<sst count="3" uniqueCount="3"><si><r><t xml:space="preserve">- </t></r><r><rPr><b/></rPr><t>3</t></r></si>"#,
        "<si><t>Troque a pe&#231;a.&#10;Teste.</t></si><si><t><![CDATA[Pumps <1>]]></t></si></sst>"
    );
    let text = |index: usize| format!(r#"<c r="{{r}}" t="s"><v>{index}</v></c>"#);
    let (space, description, name) = (text(0), text(1), text(2));
    let rows = [row(1, &HEADER), row(2, &[&name, "", &description, "", "HB20", "0001", &space])].concat();
    let book = read(Book::of_data(&rows).part(STRINGS, strings).bytes()).await.unwrap();
    assert_eq!([book.sheet.campaign.as_str(), book.sheet.description.as_str()], ["Pumps <1>", "Troque a peça.\nTeste."]);
    assert_eq!(vehicles(&book), [["HB20", "0001", "- 3"]]);
}

#[tokio::test]
async fn empty_and_blank_shared_texts_are_counted_but_do_not_count_as_values() {
    let strings =
        concat!(r#"<sst count="5" uniqueCount="4"><si/><si><t xml:space="preserve"> </t></si>"#, "<si><t/></si><si><t>A-1</t></si></sst>");
    let text = |index: usize| format!(r#"<c r="{{r}}" t="s"><v>{index}</v></c>"#);
    let (nothing, blank, empty, space) = (text(0), text(1), text(2), text(3));
    let rows = [
        row(1, &HEADER),
        row(2, &["Pumps", "", "", "", "HB20", "0001", &space]),
        row(3, &[&blank, "", "", "", &nothing]),
        row(4, &["", &empty]),
    ]
    .concat();
    let book = read(Book::of_data(&rows).part(STRINGS, strings).bytes()).await.unwrap();
    assert_eq!(vehicles(&book), [["HB20", "0001", "A-1"]]);
}

#[tokio::test]
async fn empty_cells_and_rows_are_counted_where_places_are_missing() {
    let cell = |text: &str| {
        if text.is_empty() { r#"<c s="1"/>"#.to_owned() } else { format!(r#"<c t="inlineStr"><is><t>{text}</t></is></c>"#) }
    };
    let cells = |texts: &[&str]| -> String { texts.iter().map(|text| cell(text)).collect() };
    let rows = format!(
        "<row>{}</row><row/><row>{}</row><row r=\"7\">{}</row>",
        cells(&HEADER),
        cells(&["Pumps", "", "", "", "HB20", "1", ""]),
        cells(&["", "", "", "", "HB20", "", "A-2"])
    );
    let refused = read(Book::of_data(&rows).bytes()).await.unwrap_err();
    let wrong: Vec<(i64, &str)> = refused.rows.iter().map(|error| (error.row, error.column.as_str())).collect();
    assert_eq!(wrong, [(3, "Parking Space"), (7, "Serial Number")]);
}

#[tokio::test]
async fn a_parking_space_or_a_campaign_of_invisible_characters_is_missing() {
    for written in ["\u{2060}", "\u{ad}\u{200e}"] {
        let refused = read(with_rows(&[&["Pumps", "", "", "", "HB20", "1", written]])).await.unwrap_err();
        assert_eq!(refused.rows[0].message, "Parking Space is missing.", "{written:?}");
        let refused = read(with_rows(&[&[written, "", "", "", "HB20", "1", "A-1"]])).await.unwrap_err();
        assert_eq!(refused.rows[0].message, "Campaign is missing in the first row.", "{written:?}");
        let later = with_rows(&[&["Pumps", "", "", "", "HB20", "1", "A-1"], &[written, "", "", "", "HB20", "2", "A-2"]]);
        assert_eq!(vehicles(&read(later).await.unwrap()).len(), 2, "only the first row needs the campaign");
    }
}

#[tokio::test]
async fn a_value_in_a_column_without_a_name_is_reported_with_its_row() {
    for column in ["H", "BM"] {
        let value = format!(r#"<row r="3"><c r="{column}3" t="inlineStr"><is><t>?</t></is></c></row>"#);
        let refused = read(Book::of_data(&[row(1, &HEADER), row(2, &FIRST), value].concat()).bytes()).await.unwrap_err();
        assert_eq!((refused.code, refused.rows[0].row, refused.rows[0].column.as_str()), (56, 3, column));
    }
}

#[tokio::test]
async fn a_formula_with_an_empty_value_is_an_empty_cell() {
    for value in ["<v></v>", "<v/>"] {
        let formula = format!(r#"<c r="{{r}}"><f>A1</f>{value}</c>"#);
        let book = read(with_rows(&[&["Pumps", "", &formula, "", "HB20", "1", "A-1"]])).await.unwrap();
        assert_eq!(book.sheet.description, "", "{value}");
    }
}
