import type { ReactNode } from 'react'
import type { CsvUpdateResult } from '@/api/types'
import { formatCount } from '@/lib/format'
import { ServerWarnings } from '@/ui/ServerWarnings'
import { AffectedValues } from './AffectedValues'
import { ListedCount } from './BulkVehicleTable'
import { ChangedVehicleTable } from './ChangedVehicleTable'
import { PreviewBox, PreviewSummary } from './PreviewBox'
import { useManageText } from './text'

interface CsvPreviewProps {
  isChecking: boolean
  result: CsvUpdateResult | undefined
  /** The button that executes the change, shown between the summary and the vehicles. */
  children: ReactNode
}

/**
 * Preview of a CSV file: the numbers of vehicles, changes and errors, the button that executes the change, and the first vehicles with
 * their values.
 */
export function CsvPreview({ isChecking, result, children }: CsvPreviewProps) {
  const t = useManageText()
  return (
    <PreviewBox>
      {isChecking && <p role="status">{t('bulk.checking')}</p>}
      {!isChecking && result === undefined && <p className="quiet">{t('csv.nothing')}</p>}
      {result && (
        <>
          <PreviewSummary>{t('csv.counts', { n: formatCount(result.vehicles), updated: formatCount(result.updated), errors: formatCount(result.total_errors) })}</PreviewSummary>
          <AffectedValues result={result} />
          <ServerWarnings sentences={result.warnings} />
        </>
      )}
      {children}
      {result && <Vehicles result={result} />}
    </PreviewBox>
  )
}

/** Table of the first vehicles of the file, and how many of all vehicles of the file these are. */
function Vehicles({ result: { vehicles, preview } }: { result: CsvUpdateResult }) {
  return (
    <>
      <ChangedVehicleTable vehicles={preview} />
      {preview.length > 0 && <ListedCount listed={preview.length} total={vehicles} />}
    </>
  )
}
