const SHAPES = {
  day: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4',
  night: 'M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10z',
  contrast: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM12 3.5v17M14.5 6v12M17 7.5v9',
  split: 'M4 8h11M12 5l3 3-3 3M20 16H9M12 13l-3 3 3 3',
  back: 'M15 5l-7 7 7 7',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6L6 18',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM20 20l-4-4',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  'double-check': 'M2.5 13l4 4L14 8.5M11 15.5l1.5 1.5L21 8.5',
  cross: 'M6.5 6.5l11 11M17.5 6.5l-11 11',
  spanner: 'M20 7.5a5 5 0 0 1-6.8 4.7L7 18.5a2 2 0 0 1-2.9-2.9l6.3-6.2A5 5 0 0 1 16.5 4l-2.7 2.7 2.5 2.5L19 6.5z',
  question: 'M8.5 9a3.5 3.5 0 1 1 5 3.2c-1 .5-1.5 1.2-1.5 2.3M12 18v.2',
  arrow: 'M4 12h14M13 6.5l5.5 5.5-5.5 5.5',
  bar: 'M5 12h14',
  ring: 'M12 6a6 6 0 1 0 0 12 6 6 0 0 0 0-12z',
  upload: 'M12 16V5M7 9.5L12 4.5l5 5M5 19.5h14',
  download: 'M12 4v11M7 10.5l5 5 5-5M5 19.5h14',
  print: 'M7 9V4h10v5M7 17H4V9h16v8h-3M7 14h10v6H7z',
  list: 'M9 6h11M9 12h11M9 18h11M4.5 6h.1M4.5 12h.1M4.5 18h.1',
  home: 'M4 11l8-7 8 7M6.5 9.5V20h11V9.5',
  grid: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z',
  people: 'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3 20a6 6 0 0 1 12 0M16 4.5a3.5 3.5 0 0 1 0 6.5M17.5 14.5A6 6 0 0 1 21 20',
  person: 'M12 11.5a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20.5a7.5 7.5 0 0 1 15 0',
  phone: 'M8 3h8a1.5 1.5 0 0 1 1.5 1.5v15A1.5 1.5 0 0 1 16 21H8a1.5 1.5 0 0 1-1.5-1.5v-15A1.5 1.5 0 0 1 8 3zM11 17.8h2',
  log: 'M6 3.5h9l4 4V20.5H6zM9 12h7M9 16h7M9 8h3',
  out: 'M14 4H5v16h9M10 12h10M16 8l4 4-4 4',
  shield: 'M12 3.5l7 3v5c0 4.5-3 7.5-7 9-4-1.5-7-4.5-7-9v-5z',
  sheet: 'M5 4h14v16H5zM5 9h14M5 14.5h14M11 9v11',
  play: 'M8 5l11 7-11 7z',
  eye: 'M2.5 12s3.5-6.5 9.5-6.5 9.5 6.5 9.5 6.5-3.5 6.5-9.5 6.5S2.5 12 2.5 12zM12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z',
  keyboard: 'M3 7h18v10H3zM7 10.5h.1M10.5 10.5h.1M14 10.5h.1M17.5 10.5h.1M8 14h8',
  warning: 'M12 4L2.5 20h19zM12 10v4.5M12 17.3v.2',
  info: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM12 11v5M12 8v.1',
  pencil: 'M4 20l1-4L16 5l3 3L8 19zM14 7l3 3',
  plus: 'M12 5v14M5 12h14',
  trash: 'M4.5 7h15M9 7V4.5h6V7M6.5 7l1 13h9l1-13M10.5 11v5.5M13.5 11v5.5',
  code: 'M8.5 7L3.5 12l5 5M15.5 7l5 5-5 5',
  unlock: 'M6 11h12v9H6zM9 11V7.5a3.3 3.3 0 0 1 6.4-1.2M12 14.5v2',
  undo: 'M8.5 5.5L4 10l4.5 4.5M4 10h10a5.5 5.5 0 0 1 0 11h-3',
  scan: 'M4 8V5.5A1.5 1.5 0 0 1 5.5 4H8M16 4h2.5A1.5 1.5 0 0 1 20 5.5V8M20 16v2.5a1.5 1.5 0 0 1-1.5 1.5H16M8 20H5.5A1.5 1.5 0 0 1 4 18.5V16M8 8.5v7M11 8.5v7M13.5 8.5v7M16 8.5v7',
  camera: 'M4 17.5v-9A1.5 1.5 0 0 1 5.5 7H8.5l1.8-2.5h3.4L15.5 7h3A1.5 1.5 0 0 1 20 8.5v9a1.5 1.5 0 0 1-1.5 1.5h-13A1.5 1.5 0 0 1 4 17.5zM12 9.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7z',
  'camera-off': 'M9.5 6l.8-1.5h3.4L15 7h3.5A1.5 1.5 0 0 1 20 8.5V16M17 19H5.5A1.5 1.5 0 0 1 4 17.5v-9A1.5 1.5 0 0 1 5.5 7H6M9.3 10.8a3.5 3.5 0 0 0 4.9 4.9M3.5 3.5l17 17',
  torch: 'M13 3L6 13.5h5L10 21l8-11h-5.5z',
  'zoom-in': 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM20 20l-4.7-4.7M10.5 7.8v5.4M7.8 10.5h5.4',
  'zoom-out': 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM20 20l-4.7-4.7M7.8 10.5h5.4',
  right: 'M9.5 5.5L16 12l-6.5 6.5',
  down: 'M5.5 9.5L12 16l6.5-6.5',
} as const

export type IconName = keyof typeof SHAPES

export function Icon({ name, size = 24 }: { name: IconName; size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth={2} strokeLinecap="round" strokeLinejoin="round" aria-hidden="true" focusable="false">
      <path d={SHAPES[name]} />
    </svg>
  )
}
