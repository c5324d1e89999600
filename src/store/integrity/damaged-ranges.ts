import type { TimeRange } from '../../model/time-range.ts'
import type { SeriesRef } from '../../model/series.ts'
import { isDamage } from '../database.ts'
import { messageOf } from '../../base/errors.ts'
import { firstAtLeast } from '../index/sorted-refs.ts'
import { keyOf, storedDamage, type Damage } from './damage.ts'
import { Statements } from '../statements.ts'

/** Where samples of some series should be: of one metric in one block. */
export interface DamagedPlace {
  readonly kind: 'pack' | 'rollup' | 'histogram_pack' | 'cold_segment'
  /** Of the row; 0: the rows could not be listed. */
  readonly id: number
  readonly block: number
  readonly metric: number
  readonly firstRef: SeriesRef
  readonly lastRef: SeriesRef
  /** No sample is newer, when it has no block. */
  readonly toMs?: number
}

type Times = { readonly fromMs: number; readonly toMs: number }

/**
 * The reader's list of damaged samples: what the writer has quarantined, and what this reader found itself. A read leaves
 * them out, and a query is told which times are missing. Usually empty, and then it costs one comparison.
 */
export class DamagedRanges extends Statements {
  readonly #report: (found: Damage) => void
  readonly #known = new Set<string>()
  readonly #all: Damage[] = []
  readonly #times = this.db.prepare<[number], Times>('SELECT from_ms AS fromMs, to_ms AS toMs FROM block WHERE id = ?')

  /** @param report called for each damage that this reader finds */
  constructor(db: Statements['db'], report: (found: Damage) => void) {
    super(db)
    this.#report = report
    for (const damage of storedDamage(db)) this.add(damage)
  }

  /** Announced by the writer. */
  add(damage: Damage): void {
    if (this.#known.has(keyOf(damage))) return
    this.#known.add(keyOf(damage))
    this.#all.push(damage)
  }

  /** Runs `read`; when what it reads is damaged, records that and returns undefined. */
  around<T>(place: DamagedPlace, read: () => T): T | undefined {
    try {
      return read()
    } catch (thrown) {
      if (!isDamage(thrown)) throw thrown
      this.#found(place, messageOf(thrown))
      return undefined
    }
  }

  /** Calls `missing` with the times in `range` of which samples of `refs` (sorted) are missing. */
  eachMissing(
    refs: Uint32Array,
    metricOf: (ref: SeriesRef) => number,
    range: TimeRange,
    missing: (times: TimeRange) => void,
  ): void {
    for (const { metric, firstRef, lastRef, fromMs, toMs } of this.#all) {
      if (fromMs > range.toMs || toMs < range.fromMs) continue
      for (let i = firstAtLeast(refs, firstRef); i < refs.length && refs[i]! <= lastRef; i++) {
        if (metric !== -1 && metricOf(refs[i]!) !== metric) continue
        missing({ fromMs, toMs })
        break
      }
    }
  }

  #found({ kind, id, block, metric, firstRef, lastRef, toMs }: DamagedPlace, message: string): void {
    const times = block === 0 ? undefined : this.#timesOf(block)
    const anyTime = { ...ANY_TIME, ...(toMs === undefined ? {} : { toMs }) }
    const damage = { kind, id, metric, firstRef, lastRef, message, ...(times ?? anyTime) }
    if (this.#known.has(keyOf(damage))) return
    this.add(damage)
    this.#report(damage)
  }

  #timesOf(block: number): Times | undefined {
    try {
      return this.#times.get(block)
    } catch (thrown) {
      if (isDamage(thrown)) return undefined
      throw thrown
    }
  }
}

/** Until the end of the year 9999. */
const ANY_TIME: Times = { fromMs: 0, toMs: 253_402_300_799_999 }
