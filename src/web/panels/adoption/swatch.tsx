import type { ReactNode } from 'react'

/** The look of a band beside its name. Decoration: the name stands there. */
export function Swatch({
  kind,
  step,
}: {
  readonly kind: 'value' | 'other' | 'untold'
  readonly step: number
}): ReactNode {
  return <span className={`swatch ${kind === 'value' ? `swatch-${step}` : `swatch-${kind}`}`} aria-hidden="true" />
}

/** The same for a line. */
export function LineSwatch({ step, dashes }: { readonly step: number; readonly dashes: string }): ReactNode {
  return (
    <svg className="line-swatch" width="28" height="8" aria-hidden="true">
      <line className={`chart-line ramp-line-${step}`} strokeDasharray={dashes} x1="0" x2="28" y1="4" y2="4" />
    </svg>
  )
}
