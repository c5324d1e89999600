import type Database from 'better-sqlite3'
import { METRIC_NAME } from '../../model/labels.ts'
import type { SeriesRef } from '../../model/series.ts'
import { inTransaction } from '../database.ts'
import type { Head } from '../head/head.ts'
import type { Histograms } from '../head/histograms.ts'
import type { GroupCommit } from '../log/group-commit.ts'
import { SEGMENT_SERIES, type ColdSeries } from './cold-segment.ts'
import type { ColdSeriesRows } from './cold-series.ts'
import type { SeriesRows } from './series-rows.ts'
import type { SeriesTable } from './series-table.ts'

/** Work of one transaction: some milliseconds. */
const SERIES_PER_STEP = 1024
const METRICS_PER_STEP = 8

export interface CoolingParts {
  readonly db: Database.Database
  readonly head: Head
  readonly table: SeriesTable
  readonly rows: SeriesRows
  readonly cold: ColdSeriesRows
  readonly histograms: Histograms
  readonly commits: GroupCommit
  readonly seriesRemoved: (refs: readonly SeriesRef[], coldUntilMs?: number) => void
}

interface IdleSeries {
  readonly metric: number
  readonly slot: number
  readonly ref: SeriesRef
}

/**
 * Makes series cold that have no sample in the head and none in a block with samples, metric after metric. Their entries are
 * on disk before their slots are released. Their batches are rewritten later (`SeriesRows.removeCold`), each once and not
 * for each metric; until then they are marked as ended, so that a start does not load them.
 */
export class Cooling {
  readonly #parts: CoolingParts
  readonly #beforeMs: number
  readonly #idle: readonly IdleSeries[]
  #next = 0

  /** @param beforeMs no stored sample is older; call `step` before any block with an older one appears */
  constructor(parts: CoolingParts, beforeMs: number) {
    this.#parts = parts
    this.#beforeMs = beforeMs
    const { head, table } = parts
    const idle: IdleSeries[] = []
    for (let slot = 0; slot < head.lastMs.length; slot++) {
      const ref = table.refOf(slot)
      if (ref !== 0 && this.#isIdle(slot)) idle.push({ metric: table.metricOf(slot), slot, ref })
    }
    this.#idle = idle.sort((a, b) => a.metric - b.metric || a.ref - b.ref)
  }

  /** False when none is left. */
  step(): boolean {
    if (this.#next >= this.#idle.length) return false
    const { db, head, table, rows, cold, histograms, commits, seriesRemoved } = this.#parts
    commits.commitNow()
    const groups = this.#nextGroups()
    const slots = groups.flatMap((group) => group.map(({ slot }) => slot))
    if (slots.length === 0) return true
    const refs = groups.flatMap((group) => group.map(({ ref }) => ref))
    inTransaction(db, () => {
      for (const group of groups) {
        const series = group.map((one) => this.#coldSeriesOf(one))
        cold.put(group[0]!.metric, series[0]!.labels.get(METRIC_NAME), series)
      }
      rows.end(refs)
      rows.notePairs(table.pairsOnlyOf(slots))
      histograms.end(refs)
    })
    cold.added(refs.length, Math.max(...slots.map((slot) => head.lastMs[slot]!)))
    histograms.ended(refs)
    for (const slot of slots) {
      table.remove(slot)
      head.leaveSlot(slot)
    }
    seriesRemoved(refs, cold.untilMs)
    head.reclaim()
    return true
  }

  /** The next series that are still idle, by metric. */
  #nextGroups(): readonly (readonly IdleSeries[])[] {
    const groups: IdleSeries[][] = []
    let count = 0
    for (; this.#next < this.#idle.length && count < SERIES_PER_STEP; this.#next++) {
      const one = this.#idle[this.#next]!
      if (this.#parts.table.refOf(one.slot) !== one.ref || !this.#isIdle(one.slot)) continue
      let group = groups.at(-1)
      if (group === undefined || group[0]!.metric !== one.metric || group.length === SEGMENT_SERIES) {
        if (groups.length === METRICS_PER_STEP) break
        groups.push((group = []))
      }
      group.push(one)
      count++
    }
    return groups
  }

  #isIdle(slot: number): boolean {
    const { head } = this.#parts
    return head.lastMs[slot]! < this.#beforeMs && head.isEmpty(slot)
  }

  #coldSeriesOf({ slot, ref }: IdleSeries): ColdSeries {
    const { head, table, histograms } = this.#parts
    return {
      ref,
      labels: table.labelsOf(slot),
      lastMs: head.lastMs[slot]!,
      hasHistograms: histograms.series.has(ref),
    }
  }
}
