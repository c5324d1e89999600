import type { AuditedAction } from '../../model/audit.ts'
import type { ConfigurationBaseline } from '../../model/configuration.ts'
import { insertAudit } from './audit.ts'
import { FactsTables } from './facts-tables.ts'
import { replaceRows } from './replace-rows.ts'

/** There is one for the whole fleet. */
const THE_ONE = 1

/** The cluster with whose configuration all others are compared. */
export class SqlConfigurationBaseline extends FactsTables {
  async read(): Promise<ConfigurationBaseline | undefined> {
    const row = await this.run('reading the baseline cluster', (db) =>
      db.selectFrom('configuration_baseline').selectAll().executeTakeFirst(),
    )
    return row && { cluster: row.cluster, by: row.by, chosenMs: row.chosen_at_ms }
  }

  /** Replaces it, with the entries of the audit, in one transaction; durable when it resolves. Removes it once. */
  async write(chosen: ConfigurationBaseline | undefined, actions: readonly AuditedAction[]): Promise<void> {
    await this.transact('writing the baseline cluster', async (transaction) => {
      if (chosen === undefined) {
        const { numDeletedRows } = await transaction.deleteFrom('configuration_baseline').executeTakeFirst()
        if (numDeletedRows === 0n) return
      } else {
        const { cluster, by, chosenMs } = chosen
        await replaceRows(transaction, 'configuration_baseline', [{ id: THE_ONE, cluster, by, chosen_at_ms: chosenMs }])
      }
      for (const audited of actions) await insertAudit(transaction, audited)
    })
  }
}
