const LAST = 4

/** A VIN whose last four digits are bold, since people compare those. */
export const VinText = ({ vin }: { vin: string }) => (
  <>
    {vin.slice(0, -LAST)}
    <b>{vin.slice(-LAST)}</b>
  </>
)
