// Copies the screenshots that the README shows from the results of the last browser test.
import { copyFileSync, mkdirSync } from 'node:fs'

const MADE = new URL('../screens/', import.meta.url)
const KEPT = new URL('../e2e/pictures/', import.meta.url)

mkdirSync(KEPT, { recursive: true })
for (const name of ['vehicle-390.png', 'yards-390.png', 'dashboard-1280.png']) copyFileSync(new URL(name, MADE), new URL(name, KEPT))
