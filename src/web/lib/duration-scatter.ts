import type { RunItem, SizeClassItem } from '../../contract/fleet-edges.ts'
import { formatShortLength } from './format-time.ts'
import { countOf, formatCount } from './format-number.ts'

const NODE_TICKS = [1, 3, 10, 30, 100, 300, 1000, 3000] as const
const LENGTH_TICKS = [1, 10, 60, 300, 900, 3600, 4 * 3600, 12 * 3600, 2 * 86_400, 7 * 86_400, 30 * 86_400] as const
/** Share of the axis beyond the outermost points. */
const MARGIN = 0.06

export type DurationScatter = NonNullable<ReturnType<typeof durationScatter>>

/**
 * Runs by the size of their cluster and their duration, on two logarithmic axes. Places are shares of the plot, from its left
 * and from its top. `undefined` without a run of known size. Pure.
 */
export function durationScatter(runs: readonly RunItem[], classes: readonly SizeClassItem[]) {
  const sized = runs.filter(({ nodes }) => nodes !== null)
  if (sized.length === 0) return undefined
  const x = scaleOf(sized.map(({ nodes }) => nodes ?? 1))
  const y = scaleOf(sized.map(({ seconds }) => Math.max(1, seconds)))
  return {
    points: sized.map((run) => ({
      id: run.id,
      x: x.at(run.nodes ?? 1),
      y: 1 - y.at(Math.max(1, run.seconds)),
      isFinished: run.finished,
      text: `${run.cluster}: ${countOf(run.nodes ?? 0, 'node')}, ${tookWords(run)}`,
    })),
    medians: classes.flatMap((one) => medianOf(one, x, y)),
    xTicks: NODE_TICKS.filter(x.holds).map((nodes) => ({ at: x.at(nodes), text: formatCount(nodes) })),
    yTicks: LENGTH_TICKS.filter(y.holds).map((seconds) => ({
      at: 1 - y.at(seconds),
      text: formatShortLength(seconds),
    })),
    /** Runs without a point. */
    unsized: runs.length - sized.length,
  }
}

interface Scale {
  /** As a share of the axis, never beyond it. */
  readonly at: (value: number) => number
  readonly holds: (value: number) => boolean
}

function scaleOf(values: readonly number[]): Scale {
  const logs = values.map(Math.log10)
  const [least, most] = [logs.reduce((a, b) => Math.min(a, b)), logs.reduce((a, b) => Math.max(a, b))]
  const room = Math.max(0.15, (most - least) * MARGIN)
  const [low, high] = [least - room, most + room]
  const at = (value: number): number => (Math.log10(value) - low) / (high - low)
  return { at: (value) => Math.min(1, Math.max(0, at(value))), holds: (value) => at(value) >= 0 && at(value) <= 1 }
}

/** The median of a class of sizes, as wide as the class. */
function medianOf({ fromNodes, toNodes, p50Seconds, runs }: SizeClassItem, x: Scale, y: Scale) {
  if (fromNodes === null || p50Seconds === null) return []
  const text = `median of ${countOf(runs, 'upgrade')} on ${sizeWords({ fromNodes, toNodes })}: ${formatShortLength(p50Seconds)}`
  return [{ x1: x.at(fromNodes), x2: x.at(toNodes ?? Infinity), y: 1 - y.at(Math.max(1, p50Seconds)), text }]
}

/** `11 to 30 nodes`, `more than 300 nodes`, `size not known`. */
export function sizeWords({ fromNodes, toNodes }: Pick<SizeClassItem, 'fromNodes' | 'toNodes'>): string {
  if (fromNodes === null) return 'size not known'
  if (toNodes === null) return `more than ${formatCount(fromNodes - 1)} nodes`
  return `${formatCount(fromNodes)} to ${formatCount(toNodes)} nodes`
}

/** A run that did not finish lasts at least as long as it was observed. */
export function tookWords({ seconds, finished }: Pick<RunItem, 'seconds' | 'finished'>): string {
  return `${finished ? '' : '≥ '}${formatShortLength(seconds)}`
}

/** A logarithmic scale between the shortest and the longest duration. */
interface DurationScale {
  readonly shortestNs: number
  readonly longestNs: number
  /** 0 to 1, with some room at both ends; 0 for a duration of zero. */
  readonly shareOf: (durationNs: number) => number
}

const ROOM = 0.1

export function durationScale(durationsNs: readonly number[]): DurationScale {
  const positive = durationsNs.filter((one) => one > 0)
  const longestNs = positive.reduce((most, one) => Math.max(most, one), 1)
  const shortestNs = positive.reduce((least, one) => Math.min(least, one), longestNs)
  const [low, high] = [Math.log10(shortestNs) - ROOM, Math.log10(longestNs) + ROOM]
  return {
    shortestNs,
    longestNs,
    shareOf: (durationNs) =>
      durationNs <= 0 ? 0 : Math.min(1, Math.max(0, (Math.log10(durationNs) - low) / (high - low))),
  }
}
