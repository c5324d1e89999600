import { FleetError } from '../../base/errors.ts'
import { METRIC_NAME, type Labels } from '../../model/labels.ts'
import { compileMatcher, type Matcher } from '../../model/matcher.ts'
import type { MissingListener } from '../../model/queryable.ts'
import { NO_REGEX_LIMITS, type RegexWork } from '../../model/regex-limits.ts'
import type { SeriesRef } from '../../model/series.ts'
import type { TimeRange } from '../../model/time-range.ts'
import type { DamagedRanges } from '../integrity/damaged-ranges.ts'
import { ROLLUP_TIERS } from '../rollups/tiers.ts'
import { Statements } from '../statements.ts'
import { ColdSegment, inflateSegment } from './cold-segment.ts'
import { newestColdMs } from './cold-series.ts'

/**
 * Cold series on the reader's side: those that matchers accept, found in the segments on disk. Only queries whose range
 * begins before the newest sample of a cold series come here. A segment is inflated when its metric and times fit, and
 * decoded when it has all texts that the matchers require.
 */

/** Limit for cold series of one selection: their refs and labels are in memory until the query ends. */
const COLD_SERIES_MAX = 500_000

/** A cold series that was found. */
export class FoundSeries {
  readonly metric: number
  readonly lastMs: number
  readonly hasHistograms: boolean
  readonly #segment: ColdSegment
  readonly #entry: number
  #labels: Labels | undefined

  constructor(metric: number, segment: ColdSegment, entry: number) {
    this.metric = metric
    this.lastMs = segment.lastsMs[entry]!
    this.hasHistograms = segment.hasHistogramsAt(entry)
    this.#segment = segment
    this.#entry = entry
  }

  get labels(): Labels {
    return (this.#labels ??= this.#segment.labelsAt(this.#entry))
  }
}

export type ColdRows = ReadonlyMap<SeriesRef, FoundSeries>

interface SegmentRow {
  readonly id: number
  readonly firstRef: number
  readonly newestMs: number
  readonly series: Uint8Array
}

interface ValueTest {
  readonly matcher: Matcher
  /** Remembers its results. */
  readonly accepts: (value: string) => boolean
}

export class ColdSelection extends Statements {
  /** Time of the newest sample of a cold series, or later; -Infinity: there is none. */
  untilMs: number
  readonly #damaged: DamagedRanges
  readonly #metrics = this.db.prepare<[], { id: number; name: string }>('SELECT id, name FROM cold_metric ORDER BY id')
  readonly #segments = this.db.prepare<[number, number, number], SegmentRow>(
    `SELECT id, first_ref AS firstRef, newest_ms AS newestMs, series FROM cold_segment
       WHERE metric = ? AND newest_ms >= ? AND first_ref <= ?`,
  )
  readonly #blocks = this.db.prepare<[number, number], { id: number; tiers: number }>(
    'SELECT id, tiers FROM block WHERE to_ms >= ? AND from_ms <= ?',
  )
  readonly #oldestMs = this.db.prepare<[], number | null>('SELECT min(from_ms) FROM block').pluck()
  readonly #newestRef = this.db
    .prepare<[number, number, number], number | null>(
      'SELECT max(last_ref) FROM rollup WHERE block = ? AND tier = ? AND metric = ?',
    )
    .pluck()

  constructor(db: Statements['db'], damaged: DamagedRanges) {
    super(db)
    this.#damaged = damaged
    this.untilMs = newestColdMs(db)
  }

  /**
   * Cold series that all matchers accept and that may have a sample in the range; some may be warm again. Throws `RegexError`,
   * and FleetError `query_limit`.
   */
  select(matchers: readonly Matcher[], range: TimeRange, work: RegexWork, missing?: MissingListener): ColdRows {
    const tests = matchers.map((matcher) => valueTestOf(matcher, work))
    const ofMetric = tests.filter(({ matcher }) => matcher.name === METRIC_NAME)
    const found = new Map<SeriesRef, FoundSeries>()
    // One snapshot: segments are rewritten meanwhile.
    this.atomically(() => {
      // Of older series nothing is stored any more; they are removed later.
      const fromMs = Math.max(range.fromMs, this.#oldestMs.get() ?? Infinity)
      for (const { id, name } of this.#metrics.all()) {
        if (!ofMetric.every(({ accepts }) => accepts(name))) continue
        const newestRef = this.#newestRefIn(id, range)
        for (const row of this.#segments.iterate(id, fromMs, newestRef)) {
          const { firstRef, newestMs } = row
          const place = { kind: 'cold_segment', id: row.id, block: 0, metric: id, firstRef, lastRef: firstRef } as const
          const count = this.#damaged.around({ ...place, toMs: newestMs }, () => findIn(row, id, tests, fromMs, found))
          if (count === undefined) missing?.({ fromMs, toMs: Math.min(range.toMs, newestMs) })
          if (found.size > COLD_SERIES_MAX) throw tooMany()
        }
      }
    })
    return found
  }

  /** Refs rise with time: no series of a metric with a larger ref has a sample in the range. */
  #newestRefIn(metric: number, { fromMs, toMs }: TimeRange): number {
    if (toMs >= this.untilMs) return Number.MAX_SAFE_INTEGER
    let newest = 0
    for (const { id, tiers } of this.#blocks.all(fromMs, toMs)) {
      // All rollups of a block have the same series.
      const tier = ROLLUP_TIERS.find(({ bit }) => (tiers & bit) !== 0)
      if (tier !== undefined) newest = Math.max(newest, this.#newestRef.get(id, tier.bit, metric) ?? 0)
    }
    return newest
  }
}

function tooMany(): FleetError {
  return new FleetError('query_limit', `the query selects more than ${COLD_SERIES_MAX} series of the past`, {
    hint: 'select fewer series or a shorter range',
  })
}

/** HOT: once per segment. Adds the entries that match; damage is `MalformedBytesError`. */
function findIn(
  { series }: SegmentRow,
  metric: number,
  tests: readonly ValueTest[],
  fromMs: number,
  found: Map<SeriesRef, FoundSeries>,
): number {
  const inflated = inflateSegment(series)
  const isPossible = tests.every(({ matcher: { op, value } }) => op !== '=' || value === '' || inflated.includes(value))
  if (!isPossible) return 0
  const segment = new ColdSegment(inflated)
  const columns = tests.map(({ matcher, accepts }) => {
    // By number of the text: 0 unknown, 1 accepted, 2 rejected.
    return { name: matcher.name, accepts, known: new Uint8Array(segment.textCount) }
  })
  const isAccepted = (entry: number, { name, accepts, known }: (typeof columns)[number]): boolean => {
    const { labelTexts, ends } = segment
    let at = entry === 0 ? 0 : ends[entry - 1]!
    while (at < ends[entry]! && segment.textAt(labelTexts[at]!) !== name) at += 2
    if (at >= ends[entry]!) return accepts('')
    const value = labelTexts[at + 1]!
    if (known[value] === 0) known[value] = accepts(segment.textAt(value)) ? 1 : 2
    return known[value] === 1
  }
  let count = 0
  for (let entry = 0; entry < segment.count; entry++) {
    if (segment.lastsMs[entry]! < fromMs || !columns.every((column) => isAccepted(entry, column))) continue
    found.set(segment.refs[entry]!, new FoundSeries(metric, segment, entry))
    count++
  }
  return count
}

/** Segments share values: each is tested once. */
function valueTestOf(matcher: Matcher, work: RegexWork): ValueTest {
  const test = compileMatcher(matcher, NO_REGEX_LIMITS)
  if (matcher.op === '=' || matcher.op === '!=') return { matcher, accepts: test }
  const known = new Map<string, boolean>()
  return {
    matcher,
    accepts: (value) => {
      let accepts = known.get(value)
      if (accepts === undefined) known.set(value, (accepts = test(value, work)))
      return accepts
    },
  }
}
