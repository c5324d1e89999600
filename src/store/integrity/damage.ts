import type { TimeRange } from '../../model/time-range.ts'
import { messageOf } from '../../base/errors.ts'
import { isDamage, readable } from '../database.ts'
import { Statements } from '../statements.ts'
import { ROW_CHECKS, type StoredRow } from './row-checks.ts'

/** What of the database is damaged: a row of `damage`. Both times are inclusive. */
export interface Damage extends TimeRange {
  /** The table; `pages` and a table: pages of the database file. */
  readonly kind: string
  /** Of the row; 0: unknown. */
  readonly id: number
  /** The metric, and the first and the last series, whose samples may be missing; -1: of any metric. */
  readonly metric: number
  readonly firstRef: number
  readonly lastRef: number
  readonly message: string
}

/** Of all damage. */
export interface DamageSummary {
  readonly count: number
  /** The oldest and the newest time of samples that are missing; undefined: none are, as far as known. */
  readonly fromMs: number | undefined
  readonly toMs: number | undefined
  /** Of the first. */
  readonly kind: string
  readonly message: string
}

/** Found by a scrub or a reader. */
export type FoundDamage = Pick<Damage, 'kind' | 'id' | 'message'> & Partial<Damage>

/** Rows of `damage`: more are only counted as one more of the last. */
const DAMAGE_MAX = 10_000
/** Tables whose damaged rows are moved out of the way. */
const QUARANTINED: ReadonlySet<string> = new Set(['pack', 'rollup'])

const COLUMNS =
  'kind, id, metric, first_ref AS firstRef, last_ref AS lastRef, from_ms AS fromMs, to_ms AS toMs, message FROM damage'

interface Placed {
  readonly block: number
  readonly metric: number
  readonly firstRef: number
  readonly lastRef: number
  readonly fromMs: number
  readonly toMs: number
}

/**
 * The writer's list of damage. A damaged pack or rollup is quarantined: its row gets the negative number of its block, so
 * that no reader, roll-up and compaction finds it, and its bytes stay for `daytwo doctor`. Other damaged rows stay where
 * they are and fail the reads of themselves.
 */
export class DamageList extends Statements {
  readonly #announce: (damage: Damage) => void
  readonly #all = new Map<string, Damage>()
  /** Keys that the present pass of the scrub has found. */
  #foundInPass = new Set<string>()
  readonly #insert = this.db.prepare<[string, number, number, number, number, number, number, string]>(
    'INSERT OR IGNORE INTO damage (kind, id, metric, first_ref, last_ref, from_ms, to_ms, message) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  )
  readonly #remove = this.db.prepare<[string, number, number, number]>(
    'DELETE FROM damage WHERE kind = ? AND id = ? AND metric = ? AND first_ref = ?',
  )

  /** @param announce called for each new damage, for the readers */
  constructor(db: Statements['db'], announce: (damage: Damage) => void) {
    super(db)
    this.#announce = announce
    for (const damage of storedDamage(db)) this.#all.set(keyOf(damage), damage)
  }

  /** Undefined while nothing is damaged. */
  get summary(): DamageSummary | undefined {
    const all = [...this.#all.values()]
    const [first] = all
    if (first === undefined) return undefined
    const timed = all.filter(({ lastRef }) => lastRef > 0)
    const isTimed = timed.length > 0
    return {
      count: all.length,
      fromMs: isTimed ? timed.reduce((least, { fromMs }) => Math.min(least, fromMs), Infinity) : undefined,
      toMs: isTimed ? timed.reduce((most, { toMs }) => Math.max(most, toMs), -Infinity) : undefined,
      kind: first.kind,
      message: first.message,
    }
  }

  /** Quarantines the damaged rows among those that a read or the scrub found; a row may have been replaced since. */
  add(found: readonly FoundDamage[]): void {
    for (const one of found) {
      if (!QUARANTINED.has(one.kind) || one.id === 0) this.#put({ ...NOWHERE, ...one })
      else if (this.#isDamaged(one)) this.quarantine(one.kind as 'pack' | 'rollup', one.id, one.message)
    }
  }

  /** Runs `read` on a row; when that is damaged, quarantines it and returns undefined. */
  around<T>(kind: 'pack' | 'rollup', id: number, read: () => T): T | undefined {
    try {
      return read()
    } catch (thrown) {
      if (!isDamage(thrown)) throw thrown
      this.quarantine(kind, id, messageOf(thrown))
      return undefined
    }
  }

  /** Moves a damaged row out of the way; with a broken page it cannot be moved, and each read of it fails. */
  quarantine(kind: 'pack' | 'rollup', id: number, message: string): void {
    const placed = readable(() => this.#placeOf(kind, id))
    if (placed === undefined || placed.block < 0) return
    // Not in one transaction, which a broken page would end.
    this.#put({ kind, id, message, ...placed })
    readable(() => this.db.prepare<[number]>(`UPDATE ${kind} SET block = -block WHERE id = ?`).run(id))
  }

  /** At the end of a pass of the scrub: what it did not find again is no longer there. */
  endPass(): void {
    for (const [key, damage] of this.#all) {
      if (this.#foundInPass.has(key) || (QUARANTINED.has(damage.kind) && damage.id !== 0)) continue
      this.#forget(key, damage)
    }
    this.#foundInPass = new Set()
  }

  /** Removes quarantined rows whose retention has passed. */
  removeOlder(kind: 'pack' | 'rollup', floorMs: number): void {
    for (const [key, damage] of this.#all) {
      if (damage.kind !== kind || damage.toMs >= floorMs) continue
      readable(() => this.db.prepare<[number]>(`DELETE FROM ${kind} WHERE id = ? AND block < 0`).run(damage.id))
      this.#forget(key, damage)
    }
  }

  #put(damage: Damage): void {
    const key = keyOf(damage)
    this.#foundInPass.add(key)
    if (this.#all.has(key) || this.#all.size >= DAMAGE_MAX) return
    const { kind, id, metric, firstRef, lastRef, fromMs, toMs, message } = damage
    this.#insert.run(kind, id, metric, firstRef, lastRef, fromMs, toMs, message)
    this.#all.set(key, damage)
    this.#announce(damage)
  }

  #forget(key: string, { kind, id, metric, firstRef }: Damage): void {
    this.#remove.run(kind, id, metric, firstRef)
    this.#all.delete(key)
  }

  #isDamaged({ kind, id }: FoundDamage): boolean {
    const check = ROW_CHECKS.find(({ table }) => table === kind)!
    try {
      const row = this.db
        .prepare<[number], StoredRow>(`SELECT ${check.columns.join(', ')} FROM ${kind} WHERE id = ?`)
        .get(id)
      if (row !== undefined) check.verify(row)
      return false
    } catch (thrown) {
      if (isDamage(thrown)) return true
      throw thrown
    }
  }

  /** A rollup has no times: those of its block. */
  #placeOf(kind: 'pack' | 'rollup', id: number): Placed | undefined {
    const times = kind === 'pack' ? 'pack' : 'block'
    return this.db
      .prepare<[number], Placed>(
        `SELECT block, metric, first_ref AS firstRef, last_ref AS lastRef, ${times}.from_ms AS fromMs, ${times}.to_ms AS toMs
           FROM ${kind} JOIN block ON block.id = abs(block) WHERE ${kind}.id = ?`,
      )
      .get(id)
  }
}

const NOWHERE = { metric: -1, firstRef: 0, lastRef: 0, fromMs: 0, toMs: 0 } as const

export function storedDamage(db: Statements['db']): readonly Damage[] {
  return db.prepare<[], Damage>(`SELECT ${COLUMNS}`).all()
}

export function keyOf({ kind, id, metric, firstRef }: Damage): string {
  return `${kind} ${id} ${metric} ${firstRef}`
}
