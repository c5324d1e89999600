import type { SeriesRef } from '../../model/series.ts'
import { decodeDirectory, inflatePayload, type Directory, type Pack } from './pack-codec.ts'
import { readChunk } from './pack-reader.ts'
import { RunList } from '../head/run-list.ts'
import type { SeriesState } from '../index/series-rows.ts'
import type { DamageList } from '../integrity/damage.ts'
import { verifyPack } from '../integrity/row-checks.ts'
import { hasChecksum } from '../bytes.ts'
import { Statements } from '../statements.ts'
import { inTransaction, readable } from '../database.ts'

/**
 * Blocks and their packs on the writer's side. One flush writes one block; compaction merges several blocks into one. A
 * block has at most one chunk per series, and the chunks of a series never overlap: samples accepted after a flush are
 * newer than the flushed samples.
 */

export interface BlockRow {
  readonly id: number
  /** 0: as flushed; each compaction is one more. */
  readonly level: number
  /** Blocks by rising position have the chunks of a series oldest first. */
  readonly position: number
  /** The time up to which the head was flushed. */
  readonly cutMs: number
  /** Times of the oldest and the newest sample, both inclusive. */
  readonly fromMs: number
  readonly toMs: number
  /** 1 until the states of its series are written down; 0 then. */
  readonly isOpen: number
  /** The block that this one is being compacted into; null: none. */
  readonly intoBlock: number | null
  /** Tiers that are complete: a set of bits (`tiers.ts`). */
  readonly tiers: number
  /** Tiers that may have rows: more than `tiers` while rollups are made or a tier is removed. */
  readonly stored: number
  /** 1 when the rollups are complete, or no rollup was configured. */
  readonly isRolled: number
}

/** A pack of one metric, read back. */
export interface StoredPack {
  readonly id: number
  readonly directory: Directory
  /** Inflated. */
  readonly payload: Uint8Array
}

interface PackHead {
  readonly id: number
  readonly first_ref: number
  readonly last_ref: number
  readonly from_ms: number
  readonly to_ms: number
}

interface PackRow extends PackHead {
  readonly directory: Uint8Array
  readonly payload: Uint8Array
}

const BLOCK_COLUMNS =
  'id, level, position, cut_ms AS cutMs, from_ms AS fromMs, to_ms AS toMs, is_open AS isOpen, into_block AS intoBlock, tiers, stored, is_rolled AS isRolled FROM block'
const PACK_COLUMNS = 'id, first_ref, last_ref, from_ms, to_ms, directory, payload FROM pack'

export class BlockRows extends Statements {
  readonly #blocks = this.db.prepare<[], BlockRow>(`SELECT ${BLOCK_COLUMNS} ORDER BY position`)
  readonly #insertBlock = this.db.prepare<[number, number, number, number, number]>(
    'INSERT INTO block (level, position, cut_ms, from_ms, to_ms, is_open) VALUES (?, 0, ?, ?, ?, ?)',
  )
  readonly #widen = this.db.prepare<[number, number, number]>(
    'UPDATE block SET from_ms = min(from_ms, ?), to_ms = max(to_ms, ?) WHERE id = ?',
  )
  readonly #close = this.db.prepare<[number]>('UPDATE block SET is_open = 0 WHERE id = ?')
  readonly #setInto = this.db.prepare<[number, number]>('UPDATE block SET into_block = ? WHERE id = ?')
  readonly #setPlace = this.db.prepare<[number, number, number]>(
    'UPDATE block SET position = ?, level = ? WHERE id = ?',
  )
  readonly #setTiers = this.db.prepare<[number, number, number, number]>(
    'UPDATE block SET tiers = ?, stored = ?, is_rolled = ? WHERE id = ?',
  )
  readonly #insertPack = this.db.prepare<[number, number, number, number, number, number, Uint8Array, Uint8Array]>(
    `INSERT INTO pack (block, metric, first_ref, last_ref, from_ms, to_ms, directory, payload)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  readonly #removePacks = this.db.prepare<[number, number]>(
    'DELETE FROM pack WHERE id IN (SELECT id FROM pack WHERE block = ? LIMIT ?)',
  )
  readonly #removeMetric = this.db.prepare<[number, number]>('DELETE FROM pack WHERE block = ? AND metric = ?')
  readonly #removeBlock = this.db.prepare<[number]>('DELETE FROM block WHERE id = ?')
  readonly #nextMetric = this.db.prepare<[number, number], { metric: number | null }>(
    'SELECT min(metric) AS metric FROM pack WHERE block = ? AND metric > ?',
  )
  // Without the bytes, which may be unreadable.
  readonly #headAfter = this.db.prepare<[number, number, number], PackHead>(
    `SELECT id, first_ref, last_ref, from_ms, to_ms FROM pack
       WHERE block = ? AND metric = ? AND first_ref > ? ORDER BY first_ref LIMIT 1`,
  )
  readonly #packBytes = this.db.prepare<[number], Pick<PackRow, 'directory' | 'payload'>>(
    'SELECT directory, payload FROM pack WHERE id = ?',
  )

  readonly #damage: DamageList

  constructor(db: Statements['db'], damage: DamageList) {
    super(db)
    this.#damage = damage
  }

  /** All blocks, oldest first. */
  all(): readonly BlockRow[] {
    return this.#blocks.all()
  }

  /** Creates the block of a flush; it is open until the states of its series are written. Returns its id. */
  begin(cutMs: number, fromMs: number, toMs: number): number {
    const id = Number(this.#insertBlock.run(0, cutMs, fromMs, toMs, 1).lastInsertRowid)
    this.#setPlace.run(id, 0, id)
    return id
  }

  /** Creates a block to compact `sources` into; it takes the position of the first. Returns its id. */
  beginCompacted(sources: readonly BlockRow[], level: number): number {
    return inTransaction(this.db, () => {
      const cutMs = Math.max(...sources.map((block) => block.cutMs))
      const fromMs = Math.min(...sources.map((block) => block.fromMs))
      const toMs = Math.max(...sources.map((block) => block.toMs))
      const id = Number(this.#insertBlock.run(level, cutMs, fromMs, toMs, 0).lastInsertRowid)
      this.#setPlace.run(sources[0]!.position, level, id)
      // Sources of one group have the same tiers.
      const { tiers, isRolled } = sources[0]!
      this.#setTiers.run(tiers, tiers, isRolled, id)
      for (const source of sources) this.#setInto.run(id, source.id)
      return id
    })
  }

  /** A block that has nothing to be compacted with. */
  raise(block: BlockRow, level: number): void {
    this.#setPlace.run(block.position, level, block.id)
  }

  setTiers(block: number, { tiers, stored, isRolled }: Pick<BlockRow, 'tiers' | 'stored' | 'isRolled'>): void {
    this.#setTiers.run(tiers, stored, isRolled, block)
  }

  widen(block: number, fromMs: number, toMs: number): void {
    this.#widen.run(fromMs, toMs, block)
  }

  insert(block: number, metric: number, pack: Pack): void {
    const { firstRef, lastRef, fromMs, toMs, directory, payload } = pack
    this.#insertPack.run(block, metric, firstRef, lastRef, fromMs, toMs, directory, payload)
  }

  /** Call in a transaction. */
  removeMetric(block: number, metric: number): void {
    this.#removeMetric.run(block, metric)
  }

  /** Removes blocks without packs. */
  removeEmpty(blocks: readonly BlockRow[]): void {
    inTransaction(this.db, () => {
      for (const block of blocks) this.#removeBlock.run(block.id)
    })
  }

  remove(block: number): void {
    this.#removeBlock.run(block)
  }

  /** Removes up to `rows` packs of a block. True when none is left. */
  removeSome(block: number, rows: number): boolean {
    return this.#removePacks.run(block, rows).changes < rows
  }

  /** The first metric after `metric` that one of the blocks has. */
  metricAfter(blocks: readonly BlockRow[], metric: number): number | undefined {
    let next = Infinity
    for (const block of blocks) next = Math.min(next, this.#nextMetric.get(block.id, metric)?.metric ?? Infinity)
    return next === Infinity ? undefined : next
  }

  /** The first pack of a metric with a first ref above `ref`. Damaged packs are quarantined, and left out. */
  packAfter(block: number, metric: number, ref: SeriesRef): StoredPack | undefined {
    for (let after = ref; ;) {
      const head = this.#headAfter.get(block, metric, after)
      if (head === undefined) return undefined
      const pack = this.#damage.around('pack', head.id, () => storedPack({ ...head, ...this.#packBytes.get(head.id)! }))
      if (pack !== undefined) return pack
      after = head.first_ref
    }
  }

  /** Blocks of interrupted flushes. */
  openBlocks(): readonly number[] {
    return this.db.prepare<[], number>('SELECT id FROM block WHERE is_open = 1 ORDER BY position').pluck().all()
  }

  close(block: number): void {
    this.#close.run(block)
  }

  /** How far a block flushed its series: read from the chunks themselves. */
  eachState(block: number, visit: (state: SeriesState) => void): void {
    const runs = new RunList()
    const rows = this.db.prepare<[number], PackRow>(`SELECT ${PACK_COLUMNS} WHERE block = ?`)
    for (const row of rows.iterate(block)) {
      // Of a damaged one the log still has the samples.
      const pack = readable(() => storedPack(row))
      if (pack === undefined) continue
      const { directory } = pack
      for (let i = 0; i < directory.count; i++) {
        readChunk(pack, i, runs)
        const last = runs.count - 1
        visit({
          ref: directory.refs[i]!,
          flushedUntilMs: directory.tosMs[i]!,
          low: runs.lows[last]!,
          high: runs.highs[last]!,
        })
      }
    }
  }
}

/** Throws `MalformedBytesError`. */
function storedPack(row: PackRow): StoredPack {
  if (!hasChecksum(row.payload)) verifyPack(row)
  const directory = decodeDirectory(row.directory, row.from_ms, row.to_ms)
  return { id: row.id, directory, payload: inflatePayload(row.payload, directory) }
}
