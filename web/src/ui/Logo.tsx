/** Logo of the product, a stylized letter P, drawn in the current text colour. */
export function Logo({ size = 32 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" fill="none" stroke="currentColor" strokeLinecap="round" strokeLinejoin="round" aria-hidden="true" focusable="false">
      <path d="M9 27V5h8.5a6.5 6.5 0 0 1 0 13H13v9" strokeWidth="3.4" />
      <path d="M19 27h4" strokeWidth="3.4" opacity=".7" />
    </svg>
  )
}

/** Neutral placeholder for the logo of the client company. */
export function ClientLogo() {
  return (
    <svg width="30" height="30" viewBox="0 0 30 30" fill="none" stroke="currentColor" strokeWidth="2" strokeLinecap="round" strokeLinejoin="round" aria-hidden="true" focusable="false">
      <path d="M5 18v-3.5L8 9h14l3 5.5V18M3.5 18h23v4h-23zM7 22v2.5M23 22v2.5M9 18h.1M21 18h.1M5.5 14.5h19" />
    </svg>
  )
}
