import type Database from 'better-sqlite3'
import type { Sighting, StateSpan } from './object-states.ts'
import type { ChangeSink } from '../shipping/change-log.ts'
import { Statements } from '../statements.ts'

/** The rows of observed objects: find, put and remove. Call in the caller's transaction. */

/** An object of a cluster: identified by its uid. */
interface ObjectName {
  readonly cluster: number
  readonly uid: Uint8Array
  readonly kind: number
  readonly namespace: string
  readonly name: string
}

/** A state as a row has it. `facts` as packed. */
export interface StateRow extends StateSpan {
  readonly facts: Uint8Array
}

interface SpanColumns {
  isDeleted: number
  hash: number
  firstVersion: number
  firstMs: number
  firstChange: number
  lastVersion: number
  lastMs: number
  lastChange: number
  seenMs: number
  /** `null`: not reported. */
  firstManager: string | null
  lastManager: string | null
}

export const SPAN_COLUMNS = `is_deleted AS isDeleted, hash, first_version AS firstVersion, first_ms AS firstMs,
  first_change AS firstChange, last_version AS lastVersion, last_ms AS lastMs, last_change AS lastChange,
  seen_ms AS seenMs, (SELECT text FROM field_manager WHERE id = first_manager) AS firstManager,
  (SELECT text FROM field_manager WHERE id = last_manager) AS lastManager`

export function spanOf(row: SpanColumns): StateSpan {
  return {
    isDeleted: row.isDeleted === 1,
    hash: row.hash,
    first: { version: row.firstVersion, ms: row.firstMs, change: row.firstChange, manager: row.firstManager ?? '' },
    last: { version: row.lastVersion, ms: row.lastMs, change: row.lastChange, manager: row.lastManager ?? '' },
    seenMs: row.seenMs,
  }
}

/** States of one object that are compared with each sighting: most have fewer than twenty in a year. */
const FEW_STATES = 200

/** Limit for cached object numbers. */
const KNOWN_MAX = 100_000

export class ObjectRows extends Statements {
  readonly #find = this.db.prepare<[number, Uint8Array, number], { id: number; namespace: string; name: string }>(
    'SELECT id, namespace, name FROM observed_object WHERE cluster = ? AND uid = ? AND kind = ?',
  )
  readonly #name = this.db.prepare<[string, string, number]>(
    'UPDATE observed_object SET namespace = ?, name = ? WHERE id = ?',
  )
  readonly #add = this.db.prepare<[number, Uint8Array, number, string, string]>(
    'INSERT INTO observed_object (cluster, uid, kind, namespace, name) VALUES (?, ?, ?, ?, ?)',
  )
  readonly #state = this.db.prepare<[number, number, number], SpanColumns>(
    `SELECT ${SPAN_COLUMNS} FROM object_state WHERE object = ? AND is_deleted = ? AND hash = ?`,
  )
  readonly #states = this.db.prepare<[number], SpanColumns>(`SELECT ${SPAN_COLUMNS} FROM object_state WHERE object = ?`)
  readonly #newest = this.db.prepare<[number], SpanColumns & { facts: Uint8Array }>(
    `SELECT ${SPAN_COLUMNS}, facts FROM object_state WHERE object = ?`,
  )
  readonly #managers: FieldManagers
  readonly #put = this.db.prepare<(number | Uint8Array | null)[]>(
    `INSERT INTO object_state (object, is_deleted, hash, first_version, first_ms, first_change, first_manager,
         last_version, last_ms, last_change, last_manager, seen_ms, facts)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  readonly #move = this.db.prepare<(number | null)[]>(
    `UPDATE object_state SET first_version = ?, first_ms = ?, first_change = ?, first_manager = ?, last_version = ?,
         last_ms = ?, last_change = ?, last_manager = ?, seen_ms = ? WHERE object = ? AND is_deleted = ? AND hash = ?`,
  )
  readonly #touch = this.db.prepare<number[]>(
    'UPDATE object_state SET seen_ms = ? WHERE object = ? AND is_deleted = ? AND hash = ?',
  )
  readonly #newer = this.db.prepare<number[], { one: number }>(
    `SELECT 1 AS one FROM object_state WHERE object = ? AND (last_version > ? OR seen_ms > ?)
         AND (is_deleted, hash) <> (?, ?) LIMIT 1`,
  )
  readonly #many = this.db.prepare<[number], { one: number }>(
    `SELECT 1 AS one FROM object_state WHERE object = ? LIMIT 1 OFFSET ${FEW_STATES}`,
  )
  readonly #clear = this.db.prepare<[number]>('DELETE FROM object_state WHERE object = ?')
  readonly #known = new Map<string, number>()

  readonly #changes: ChangeSink | undefined

  constructor(db: Database.Database, changes?: ChangeSink) {
    super(db)
    this.#changes = changes
    this.#managers = new FieldManagers(db)
  }

  /** The number of an object, made when it has none. */
  idOf(object: ObjectName): number {
    const { cluster, uid, kind, namespace, name } = object
    const key = `${cluster} ${Buffer.from(uid).toString('latin1')} ${kind} ${namespace} ${name}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const found = this.#find.get(cluster, uid, kind)
    const id = found?.id ?? Number(this.#add.run(cluster, uid, kind, namespace, name).lastInsertRowid)
    if (found === undefined) this.#changes?.note({ kind: 'object', object: id })
    else this.#rename(found, object)
    if (this.#known.size >= KNOWN_MAX) this.#known.clear()
    this.#known.set(key, id)
    return id
  }

  isKnown(cluster: number, uid: Uint8Array, kind: number): boolean {
    return this.#find.get(cluster, uid, kind) !== undefined
  }

  /** Objects are never renamed; for contradictory names the lesser one is stored, in any order of arrival. */
  #rename(known: { readonly id: number; readonly namespace: string; readonly name: string }, object: ObjectName): void {
    const { namespace, name } = object
    if (known.name === name && known.namespace === namespace) return
    const isLess = namespace < known.namespace || (namespace === known.namespace && name < known.name)
    if (known.name !== '' && !isLess) return
    this.#name.run(namespace, name, known.id)
    this.#changes?.note({ kind: 'object', object: known.id })
  }

  /** Call after a rollback: numbers assigned by the transaction do not exist. */
  forget(): void {
    this.#known.clear()
    this.#managers.forget()
  }

  state(object: number, isDeleted: boolean, hash: number): StateSpan | undefined {
    const row = this.#state.get(object, Number(isDeleted), hash)
    return row === undefined ? undefined : spanOf(row)
  }

  states(object: number): StateSpan[] {
    return this.#states.all(object).map(spanOf)
  }

  /** The stored state of an object of which only the newest is stored. */
  newest(object: number): StateRow | undefined {
    const row = this.#newest.get(object)
    return row === undefined ? undefined : { ...spanOf(row), facts: row.facts }
  }

  put(object: number, { isDeleted, hash, first, last, seenMs, facts }: StateRow): void {
    this.#put.run(object, Number(isDeleted), hash, ...this.#columnsOf(first), ...this.#columnsOf(last), seenMs, facts)
    this.#changes?.note({ kind: 'state', object, isDeleted, hash })
  }

  move(object: number, { isDeleted, hash, first, last, seenMs }: StateSpan): void {
    this.#move.run(...this.#columnsOf(first), ...this.#columnsOf(last), seenMs, object, Number(isDeleted), hash)
    this.#changes?.note({ kind: 'state', object, isDeleted, hash })
  }

  /** Only the time of the last sighting. */
  touch(object: number, { isDeleted, hash, seenMs }: StateSpan): void {
    this.#touch.run(seenMs, object, Number(isDeleted), hash)
    this.#changes?.note({ kind: 'state', object, isDeleted, hash })
  }

  /** Too many to be read with each sighting. */
  hasMany(object: number): boolean {
    return this.#many.get(object) !== undefined
  }

  /** Whether another state of the object has a higher version, or was observed later. */
  isOtherNewer(object: number, { isDeleted, hash, last, seenMs }: StateSpan): boolean {
    return this.#newer.get(object, last.version, seenMs, Number(isDeleted), hash) !== undefined
  }

  removeStates(object: number): void {
    this.#clear.run(object)
  }

  #columnsOf({ version, ms, change, manager }: Sighting): [number, number, number, number | null] {
    return [version, ms, change, this.#managers.idOf(manager)]
  }
}

/**
 * Field managers of objects, as numbers in rows. A fleet has a few dozen; beyond `MANAGERS_MAX` a state is stored
 * without its manager.
 */
const MANAGERS_MAX = 10_000

class FieldManagers extends Statements {
  readonly #all = this.db.prepare<[], { id: number; text: string }>('SELECT id, text FROM field_manager')
  readonly #add = this.db.prepare<[string]>('INSERT INTO field_manager (text) VALUES (?)')
  #ids: Map<string, number> | undefined

  /** @param text of object-codec.ts; `null` for the empty one: not reported */
  idOf(text: string): number | null {
    if (text === '') return null
    this.#ids ??= new Map(this.#all.all().map((row) => [row.text, row.id]))
    const known = this.#ids.get(text)
    if (known !== undefined || this.#ids.size >= MANAGERS_MAX) return known ?? null
    const id = Number(this.#add.run(text).lastInsertRowid)
    this.#ids.set(text, id)
    return id
  }

  /** Call after a rollback: numbers assigned by the transaction do not exist. */
  forget(): void {
    this.#ids = undefined
  }
}
