import { Statements } from '../statements.ts'

/**
 * Field managers of objects, as numbers in rows. A fleet has a few dozen; beyond `MANAGERS_MAX` a state is stored
 * without its manager.
 */
const MANAGERS_MAX = 10_000

export class FieldManagers extends Statements {
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
