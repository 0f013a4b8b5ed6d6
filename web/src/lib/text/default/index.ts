import { campaigns } from './campaigns'
import { common } from './common'
import { imports } from './imports'
import { vehicles } from './vehicles'

/** Default catalogue of SPEC.md: English labels with Portuguese messages. */
export const catalogue = { ...common, ...campaigns, ...vehicles, ...imports }

export type TextKey = keyof typeof catalogue
export type Catalogue = Record<TextKey, string>
