const COMPARED = 4

/** VIN with its last four characters in bold, which are the ones that people compare. */
export const Identifier = ({ vin }: { vin: string }) => (
  <span className="mono">
    {vin.slice(0, -COMPARED)}
    <b>{vin.slice(-COMPARED)}</b>
  </span>
)
