import { FactsTables } from './facts-tables.ts'
import { replaceRows } from './replace-rows.ts'

/** Small texts by key: what the program must remember about the directory itself. */
export class SqlMeta extends FactsTables {
  async get(key: string): Promise<string | undefined> {
    const row = await this.run('reading meta', (db) =>
      db.selectFrom('meta').select('value').where('key', '=', key).executeTakeFirst(),
    )
    return row?.value
  }

  async set(key: string, value: string): Promise<void> {
    await this.run('writing meta', (db) => replaceRows(db, 'meta', [{ key, value }]))
  }
}
