import type { CSSProperties, ReactNode } from 'react'
import type { PhaseState } from '../../model/upgrade.ts'
import { cssColor, stateToken } from '../lib/palette.ts'
import { classNames } from './class-names.ts'
import styles from './lane.module.css'

interface LaneProps {
  /** `thick`: pieces have text; `thin`: between two lines of text. */
  readonly size?: 'thick' | 'normal' | 'thin'
  /** What is drawn goes on after the end of the lane, which is marked. */
  readonly isCutOff?: boolean
  /** The numbers beside the lane say the same. */
  readonly isDecoration?: boolean
  readonly children: ReactNode
}

/** A horizontal line of time, or of a length, on which pieces are placed. */
export function Lane(props: LaneProps): ReactNode {
  const { size = 'normal', isCutOff = false, isDecoration = true, children } = props
  return (
    <span
      className={classNames(styles.root, styles[`size-${size}`], isCutOff && styles.cutOff)}
      {...(isDecoration ? { 'aria-hidden': true } : {})}
    >
      {children}
    </span>
  )
}

interface Placed {
  /** Shares of the lane, 0 to 1. */
  readonly start: number
  readonly end: number
}

/** The place of a piece on its lane. */
export function placeOnLane({ start, end }: Placed): CSSProperties {
  return { insetInlineStart: `${100 * start}%`, inlineSize: `${100 * (end - start)}%` }
}

interface LaneBarProps extends Placed {
  readonly isStuck?: boolean
  /** Of the phase; absent: the bar is a typical duration. */
  readonly state?: PhaseState
  /** The bar began before the lane, or goes on after it. */
  readonly isCutBefore?: boolean
  readonly isCutAfter?: boolean
}

/** A duration. */
export function LaneBar(props: LaneBarProps): ReactNode {
  const { isStuck = false, state, isCutBefore = false, isCutAfter = false } = props
  const color = isStuck || state === undefined ? undefined : stateToken(state)
  const className = classNames(
    'piece',
    styles.bar,
    isStuck && styles.stuck,
    isCutBefore && styles.cutBefore,
    isCutAfter && styles.cutAfter,
  )
  const own = color === undefined ? {} : { background: cssColor(color) }
  return <span className={className} style={{ ...placeOnLane(props), ...own }} />
}

/** What is typical: from one quantile to another. */
export function LaneBand(props: Placed): ReactNode {
  return <span className={classNames('piece', styles.band)} style={placeOnLane(props)} />
}

export function LaneThreshold({ at }: { readonly at: number }): ReactNode {
  return <span className={styles.threshold} style={{ insetInlineStart: `${100 * at}%` }} />
}

const KEYS = {
  bar: classNames('piece', styles.bar),
  band: classNames('piece', styles.band),
  threshold: styles.threshold,
} as const

/** The sample of a bar, a band or a threshold in a legend. */
export function LaneKey({ of }: { readonly of: keyof typeof KEYS }): ReactNode {
  return <span className={classNames(KEYS[of], styles.key)} />
}

/** The first and the last moment of a line of time, above it. */
export function LaneAxis({ from, to }: { readonly from: string; readonly to: string }): ReactNode {
  return (
    <span className="row row-nowrap row-apart nums text-tiny">
      <span>{from}</span>
      <span>{to}</span>
    </span>
  )
}
