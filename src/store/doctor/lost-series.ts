import type Database from 'better-sqlite3'
import { Labels } from '../../model/labels.ts'
import { readable } from '../database.ts'
import { decodeSegment } from '../index/cold-segment.ts'
import { readSeriesBatch } from '../index/series-batch.ts'
import { eachPair } from '../index/series-rows.ts'
import { decodeDirectory } from '../packs/pack-codec.ts'
import { decodeEdges } from '../rollups/rollup-pack.ts'

/** Names what a damaged pack or rollup held: series and times, from whatever of it and around it is readable. */

/** Series that a sentence names. */
const NAMED_MAX = 3

interface PackRow {
  readonly metric: number
  readonly first_ref: number
  readonly last_ref: number
  readonly from_ms: number
  readonly to_ms: number
  readonly directory: Uint8Array
}

/** By their numbers. */
type KnownSeries = ReadonlyMap<number, { readonly metric: number; readonly labels: Labels }>

export class LostSeries {
  readonly #db: Database.Database
  #labels: KnownSeries | undefined

  constructor(db: Database.Database) {
    this.#db = db
  }

  /** What is lost with a row. */
  ofPack(id: number): string {
    const row = readable(() =>
      this.#db
        .prepare<[number], PackRow>(
          'SELECT metric, first_ref, last_ref, from_ms, to_ms, directory FROM pack WHERE id = ?',
        )
        .get(id),
    )
    if (row === undefined) return 'samples of unknown series and times'
    const refs = readable(() => decodeDirectory(row.directory, row.from_ms, row.to_ms).refs)
    return `samples of ${this.#seriesText(row, refs)} from ${timeText(row.from_ms)} to ${timeText(row.to_ms)}`
  }

  ofRollup(id: number): string {
    const row = readable(() =>
      this.#db
        .prepare<[number], PackRow & { readonly edges: Uint8Array; readonly tier: number }>(
          `SELECT metric, first_ref, last_ref, block.from_ms, block.to_ms, edges, tier
             FROM rollup JOIN block ON block.id = abs(rollup.block) WHERE rollup.id = ?`,
        )
        .get(id),
    )
    if (row === undefined) return 'rollups of unknown series and times'
    const refs = readable(() => decodeEdges(row.edges).refs)
    const width = WIDTHS.get(row.tier) ?? 'unknown width'
    return `rollups of ${width} of ${this.#seriesText(row, refs)} from ${timeText(row.from_ms)} to ${timeText(row.to_ms)}`
  }

  /** @param refs undefined: all series of the metric between the first and the last */
  #seriesText(row: Pick<PackRow, 'metric' | 'first_ref' | 'last_ref'>, refs: Uint32Array | undefined): string {
    const all = this.#all()
    const possible = refs ?? [...all].filter(([, one]) => one.metric === row.metric).map(([ref]) => ref)
    const inRow = [...possible].filter((ref) => ref >= row.first_ref && ref <= row.last_ref)
    const named = inRow.flatMap((ref) => all.get(ref)?.labels.toString() ?? []).slice(0, NAMED_MAX)
    const count = `${refs === undefined ? 'at most ' : ''}${inRow.length} series`
    if (named.length === 0) return `${count} (numbers ${row.first_ref} to ${row.last_ref})`
    return `${count} (${named.join(', ')}${inRow.length > named.length ? ', ...' : ''})`
  }

  #all(): KnownSeries {
    if (this.#labels !== undefined) return this.#labels
    const pairs = new Map<number, readonly [string, string]>()
    const labels = new Map<number, { readonly metric: number; readonly labels: Labels }>()
    readable(() => {
      eachPair(this.#db, (id, name, value) => pairs.set(id, [name, value]))
    })
    readable(() => {
      for (const batch of this.#db.prepare<[], Uint8Array>('SELECT series FROM series_batch').pluck().iterate()) {
        readSeriesBatch(batch, (ref, pairIds) => {
          const known = pairIds.flatMap((id) => {
            const pair = pairs.get(id)
            return pair === undefined ? [] : [pair]
          })
          const metric = pairIds.find((id) => pairs.get(id)?.[0] === '__name__') ?? 0
          labels.set(ref, { metric, labels: Labels.of(Object.fromEntries(known)) })
        })
      }
    })
    // Schemas before 32 have none.
    const hasCold = this.#db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'cold_segment'").get() !== undefined
    readable(() => {
      if (!hasCold) return
      const segments = this.#db.prepare<[], [number, Uint8Array]>('SELECT metric, series FROM cold_segment').raw()
      for (const [metric, series] of segments.iterate()) {
        for (const one of readable(() => decodeSegment(series).all()) ?? []) {
          labels.set(one.ref, { metric, labels: one.labels })
        }
      }
    })
    this.#labels = labels
    return labels
  }
}

const WIDTHS: ReadonlyMap<number, string> = new Map([
  [2, '5 minutes'],
  [4, '1 hour'],
  [8, '1 day'],
])

export function timeText(timeMs: number): string {
  return new Date(timeMs).toISOString()
}
