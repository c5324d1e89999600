import type { Explained, ExplainedNode, ExplainedRead } from '../../../contract/explain.ts'
import { formatDuration } from '../../../model/duration.ts'
import { formatUnit } from '../dashboards/format-unit.ts'
import { countOf, formatCount } from '../format-number.ts'

/** The evaluation of a query as rows of a tree, the whole query first. Pure. */
export interface ExplainRow {
  /** Its path in the tree: `0.1.0`. */
  readonly key: string
  readonly depth: number
  readonly text: string
  readonly from: number
  readonly to: number
  /** `undefined`: not evaluated by itself. */
  readonly series: number | undefined
  readonly samples: number | undefined
  readonly totalMs: number
  readonly ownMs: number
  /** Shares of the total time, 0 to 1: with its children, and without. */
  readonly totalShare: number
  readonly ownShare: number
  /** One sentence per read. */
  readonly reads: readonly string[]
  /** Other causes of its time. */
  readonly notes: readonly string[]
}

export function explainRows({ root }: Pick<Explained, 'root'>): readonly ExplainRow[] {
  const rows: ExplainRow[] = []
  // Without a measurable total time there are no shares.
  const share = (ms: number): number => (root.totalMs > 0 ? Math.min(1, Math.max(0, ms / root.totalMs)) : 0)
  const add = (node: ExplainedNode, key: string, depth: number): void => {
    const { text, from, to, result, totalMs, ownMs, reads, children } = node
    rows.push({
      key,
      depth,
      text,
      from,
      to,
      series: result?.series,
      samples: result?.samples,
      totalMs,
      ownMs,
      totalShare: share(totalMs),
      ownShare: share(ownMs),
      reads: reads.map(readText),
      notes: notesOf(node),
    })
    children.forEach((child, i) => {
      add(child, `${key}.${i}`, depth + 1)
    })
  }
  add(root, '0', 0)
  return rows
}

const SOURCES = {
  newest: () => 'the newest sample of each series',
  runs: ({ runs }: ExplainedRead) => `${countOf(runs, 'run')} of equal samples`,
  rollups: ({ buckets, widthMs }: ExplainedRead) =>
    `${countOf(buckets, 'bucket')} of rollups${widthMs === undefined ? '' : ` of ${formatDuration(widthMs)}`}`,
  samples: ({ samples }: ExplainedRead) => countOf(samples, 'sample'),
} as const

function readText(read: ExplainedRead): string {
  const { source, seriesMatched, seriesRead, store } = read
  const series = `${formatCount(seriesRead)} of ${countOf(seriesMatched, 'series', 'series')}`
  return [`${series}: ${SOURCES[source](read)}`, ...(store === undefined ? [] : [storeText(store)])].join(', ')
}

function storeText(store: NonNullable<ExplainedRead['store']>): string {
  const { headRuns, packs, packsKept, packBytes, isMatchKnown } = store
  const parts = [
    ...(packs > 0
      ? [
          `${countOf(packs, 'pack')}${packBytes > 0 ? ` (${bytesText(packBytes)} read, ${packsKept} in memory)` : ' in memory'}`,
        ]
      : []),
    ...(headRuns > 0 ? [`${countOf(headRuns, 'run')} of the head`] : []),
    ...(isMatchKnown ? ['series selection from the cache'] : []),
  ]
  return parts.length === 0 ? 'no stored data' : `from ${parts.join(', ')}`
}

function bytesText(bytes: number): string {
  return formatUnit(bytes, { unit: 'bytes' }, { zone: 'utc', nowMs: 0 })
}

function notesOf({ isStepInvariant, repeats, groupsKnown, groupsMade, reads }: ExplainedNode): readonly string[] {
  return [
    ...(isStepInvariant ? ['the same at every step, evaluated once'] : []),
    ...(repeats > 0 ? [`same as an earlier part: reused ${countOf(repeats, 'time')}`] : []),
    ...(groupsMade > 0 && groupsKnown === 0 ? ['groups computed for the first time'] : []),
    ...new Set(reads.flatMap(({ reasons }) => reasons)),
  ]
}
