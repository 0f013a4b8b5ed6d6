import type { ReactNode } from 'react'
import { MonospaceVin } from '@/ui/MonospaceVin'
import { ParkingSpaceSign } from '@/ui/ParkingSpaceSign'
import styles from './OutboxLayout.module.css'

interface Part {
  children: ReactNode
}

/** Section of the 'Offline' page with a heading. */
export const OutboxSection = ({ title, children }: Part & { title: string }) => (
  <section className={styles.section} aria-label={title}>
    <h2>{title}</h2>
    {children}
  </section>
)

export const OutboxCardList = ({ children }: Part) => <ul className={styles.list}>{children}</ul>

/** List item with the card for one save (an inspection stored on this device). The card of a rejected save has a red border. */
export const OutboxCard = ({ isRefused, children }: Part & { isRefused?: boolean }) => (
  <li className={styles.card} data-refused={isRefused || undefined}>{children}</li>
)

/** First line of a save's card: the parking space and the VIN of the vehicle, and the state of the save as a coloured label. */
export const OutboxCardHeader = ({ space, vin, state, text }: { space: string; vin: string; state: 'waiting' | 'sending' | 'refused' | 'done'; text: string }) => (
  <div className={styles.head}>
    <OutboxCardVehicle space={space} vin={vin} />
    <span className={styles[state]}>{text}</span>
  </div>
)

/** Parking space and VIN of a vehicle. The space is left out while it is unknown. */
export const OutboxCardVehicle = ({ space, vin }: { space: string | undefined; vin: string }) => (
  <span className={styles.vehicle}>
    {space && <ParkingSpaceSign space={space} size="small" />}
    <MonospaceVin vin={vin} />
  </span>
)

/** Line of a save's card that states why the save was rejected. */
export const OutboxCardErrorText = ({ children }: Part) => <p className={styles.reason}>{children}</p>

/** Row of buttons at the foot of a save's card. */
export const OutboxCardActions = ({ children }: Part) => <div className={styles.actions}>{children}</div>
