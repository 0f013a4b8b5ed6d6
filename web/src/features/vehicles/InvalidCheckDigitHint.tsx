import { toIdentifierKey } from '@/lib/identifier'
import { hasInvalidCheckDigit } from '@/lib/vin'
import { useInspectionText } from './text'

/** Hint that a VIN may have been misread, because its check digit is invalid. The person can save the VIN in spite of the hint. */
export function InvalidCheckDigitHint({ text }: { text: string }) {
  const t = useInspectionText()
  return hasInvalidCheckDigit(toIdentifierKey(text)) ? <p className="quiet">{t('scan.checkDigit')}</p> : null
}
