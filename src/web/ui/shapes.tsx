import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

/** The shapes that carry severity and outcome beside their colour and word. All are drawn in the colour of the text. */
const PATHS = {
  triangle: <path d="M8 1.2 15.4 14.6H.6z" fill="currentColor" />,
  diamond: <path d="M8 1.6 14.4 8 8 14.4 1.6 8z" fill="none" stroke="currentColor" strokeWidth="2.2" />,
  disc: <circle cx="8" cy="8" r="5.6" fill="currentColor" />,
  ring: <circle cx="8" cy="8" r="5.2" fill="none" stroke="currentColor" strokeWidth="2" />,
  dash: <path d="M3 8h10" stroke="currentColor" strokeWidth="2.2" strokeLinecap="round" />,
  check: (
    <path
      d="m2.6 8.6 3.6 3.6 7.2-8"
      fill="none"
      stroke="currentColor"
      strokeWidth="2.4"
      strokeLinecap="round"
      strokeLinejoin="round"
    />
  ),
  clock: (
    <>
      <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" strokeWidth="1.8" />
      <path d="M8 4.8V8l2.2 1.6" fill="none" stroke="currentColor" strokeWidth="1.8" strokeLinecap="round" />
    </>
  ),
  slash: (
    <>
      <circle cx="8" cy="8" r="5.8" fill="none" stroke="currentColor" strokeWidth="1.8" />
      <path d="m4 12 8-8" stroke="currentColor" strokeWidth="1.8" />
    </>
  ),
  eye: (
    <>
      <path
        d="M1.2 8C3 4.6 5.3 3.2 8 3.2S13 4.6 14.8 8C13 11.4 10.7 12.8 8 12.8S3 11.4 1.2 8z"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.6"
      />
      <circle cx="8" cy="8" r="2.2" fill="currentColor" />
    </>
  ),
  up: (
    <path
      d="M8 14V3M3.4 7.4 8 2.8l4.6 4.6"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
    />
  ),
  out: (
    <path
      d="M6 3H2.6v10.4H13V10M9 2.4h4.6V7M13.4 2.6 7.4 8.6"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
    />
  ),
  cross: <path d="m3.5 3.5 9 9m0-9-9 9" stroke="currentColor" strokeWidth="2.2" strokeLinecap="round" />,
} as const
export type ShapeName = keyof typeof PATHS

/** Decoration: the word beside it says the same. */
export function Shape({ name, className }: { readonly name: ShapeName; readonly className?: string }): ReactNode {
  return (
    <svg className={classNames('shape', className)} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      {PATHS[name]}
    </svg>
  )
}
