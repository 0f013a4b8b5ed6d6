// Copies the pictures that the README shows from what the browser test has just made.
import { copyFileSync, mkdirSync } from 'node:fs'

const MADE = new URL('../screens/', import.meta.url)
const KEPT = new URL('../e2e/pictures/', import.meta.url)

mkdirSync(KEPT, { recursive: true })
for (const name of ['vehicle-390.png', 'yards-390.png']) copyFileSync(new URL(name, MADE), new URL(name, KEPT))
