import { campaignTexts } from './campaigns'
import { commonTexts } from './common'
import { importTexts } from './imports'
import { vehicleTexts } from './vehicles'

/** Default text catalogue, with the texts of the product specification: English labels and Portuguese messages. */
export const catalogue = { ...commonTexts, ...campaignTexts, ...vehicleTexts, ...importTexts }

export type TextKey = keyof typeof catalogue
export type Catalogue = Record<TextKey, string>
