import { isYardWithoutName } from '@/lib/yards'
import type { useCampaignsText } from './text'

/** Returns the name of a yard in a sentence, such as 'Yard B'. The group '-' is called 'no yard (-)', because it is not a yard. */
export const nameYard = (t: ReturnType<typeof useCampaignsText>, name: string): string =>
  isYardWithoutName(name) ? t('yard.unnamed') : t('yard.named', { name })
