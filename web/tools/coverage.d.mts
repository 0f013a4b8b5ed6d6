/** Whether each run of a test passed, by the name that the table gives it. */
export type Outcomes = Map<string, boolean[]>
export function readTable(text: string): { rows: string[]; faults: string[] }
export function outcomesOfBrowser(report: object): Outcomes
export function outcomesOfUnits(report: object): Outcomes
export function faultsOf(table: string, reports: Outcomes[]): string[]
export function emptyTests(source: string): string[]
