import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib'

const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'

export const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
/** Columns of a campaign workbook. */
export const COLUMNS = ['Campaign', 'Part', 'Description', 'Model Type', 'Model Code', 'Serial Number', 'Parking Space']

/** Returns a workbook with one sheet of these rows, as a file for a file input. */
export const createWorkbookFile = (rows: string[][], sheet?: string) => ({ name: 'campaign.xlsx', mimeType: XLSX, buffer: createWorkbook(rows, sheet) })

/** Returns a minimal workbook with one sheet of text cells. */
export function createWorkbook(rows: string[][], sheet = 'Sheet1'): Buffer {
  return zip({
    '[Content_Types].xml': `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>`,
    '_rels/.rels': `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `${XML}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets><sheet name="${escape(sheet)}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    'xl/worksheets/sheet1.xml': `${XML}<worksheet xmlns="${MAIN}"><sheetData>${rows.map(rowXml).join('')}</sheetData></worksheet>`,
  })
}

function rowXml(cells: string[], row: number): string {
  const xml = cells.map((text, column) => `<c r="${String.fromCharCode(65 + column)}${row + 1}" t="inlineStr"><is><t xml:space="preserve">${escape(text)}</t></is></c>`)
  return `<row r="${row + 1}">${xml.join('')}</row>`
}

/** Returns a ZIP archive with the given files, compressed with deflate. */
function zip(files: Record<string, string>): Buffer {
  const bodies: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [path, text] of Object.entries(files)) {
    const name = Buffer.from(path)
    const content = Buffer.from(text)
    const packed = deflateRawSync(content)
    const facts = Buffer.alloc(26)
    facts.writeUInt16LE(20, 0) // version needed
    facts.writeUInt16LE(8, 4) // deflate
    facts.writeUInt32LE(0x5a21_0000, 6) // a fixed time and date
    facts.writeUInt32LE(crc32(content), 10)
    facts.writeUInt32LE(packed.length, 14)
    facts.writeUInt32LE(content.length, 18)
    facts.writeUInt16LE(name.length, 22)
    const entry = Buffer.alloc(14)
    entry.writeUInt32LE(offset, 10)
    bodies.push(Buffer.from('PK\x03\x04'), facts, name, packed)
    directory.push(Buffer.from('PK\x01\x02\x14\x00'), facts, entry, name)
    offset += 4 + facts.length + name.length + packed.length
  }
  const listing = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06')
  end.writeUInt16LE(Object.keys(files).length, 8)
  end.writeUInt16LE(Object.keys(files).length, 10)
  end.writeUInt32LE(listing.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...bodies, listing, end])
}

/** Reads the files of a ZIP archive through its central directory. */
function unzip(file: Buffer): Map<string, string> {
  const end = file.lastIndexOf('PK\x05\x06')
  const files = new Map<string, string>()
  let entry = file.readUInt32LE(end + 16)
  for (let left = file.readUInt16LE(end + 10); left > 0; left--) {
    const [method, size] = [file.readUInt16LE(entry + 10), file.readUInt32LE(entry + 20)]
    const [name, extra, comment] = [28, 30, 32].map((at) => file.readUInt16LE(entry + at)) as [number, number, number]
    const local = file.readUInt32LE(entry + 42)
    const begin = local + 30 + file.readUInt16LE(local + 26) + file.readUInt16LE(local + 28)
    const content = file.subarray(begin, begin + size)
    files.set(file.toString('utf8', entry + 46, entry + 46 + name), (method === 0 ? content : inflateRawSync(content)).toString())
    entry += 46 + name + extra + comment
  }
  return files
}

const unescape = (text: string) => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')
const textsIn = (xml: string) => unescape([...xml.matchAll(/<t(?: [^>]*)?>([^<]*)<\/t>/g)].map(([, text]) => text).join(''))

/** Reads the sheets of a workbook in order: their names, and their rows of cell texts. */
export function readSheets(file: Buffer): { name: string; rows: string[][] }[] {
  const files = unzip(file)
  const shared = [...(files.get('xl/sharedStrings.xml') ?? '').matchAll(/<si>(.*?)<\/si>/gs)].map(([, xml]) => textsIn(xml ?? ''))
  const cell = (attributes: string, xml: string) => {
    const value = /<v>([^<]*)<\/v>/.exec(xml)?.[1] ?? ''
    return attributes.includes('t="s"') ? (shared[Number(value)] ?? '') : attributes.includes('t="inlineStr"') ? textsIn(xml) : unescape(value)
  }
  const names = [...(files.get('xl/workbook.xml') ?? '').matchAll(/<sheet name="([^"]*)"/g)].map(([, name]) => unescape(name ?? ''))
  return names.map((name, index) => {
    const sheet = files.get(`xl/worksheets/sheet${index + 1}.xml`) ?? ''
    const rows = [...sheet.matchAll(/<row [^>]*?(?:\/>|>(.*?)<\/row>)/gs)].map(([, row]) => [...(row ?? '').matchAll(/<c ([^>]*?)(?:\/>|>(.*?)<\/c>)/gs)].map(([, attributes, xml]) => cell(attributes ?? '', xml ?? '')))
    return { name, rows }
  })
}
