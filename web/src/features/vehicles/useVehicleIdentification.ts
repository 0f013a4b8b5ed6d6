import { useEffect, useState } from 'react'
import type { ListedVehicle, Vehicle } from '@/api/types'
import { identifiesVehicle, toIdentifierKey, replaceControlCharacters } from '@/lib/identifier'
import { runWhenIdle } from '@/lib/runWhenIdle'
import { containsFullIdentifier, createIdentifierIndex, matchTextToVehicles, type VehicleMatchResult } from '@/lib/match'
import { playScanFeedback, unlockFeedbackSound } from '@/lib/scanFeedback'
import { loadScanner, type MatchGrade } from '@/lib/scanner'
import { chooseScanFeedback } from './scanMatch'
import { useHardwareScanner } from './useHardwareScanner'
import type { InspectionForm } from './useInspectionForm'
import { useVehicleLookup } from './useVehicleLookup'

const MODE = 'entryMode'

/** Manages how the person identifies the vehicle: the camera, a hardware scanner, or typing after a tap on the field or on Manual. `onIdentified` is called after a scan of this vehicle. */
export function useVehicleIdentification(vehicle: Vehicle, { entry, saved, goNow, change }: InspectionForm, onIdentified: () => void) {
  const [manual, setManual] = useState(() => sessionStorage.getItem(MODE) === 'manual' || (entry.identifier !== '' && !entry.scanned))
  const [scanning, setScanning] = useState(false)
  const lookup = useVehicleLookup(vehicle.campaign_id)
  /** Fills the identifier field with a scanned text and plays the sound for a right, wrong or unknown vehicle. */
  const read = (text: string) => {
    setScanning(false)
    if (saved) return goNow()
    const found = lookup.findScanned(text)
    const right = isRight(text, vehicle, found)
    if (right) playScanFeedback(vehicle.inspected ? 'alreadyInspected' : 'matched')
    else playScanFeedback(found === null ? 'otherVehicle' : chooseScanFeedback(found, vehicle.id))
    // A label may contain more than the VIN. When it identifies this vehicle, the VIN itself is entered.
    const entered = right && !identifiesVehicle(text, vehicle.vin_number) ? vehicle.vin_number : replaceControlCharacters(text)
    if (toIdentifierKey(entered) !== '') change({ identifier: entered, scanned: true })
    if (right) onIdentified()
  }
  useHardwareScanner(read)
  useEffect(preloadScannerOnPhone, [])
  return {
    lookup,
    manual,
    scanning,
    read,
    fits: (text: string): MatchGrade => (containsFullIdentifier(text, createIdentifierIndex([vehicle])) ? 'full' : standsFor(text, vehicle) ? 'part' : lookup.fit(text)),
    startScan: () => {
      unlockFeedbackSound()
      setScanning(true)
    },
    stopScan: () => setScanning(false),
    unlock: () => {
      sessionStorage.setItem(MODE, 'manual')
      setScanning(false)
      setManual(true)
    },
  }
}

/** Loads the scanner code in advance on touch devices, once the page is idle. Other devices load the code on the first scan. */
function preloadScannerOnPhone(): void {
  if (window.matchMedia('(pointer: coarse)').matches) runWhenIdle(loadScanner)
}

export type VehicleIdentification = ReturnType<typeof useVehicleIdentification>

const standsFor = (text: string, vehicle: Vehicle): boolean => matchTextToVehicles(text, createIdentifierIndex([vehicle])).kind === 'one'

/**
 * Returns whether a text identifies this vehicle. Any part of the vehicle's VIN does. A longer text must contain the VIN and, once the
 * campaign's list is loaded, match no other vehicle.
 */
const isRight = (text: string, vehicle: Vehicle, found: VehicleMatchResult<ListedVehicle> | null): boolean => {
  if (identifiesVehicle(text, vehicle.vin_number)) return true
  if (found === null || found.kind === 'none') return standsFor(text, vehicle)
  return found.kind === 'one' && found.vehicle.id === vehicle.id
}
