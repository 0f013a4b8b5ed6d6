import { campaigns } from './campaigns'
import { common } from './common'
import { imports } from './imports'
import { vehicles } from './vehicles'

/** The product's own mix: English labels, Portuguese messages. */
export const catalogue = { ...common, ...campaigns, ...vehicles, ...imports }

export type Key = keyof typeof catalogue
export type Catalogue = Record<Key, string>
