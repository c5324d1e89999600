import type { SeriesRef } from '../../model/series.ts'
import type { RollupPack } from './rollup-pack.ts'
import { hasChecksum } from '../bytes.ts'
import type { DamageList } from '../integrity/damage.ts'
import { verifyRollup } from '../integrity/row-checks.ts'
import { Statements } from '../statements.ts'

/** The SQL of rollups, as the writer sees them. */

/** A row of rollups, read back: still deflated. */
interface StoredRollup {
  readonly id: number
  readonly first_ref: number
  readonly last_ref: number
  readonly edges: Uint8Array
  readonly extremes: Uint8Array
  readonly sums: Uint8Array
}

export class RollupRows extends Statements {
  readonly #insert = this.db.prepare<[number, number, number, number, number, Uint8Array, Uint8Array, Uint8Array]>(
    `INSERT INTO rollup (block, tier, metric, first_ref, last_ref, edges, extremes, sums)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  readonly #removeMetric = this.db.prepare<[number, number, number]>(
    'DELETE FROM rollup WHERE block = ? AND tier = ? AND metric = ?',
  )
  readonly #removeSome = this.db.prepare<[number, number, number]>(
    'DELETE FROM rollup WHERE id IN (SELECT id FROM rollup WHERE block = ? AND tier = ? LIMIT ?)',
  )
  readonly #nextMetric = this.db.prepare<[number, number, number], { metric: number | null }>(
    'SELECT min(metric) AS metric FROM rollup WHERE block = ? AND tier = ? AND metric > ?',
  )
  // Without the bytes, which may be unreadable.
  readonly #headAfter = this.db.prepare<[number, number, number, number], { id: number; first_ref: number }>(
    `SELECT id, first_ref FROM rollup
       WHERE block = ? AND tier = ? AND metric = ? AND first_ref > ? ORDER BY first_ref LIMIT 1`,
  )
  readonly #row = this.db.prepare<[number], StoredRollup>(
    'SELECT id, first_ref, last_ref, edges, extremes, sums FROM rollup WHERE id = ?',
  )
  readonly #newest = this.db.prepare<[number, number], { metric: number; lastRef: number }>(
    `SELECT metric, last_ref AS lastRef FROM rollup WHERE block = ? AND tier = ?
       ORDER BY metric DESC, first_ref DESC LIMIT 1`,
  )

  readonly #damage: DamageList

  constructor(db: Statements['db'], damage: DamageList) {
    super(db)
    this.#damage = damage
  }

  insert(block: number, tier: number, metric: number, pack: RollupPack): void {
    const { firstRef, lastRef, edges, extremes, sums } = pack
    this.#insert.run(block, tier, metric, firstRef, lastRef, edges, extremes, sums)
  }

  removeMetric(block: number, tier: number, metric: number): void {
    this.#removeMetric.run(block, tier, metric)
  }

  /** Removes up to `rows` rows. True when none is left. */
  removeSome(block: number, tier: number, rows: number): boolean {
    return this.#removeSome.run(block, tier, rows).changes < rows
  }

  /** The first metric after `metric`; Infinity when there is none. */
  metricAfter(block: number, tier: number, metric: number): number {
    return this.#nextMetric.get(block, tier, metric)?.metric ?? Infinity
  }

  /** The result of `read` for the first row of a metric that begins after `ref`. Damaged rows are quarantined, and left out. */
  packAfter<T>(
    block: number,
    tier: number,
    metric: number,
    ref: SeriesRef,
    read: (row: StoredRollup) => T,
  ): T | undefined {
    for (let after = ref; ;) {
      const head = this.#headAfter.get(block, tier, metric, after)
      if (head === undefined) return undefined
      const found = this.#damage.around('rollup', head.id, () => {
        const row = this.#row.get(head.id)!
        if (!hasChecksum(row.edges)) verifyRollup(row)
        return read(row)
      })
      if (found !== undefined) return found
      after = head.first_ref
    }
  }

  /** How far a block is rolled up: its rows are written by rising metric, and by rising ref in it. */
  newest(block: number, tier: number): { readonly metric: number; readonly lastRef: SeriesRef } | undefined {
    return this.#newest.get(block, tier)
  }
}
