import { useOutbox } from '@/api/outbox'
import { useScanText } from './text'

/** Says that this browser keeps nothing, where one would rely on it. */
export function NoDisk() {
  const t = useScanText()
  return useOutbox().works === false ? <p className="quiet">{t('vehicle.noDisk')}</p> : null
}
