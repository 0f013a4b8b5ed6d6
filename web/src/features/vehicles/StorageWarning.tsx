import { useStorageProblem } from '@/offline/outbox'
import { useInspectionText } from './text'

/** Warning that this browser cannot store data, so saving offline is not possible. */
export function StorageWarning() {
  const t = useInspectionText()
  const problem = useStorageProblem()
  return problem === null ? null : <p className="quiet">{t(problem === 'outdated' ? 'problem.outdated' : 'vehicle.noDisk')}</p>
}
