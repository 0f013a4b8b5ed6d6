const COMPARED = 4

/** VIN in a monospace font, with the last four characters in bold, because people compare these characters. */
export const MonospaceVin = ({ vin }: { vin: string }) => (
  <span className="mono">
    {vin.slice(0, -COMPARED)}
    <b>{vin.slice(-COMPARED)}</b>
  </span>
)
