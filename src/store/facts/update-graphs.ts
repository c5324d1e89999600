import type { AuditedAction } from '../../model/audit.ts'
import { GRAPH_OPERATORS, IMPORT_KINDS, type GraphImport } from '../../model/graph-import.ts'
import { insertAudit } from './audit.ts'
import { FactsTables } from './facts-tables.ts'
import { replaceRows } from './replace-rows.ts'
import { oneOf } from './row-values.ts'

/** Imported catalogs and graphs. They never expire: a user replaces or removes them. */
export class SqlUpdateGraphs extends FactsTables {
  /** By name. */
  async list(): Promise<readonly GraphImport[]> {
    const rows = await this.run('reading imported graphs', (db) =>
      db.selectFrom('update_graph').selectAll().orderBy('name').execute(),
    )
    return rows.map(({ arch, imported_at_ms: importedMs, kind, operator, ...row }) => ({
      ...row,
      ...{ kind: oneOf(IMPORT_KINDS, kind), operator: oneOf(GRAPH_OPERATORS, operator), importedMs },
      ...(arch === null ? {} : { arch }),
    }))
  }

  /** Adds or replaces one, with the entry of the audit, in one transaction; durable when it resolves. */
  async put({ importedMs, arch, ...rest }: GraphImport, audited: AuditedAction): Promise<void> {
    await this.transact('writing an imported graph', async (transaction) => {
      await replaceRows(transaction, 'update_graph', [{ ...rest, arch: arch ?? null, imported_at_ms: importedMs }])
      await insertAudit(transaction, audited)
    })
  }

  /** Removes one, as `put` adds it. False, and nothing in the audit, when there is none. */
  async remove(name: string, audited: AuditedAction): Promise<boolean> {
    return this.transact('removing an imported graph', async (transaction) => {
      const { numDeletedRows } = await transaction
        .deleteFrom('update_graph')
        .where('name', '=', name)
        .executeTakeFirst()
      if (numDeletedRows > 0n) await insertAudit(transaction, audited)
      return numDeletedRows > 0n
    })
  }
}
