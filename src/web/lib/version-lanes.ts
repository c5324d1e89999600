import type { ClusterDetail } from '../../contract/fleet-clusters.ts'

/** The versions of a cluster's operators over time. Pure. */

type Interval = ClusterDetail['intervals'][number]

export type VersionPiece = ReturnType<typeof pieceOf>

const DAY_MS = 86_400_000

export const HISTORY_RANGES = [
  { name: '6h', text: '6 hours', ms: DAY_MS / 4 },
  { name: '1d', text: '1 day', ms: DAY_MS },
  { name: '7d', text: '7 days', ms: 7 * DAY_MS },
  { name: '30d', text: '30 days', ms: 30 * DAY_MS },
  { name: '1y', text: '1 year', ms: 365 * DAY_MS },
] as const
export type HistoryRange = (typeof HISTORY_RANGES)[number]['name']

/**
 * The shortest range with the last change of an operator, or without any with the first report. The platform does not count,
 * because it changes by itself.
 */
export function fittingRange(intervals: readonly Interval[], nowMs: number): HistoryRange {
  const own = intervals.filter(({ operator }) => operator !== 'openshift')
  const changes = own.filter(({ startKnown }) => startKnown).map(({ from }) => Date.parse(from))
  const firstMs = Math.min(...own.map(({ from }) => Date.parse(from)))
  const heldMs = changes.length > 0 ? Math.max(...changes) : firstMs
  return HISTORY_RANGES.find(({ ms }) => heldMs > nowMs - ms * 0.95)?.name ?? '1y'
}

/** HCO and the platform first, then by name. */
const FIRST = ['kubevirt-hyperconverged', 'openshift', 'kubevirt']

/** A lane per operator, with the intervals of its versions. */
export function versionLanes(intervals: readonly Interval[], nowMs: number, rangeMs: number) {
  const startMs = nowMs - rangeMs
  const operators = [...new Set(intervals.map(({ operator }) => operator))].sort(
    (a, b) => placeOf(a) - placeOf(b) || (a < b ? -1 : 1),
  )
  return operators.map((operator) => ({
    operator,
    pieces: intervals
      .filter((interval) => interval.operator === operator)
      .map((interval) => pieceOf(interval, startMs, nowMs))
      .filter((piece) => piece.end > 0 && piece.start < 1 && piece.end >= piece.start),
  }))
}

function placeOf(operator: string): number {
  const at = FIRST.indexOf(operator)
  return at < 0 ? FIRST.length : at
}

function pieceOf(interval: Interval, startMs: number, nowMs: number) {
  const fromMs = Date.parse(interval.from)
  const untilMs = interval.until === null ? nowMs : Date.parse(interval.until)
  const share = (ms: number): number => Math.min(1, Math.max(0, (ms - startMs) / (nowMs - startMs)))
  return {
    version: interval.version,
    fromMs,
    /** The start is before the range, or unknown. */
    isCutBefore: !interval.startKnown || fromMs < startMs,
    untilMs,
    isOpen: interval.until === null,
    resolutionSeconds: interval.resolutionSeconds,
    /** Shares of the range, 0 to 1. */
    start: share(fromMs),
    end: share(untilMs),
  }
}
