import type { ReactNode } from 'react'
import styles from './icon.module.css'

/** The signs of buttons and places, in a square of 16, filled with the colour of the text. */
const PATHS = {
  'half-disc': 'M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1m0 2v10A5 5 0 0 0 8 3z',
  sun:
    'M8 4.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7M7 0h2v3H7zm0 13h2v3H7zM0 7h3v2H0zm13 0h3v2h-3z' +
    'M1.7 3.1 3.1 1.7l2 2-1.4 1.4zm9.2 9.2 1.4-1.4 2 2-1.4 1.4zM3.1 14.3l-1.4-1.4 2-2 1.4 1.4z' +
    'M12.3 5.1l-1.4-1.4 2-2 1.4 1.4z',
  moon: 'M9 .5a7.5 7.5 0 1 0 6.2 11.7A6.5 6.5 0 0 1 9 .5',
  expand: 'M1 1h5v2H3v3H1zm9 0h5v5h-2V3h-3zM1 10h2v3h3v2H1zm12 0h2v5h-5v-2h3z',
  compress: 'M4 1h2v5H1V4h3zm6 0h2v3h3v2h-5zM1 10h5v5H4v-3H1zm9 0h5v2h-3v3h-2z',
  dots: 'M8 1a2 2 0 1 0 0 4 2 2 0 0 0 0-4m0 5a2 2 0 1 0 0 4 2 2 0 0 0 0-4m0 5a2 2 0 1 0 0 4 2 2 0 0 0 0-4',
  search: 'M6.5 0a6.5 6.5 0 1 0 3.8 11.8l4 4 1.5-1.5-4-4A6.5 6.5 0 0 0 6.5 0m0 2.5a4 4 0 1 1 0 8 4 4 0 0 1 0-8',
  play: 'M2 1v14l12-7z',
  pause: 'M1.5 1h5v14h-5zm8 0h5v14h-5z',
  print: 'M3 0h8l2 2v4H3zM1 7h14v6h-2v-2H3v2H1zm3 5h8v4H4z',
  copy: 'M6 0h6l3 3v9H6zM1 4h3v10h8v2H1z',
  check: 'M5.5 13.7.5 8.7l2-2 3 3 8-8 2 2z',
  cross: 'm3 1.5 5 5 5-5L14.5 3l-5 5 5 5-1.5 1.5-5-5-5 5L1.5 13l5-5-5-5z',
  down: 'M8 12 1.5 5.5 3 4l5 5 5-5 1.5 1.5z',
  right: 'M12 8l-6.5 6.5L4 13l5-5-5-5 1.5-1.5z',
  lines: 'M0 1.5h14v3H0zm2 5h14v3H2zm-2 5h14v3H0z',
  racks: 'M0 1h16v4H0zm0 5h16v4H0zm0 5h16v4H0zM2 2v2h2V2zm0 5v2h2V7zm0 5v2h2v-2z',
  graph: 'M0 2h2v10h14v2H0zm10 1h5v5l-1.5-1.5-4 4-3-3-2 2L3 8l3.5-3.5 3 3 2.5-2.5z',
  person: 'M8 0a4 4 0 1 0 0 8 4 4 0 0 0 0-8M1 16c0-4 3-6.5 7-6.5s7 2.5 7 6.5z',
  bell: 'M7 0h2v1.2c2.5.5 4 2.5 4 5.3 0 3 1 4.5 2 5.5v1H1v-1c1-1 2-2.5 2-5.5 0-2.8 1.5-4.8 4-5.3zM6 14h4a2 2 0 0 1-4 0',
} as const
export type IconName = keyof typeof PATHS

/** Decoration: a word beside it, or the name of its button, says the same. */
export function Icon({ name }: { readonly name: IconName }): ReactNode {
  return (
    <svg className={styles.root} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} fill="currentColor" fillRule="evenodd" />
    </svg>
  )
}
