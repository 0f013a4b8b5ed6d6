// Prints the names of the workspace's test programs, one a line. Reads the output of `cargo metadata`; the arguments are names to leave out.
import { readFileSync } from 'node:fs'

const { packages } = JSON.parse(readFileSync(0, 'utf8'))
const names = packages.flatMap(({ targets }) => targets).filter(({ kind }) => kind.includes('test')).map(({ name }) => name)
for (const name of new Set(names)) if (!process.argv.includes(name)) console.log(name)
