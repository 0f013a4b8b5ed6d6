/** Whether each run of a test passed, by the name of the test as the table writes it. */
export type Outcomes = Map<string, boolean[]>
/** The tests that a coverage table names, and the errors in the form of the table. */
export interface Table {
  rows: string[]
  faults: string[]
}
export function readTable(text: string): Table
export function readBrowserOutcomes(report: object): Outcomes
export function readUnitOutcomes(report: object): Outcomes
export function findFaults(table: Table, reports: Outcomes[]): string[]
export function findTestsWithoutAssertion(source: string): string[]
