import { randomBytes } from 'node:crypto'
import type Database from 'better-sqlite3'
import type { Kysely, Selectable } from 'kysely'
import {
  AuditChain,
  auditHash,
  BLANK_ACTION,
  type AuditLink,
  type AuditRow,
  type AuditVerdict,
} from '../../model/audit-chain.ts'
import { AUDIT_ACTIONS, type AuditedAction, type AuditEntry } from '../../model/audit.ts'
import { FactsTables } from './facts-tables.ts'
import { replaceRows } from './replace-rows.ts'
import { AUDIT_TURN, inTurn, oneOf } from './row-values.ts'
import type { AuditTable, FactsSchema } from './schema.ts'

/** The row of `meta` with the `AuditLink` of the last entry that was removed, or that is from before the chain. */
const ANCHOR = 'audit.anchor'

/** Entries in memory while the chain is followed. */
const PAGE = 1000

/** Writes the entry in the transaction `db`, and continues the chain. */
export async function insertAudit(db: Kysely<FactsSchema>, audited: AuditedAction): Promise<void> {
  const { atMs, by, action, subject, detail } = audited
  const salt = newSalt()
  // The write comes first: it takes the lock, and no other process adds an entry before the transaction ends.
  const { id } = await db
    .insertInto('audit')
    .values({ at_ms: atMs, by, action, subject, detail, salt, hash: '' })
    .returning('id')
    .executeTakeFirstOrThrow()
  const before = await db
    .selectFrom('audit')
    .select(['id', 'hash'])
    .where('id', '<', id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  const hash = auditHash((before ?? (await anchorOf(db))).hash, { id, salt, ...audited })
  await db.updateTable('audit').set({ hash }).where('id', '=', id).execute()
}

/** As `insertAudit`, for a connection without Kysely that is in a transaction. */
export function insertAuditSync(db: Database.Database, audited: AuditedAction): void {
  const { atMs, by, action, subject, detail } = audited
  const salt = newSalt()
  const added = db
    .prepare('INSERT INTO audit (at_ms, by, action, subject, detail, salt) VALUES (?, ?, ?, ?, ?, ?)')
    .run(atMs, by, action, subject, detail, salt)
  const id = Number(added.lastInsertRowid)
  const before = db
    .prepare<[number], string>('SELECT hash FROM audit WHERE id < ? ORDER BY id DESC LIMIT 1')
    .pluck()
    .get(id)
  const hash = auditHash(before ?? anchorSync(db).hash, { id, salt, ...audited })
  db.prepare('UPDATE audit SET hash = ? WHERE id = ?').run(hash, id)
}

function anchorSync(db: Database.Database): AuditLink {
  const value = db.prepare<[string], string>('SELECT value FROM meta WHERE key = ?').pluck().get(ANCHOR)
  return value === undefined ? NO_ANCHOR : (JSON.parse(value) as AuditLink)
}

/** So many bits that nobody tries all of them for one guess of an entry's content. */
function newSalt(): string {
  return randomBytes(16).toString('hex')
}

/** Before a WHERE: removes the content of entries, which stay links of the chain. */
export const BLANK_AUDIT = `UPDATE audit SET by = '', action = '${BLANK_ACTION}', subject = '', detail = '', salt = ''`

const NO_ANCHOR: AuditLink = { id: 0, hash: '' }

async function anchorOf(db: Kysely<FactsSchema>): Promise<AuditLink> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', ANCHOR).executeTakeFirst()
  return row === undefined ? NO_ANCHOR : (JSON.parse(row.value) as AuditLink)
}

/** The audit log. Actions that change other facts write their entry themselves, in their own transaction. */
export class SqlAudit extends FactsTables {
  /** Records an action that changes no fact. */
  async add(audited: AuditedAction): Promise<void> {
    await this.transact('writing the audit', (transaction) => insertAudit(transaction, audited))
  }

  /** Newest first, without erased ones; only entries with a smaller id than `before`. */
  async list(limit: number, before?: number): Promise<readonly AuditEntry[]> {
    const rows = await this.run('reading the audit', (db) => {
      const newest = db
        .selectFrom('audit')
        .selectAll()
        .where('action', '!=', BLANK_ACTION)
        .orderBy('id', 'desc')
        .limit(limit)
      return (before === undefined ? newest : newest.where('id', '<', before)).execute()
    })
    return rows.map(({ id, at_ms: atMs, by, action, subject, detail, hash }) => {
      return { ...{ id, atMs, by, subject, detail, hash }, action: oneOf(AUDIT_ACTIONS, action) }
    })
  }

  /** Follows the chain through all entries, as of one moment. @param noted an earlier end of the chain */
  async verify(noted?: AuditLink): Promise<AuditVerdict> {
    return this.transactAtOneMoment('reading the audit', async (db) => {
      const chain = new AuditChain(await anchorOf(db), noted)
      for (let after = -1; ;) {
        const rows = await db
          .selectFrom('audit')
          .selectAll()
          .where('id', '>', after)
          .orderBy('id')
          .limit(PAGE)
          .execute()
        for (const row of rows) {
          const fault = chain.follow(rowOf(row))
          if (fault !== undefined) return { ...chain.verdict(), fault }
          after = row.id
        }
        if (rows.length < PAGE) return chain.verdict()
      }
    })
  }

  /** Removes the oldest entries, up to the first that is not from before a time. The anchor takes their place. */
  async prune(beforeMs: number): Promise<void> {
    await this.transact('removing old entries of the audit', async (db) => {
      await inTurn(db, AUDIT_TURN)
      const kept = await db
        .selectFrom('audit')
        .select('id')
        .where('at_ms', '>=', beforeMs)
        .orderBy('id')
        .limit(1)
        .execute()
      const newest = db.selectFrom('audit').select(['id', 'hash']).orderBy('id', 'desc').limit(1)
      const first = kept[0]?.id
      const last = await (first === undefined ? newest : newest.where('id', '<', first)).executeTakeFirst()
      if (last === undefined) return
      await db.deleteFrom('audit').where('id', '<=', last.id).execute()
      if (last.id <= (await anchorOf(db)).id) return
      await replaceRows(db, 'meta', [{ key: ANCHOR, value: JSON.stringify(last) }])
    })
  }
}

function rowOf({ at_ms: atMs, ...row }: Selectable<AuditTable>): AuditRow {
  return { ...row, atMs }
}
