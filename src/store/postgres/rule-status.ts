import { sql } from 'kysely'
import type { RunFacts } from '../facts/facts-tables.ts'

/** JSON of what is known of the last evaluation of a group of rules, by its key. `fence`: of the lease of its evaluator. */
export interface GroupStatusRow {
  readonly groupKey: string
  readonly fence: number
  readonly status: string
}

export class SqlGroupStatus {
  readonly #run: RunFacts

  constructor(run: RunFacts) {
    this.#run = run
  }

  /** A row under an older lease than the stored one is left out. */
  async write(rows: readonly GroupStatusRow[]): Promise<void> {
    if (rows.length === 0) return
    await this.#run('writing the status of rules', (db) =>
      sql`
        INSERT INTO rule_group_status (group_key, fence, status)
          SELECT * FROM unnest(
            ${rows.map(({ groupKey }) => groupKey)}::text[],
            ${rows.map(({ fence }) => fence)}::bigint[],
            ${rows.map(({ status }) => status)}::text[]
          ) AS status (group_key, fence, status) ORDER BY 1
        ON CONFLICT (group_key) DO UPDATE SET fence = excluded.fence, status = excluded.status
          WHERE rule_group_status.fence <= excluded.fence
      `.execute(db),
    )
  }

  async read(groupKeys: readonly string[]): Promise<readonly GroupStatusRow[]> {
    if (groupKeys.length === 0) return []
    return this.#run('reading the status of rules', async (db) => {
      const { rows } = await sql<GroupStatusRow>`
        SELECT group_key AS "groupKey", fence, status FROM rule_group_status
        WHERE group_key = ANY(${groupKeys}::text[])
      `.execute(db)
      return rows
    })
  }
}
