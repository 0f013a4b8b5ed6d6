import { keyOf } from '@/lib/identifier'
import { lacksCheckDigit } from '@/lib/vin'
import { useScanText } from './text'

/** A hint that a VIN may have been misread; never a reason to refuse it. */
export function CheckDigit({ text }: { text: string }) {
  const t = useScanText()
  return lacksCheckDigit(keyOf(text)) ? <p className="quiet">{t('scan.checkDigit')}</p> : null
}
