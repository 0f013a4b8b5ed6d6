import { campaignTexts } from './campaigns'
import { commonTexts } from './common'
import { vehicleTexts } from './vehicles'

/** Default text catalogue, with the texts of the product specification: English labels and Portuguese messages. */
export const catalogue = { ...commonTexts, ...campaignTexts, ...vehicleTexts }

export type TextKey = keyof typeof catalogue
export type Catalogue = Record<TextKey, string>
