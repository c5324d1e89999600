import { sql, type Kysely, type Selectable } from 'kysely'
import { runKeyOf, type AlertRunKey } from '../../model/alert-run.ts'
import type { AuditedAction } from '../../model/audit.ts'
import {
  ENTRIES_MAX,
  RUN_ENTRIES_MAX,
  RUN_TEXT_CHARS_MAX,
  subjectOf,
  WORK_KINDS,
  type NewWorkEntry,
  type RunbookRevision,
  type RunbookStep,
  type RunbookWorkReader,
  type WorkAdded,
  type WorkEntry,
} from '../../model/runbook-work.ts'
import { insertAudit } from './audit.ts'
import { FactsTables } from './facts-tables.ts'
import { inTurn, insertBatches, listed, oneOf, WORK_TURN } from './row-values.ts'
import type { FactsSchema, RunbookRevisionTable, RunbookWorkTable } from './schema.ts'

/** What people record while they work through runbooks, and the revisions of these. */
export class SqlRunbookWork extends FactsTables implements RunbookWorkReader {
  async entries(runs: readonly AlertRunKey[]): Promise<readonly WorkEntry[]> {
    if (runs.length === 0) return []
    const keys = new Set(runs.map(runKeyOf))
    const fingerprints = [...new Set(runs.map(({ fingerprint }) => fingerprint))]
    const rows = await this.run('reading work on alerts', (db) =>
      db
        .selectFrom('runbook_work')
        .selectAll()
        .where('fingerprint', 'in', listed(db, fingerprints))
        .orderBy('fingerprint')
        .orderBy('active_at_ms')
        .orderBy('number')
        .execute(),
    )
    return rows.map(entryOf).filter((entry) => keys.has(runKeyOf(entry)))
  }

  /**
   * Adds an entry with its audit in one transaction, unless it repeats the last one of its subject, contradicts one that is
   * newer than what the client has read, or exceeds a limit. Durable when it resolves.
   * @param seen the number of the newest entry that the client has read; absent: it contradicts whatever is there
   */
  async add(entry: NewWorkEntry, seen: number | undefined, audited: AuditedAction): Promise<WorkAdded> {
    return this.transact('writing work on an alert', async (transaction) => {
      // The number of an entry follows from those before it.
      await inTurn(transaction, WORK_TURN)
      const before = await entriesOf(transaction, entry)
      const number = (before.at(-1)?.number ?? 0) + 1
      const subject = subjectOf({ ...entry, number })
      const last = before.findLast((one) => subjectOf(one) === subject)
      const isRevoked = entry.kind === 'untick' || entry.kind === 'not_helped'
      if (last === undefined && isRevoked) return { kind: 'same', number: number - 1 }
      if (last?.kind === entry.kind && last.step === entry.step && last.text === entry.text) {
        return { kind: 'same', number: last.number }
      }
      if (last !== undefined && last.number > (seen ?? Infinity)) {
        return { kind: 'conflict', by: last.by, atMs: last.atMs }
      }
      const chars = before.reduce((sum, { text = '' }) => sum + text.length, (entry.text ?? '').length)
      if (before.length >= RUN_ENTRIES_MAX || chars > RUN_TEXT_CHARS_MAX) return { kind: 'run_full' }
      if (before.length === 0 && (await countOf(transaction)) >= ENTRIES_MAX) return { kind: 'full' }
      await transaction
        .insertInto('runbook_work')
        .values(rowOf({ ...entry, number }))
        .execute()
      await insertAudit(transaction, audited)
      return { kind: 'added', number }
    })
  }

  async revisions(runbook?: string): Promise<readonly RunbookRevision[]> {
    const rows = await this.run('reading revisions of runbooks', (db) => {
      const all = db.selectFrom('runbook_revision').selectAll().orderBy('runbook').orderBy('from_ms')
      return (runbook === undefined ? all : all.where('runbook', '=', runbook)).execute()
    })
    return rows.map(revisionOf)
  }

  /**
   * Stores the revisions that differ from the newest ones of their runbooks, and removes those that were replaced before a
   * time. Durable when it resolves.
   */
  async recordRevisions(revisions: readonly RunbookRevision[], replacedBeforeMs: number): Promise<void> {
    await this.transact('writing revisions of runbooks', async (transaction) => {
      await inTurn(transaction, WORK_TURN)
      const stored = await transaction
        .selectFrom('runbook_revision')
        .select(['runbook', 'from_ms', 'revision'])
        .orderBy('from_ms')
        .execute()
      const newest = new Map(stored.map(({ runbook, revision }) => [runbook, revision]))
      const changed = revisions.filter(({ runbook, revision }) => newest.get(runbook) !== revision)
      for (const rows of insertBatches(changed.map(rowOfRevision))) {
        await transaction
          .insertInto('runbook_revision')
          .values(rows)
          // Twice within a millisecond: the second counts.
          .onConflict((conflict) =>
            conflict.columns(['runbook', 'from_ms']).doUpdateSet((update) => ({
              revision: update.ref('excluded.revision'),
              steps: update.ref('excluded.steps'),
            })),
          )
          .execute()
      }
      await transaction
        .deleteFrom('runbook_revision')
        .where((eb) =>
          eb.exists(
            eb
              .selectFrom('runbook_revision as next')
              .select('next.revision')
              .whereRef('next.runbook', '=', 'runbook_revision.runbook')
              .whereRef('next.from_ms', '>', 'runbook_revision.from_ms')
              .where('next.from_ms', '<', replacedBeforeMs),
          ),
        )
        .execute()
    })
  }
}

/** Of the occurrence of an entry. */
async function entriesOf(db: Kysely<FactsSchema>, { fingerprint, activeAtMs }: AlertRunKey) {
  const rows = await db
    .selectFrom('runbook_work')
    .selectAll()
    .where('fingerprint', '=', fingerprint)
    .where('active_at_ms', '=', activeAtMs)
    .orderBy('number')
    .execute()
  return rows.map(entryOf)
}

async function countOf(db: Kysely<FactsSchema>): Promise<number> {
  const row = await db
    .selectFrom('runbook_work')
    .select(sql<number | string>`count(*)`.as('count'))
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

function rowOf({ activeAtMs, atMs, step, text, ...entry }: WorkEntry): RunbookWorkTable {
  return { ...entry, active_at_ms: activeAtMs, at_ms: atMs, step: step ?? null, text: text ?? null }
}

function entryOf(row: Selectable<RunbookWorkTable>): WorkEntry {
  const { active_at_ms: activeAtMs, at_ms: atMs, step, text, kind, ...entry } = row
  return {
    ...entry,
    ...{ activeAtMs, atMs },
    kind: oneOf(WORK_KINDS, kind),
    ...(step === null ? {} : { step }),
    ...(text === null ? {} : { text }),
  }
}

function rowOfRevision({ runbook, revision, fromMs, steps }: RunbookRevision): RunbookRevisionTable {
  return { runbook, revision, from_ms: fromMs, steps: JSON.stringify(steps) }
}

function revisionOf({ from_ms: fromMs, steps, ...row }: Selectable<RunbookRevisionTable>): RunbookRevision {
  return { ...row, fromMs, steps: JSON.parse(steps) as readonly RunbookStep[] }
}
