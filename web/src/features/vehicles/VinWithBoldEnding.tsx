const LAST = 4

/** VIN with its last four characters in bold, because people compare these characters. */
export const VinWithBoldEnding = ({ vin }: { vin: string }) => (
  <>
    {vin.slice(0, -LAST)}
    <b>{vin.slice(-LAST)}</b>
  </>
)
