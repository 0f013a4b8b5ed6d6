import { expect, test } from 'vitest'
import type { Language } from '.'

interface FeatureTexts {
  catalogues: Record<Language, Record<string, string>>
}
const features = Object.entries(import.meta.glob<FeatureTexts>(['../../features/**/*{t,T}ext.ts', '../../ui/{ConfirmSaveWithoutStatusDialog,VehicleMismatchQuestion}.tsx', '../../ui/{PrintedRangeLine,SessionList}.tsx', '../../ui/TimelineText.ts', '../../app/desktop/text.ts', '../../app/SignOutButton.tsx'], { eager: true }))
const holes = (text: string | undefined) => [...new Set([...(text ?? '').matchAll(/\{(\w+)[|}]/g)].map(([, name]) => name))].toSorted().join()

test('there are features with texts of their own', () => {
  expect(features.length).toBeGreaterThan(0)
})

test.each(features)('%s fills the same holes in every language', (_, { catalogues }) => {
  const keys = Object.keys(catalogues.default)
  const differing = keys.filter((key) => [catalogues.en, catalogues['pt-BR']].some((catalogue) => holes(catalogue[key]) !== holes(catalogues.default[key])))
  expect(differing).toEqual([])
})

test.each(features)('%s has no Portuguese letters in full English', (_, { catalogues }) => {
  expect(Object.entries(catalogues.en).filter(([, text]) => /[ãõçáéíóúâêô]/i.test(text))).toEqual([])
})
