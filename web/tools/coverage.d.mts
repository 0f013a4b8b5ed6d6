/** Whether each run of a test passed, by the test's name in the table. */
export type Outcomes = Map<string, boolean[]>
/** The tests that a table names, and the faults in the table's form. */
export interface Table {
  rows: string[]
  faults: string[]
}
export function readTable(text: string): Table
export function readBrowserOutcomes(report: object): Outcomes
export function readUnitOutcomes(report: object): Outcomes
export function findFaults(table: Table, reports: Outcomes[]): string[]
export function findTestsWithoutAssertion(source: string): string[]
