import type Database from 'better-sqlite3'
import type { SeriesRef } from '../../model/series.ts'
import type { RollupPack } from './rollup-pack.ts'

/** The SQL of rollups, as the writer sees them. */

/** A row of rollups, read back: still deflated. */
interface StoredRollup {
  readonly id: number
  readonly edges: Uint8Array
  readonly extremes: Uint8Array
  readonly sums: Uint8Array
}

export class RollupRows {
  readonly #insert: Database.Statement<[number, number, number, number, number, Uint8Array, Uint8Array, Uint8Array]>
  readonly #removeMetric: Database.Statement<[number, number, number]>
  readonly #removeSome: Database.Statement<[number, number, number]>
  readonly #nextMetric: Database.Statement<[number, number, number], { metric: number | null }>
  readonly #packAfter: Database.Statement<[number, number, number, number], StoredRollup>
  readonly #newest: Database.Statement<[number, number], { metric: number; lastRef: number }>

  constructor(db: Database.Database) {
    this.#insert = db.prepare(
      `INSERT INTO rollup (block, tier, metric, first_ref, last_ref, edges, extremes, sums)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    this.#removeMetric = db.prepare('DELETE FROM rollup WHERE block = ? AND tier = ? AND metric = ?')
    this.#removeSome = db.prepare(
      'DELETE FROM rollup WHERE id IN (SELECT id FROM rollup WHERE block = ? AND tier = ? LIMIT ?)',
    )
    this.#nextMetric = db.prepare(
      'SELECT min(metric) AS metric FROM rollup WHERE block = ? AND tier = ? AND metric > ?',
    )
    this.#packAfter = db.prepare(
      `SELECT id, edges, extremes, sums FROM rollup
       WHERE block = ? AND tier = ? AND metric = ? AND first_ref > ? ORDER BY first_ref LIMIT 1`,
    )
    this.#newest = db.prepare(
      `SELECT metric, last_ref AS lastRef FROM rollup WHERE block = ? AND tier = ?
       ORDER BY metric DESC, first_ref DESC LIMIT 1`,
    )
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

  /** The first row of a metric that begins after `ref`. */
  packAfter(block: number, tier: number, metric: number, ref: SeriesRef): StoredRollup | undefined {
    return this.#packAfter.get(block, tier, metric, ref)
  }

  /** How far a block is rolled up: its rows are written by rising metric, and by rising ref in it. */
  newest(block: number, tier: number): { readonly metric: number; readonly lastRef: SeriesRef } | undefined {
    return this.#newest.get(block, tier)
  }
}
