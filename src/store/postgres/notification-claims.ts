import { sql, type Kysely } from 'kysely'
import { FleetError } from '../../base/errors.ts'
import type { Lease } from '../../model/lease.ts'
import {
  CLAIM_FOR_MS,
  type NotificationClaim,
  type NotificationClaims,
  type NotificationLogEntry,
} from '../../model/notification-log.ts'
import type { RunFacts } from '../facts/facts-tables.ts'
import { isPostgres, logEntryOf } from '../facts/row-values.ts'
import type { FactsSchema } from '../facts/schema.ts'
import { checkLeases } from './leases.ts'

/** Who is sending a notification. Of two processes that decide the same one, only one has the claim. */
export class SqlNotificationClaims implements NotificationClaims {
  readonly #run: RunFacts
  readonly #instance: string

  constructor(run: RunFacts, instance: string) {
    this.#run = run
    this.#instance = instance
  }

  async claim(
    entry: Pick<NotificationLogEntry, 'key' | 'atMs'>,
    afterMs: number | undefined,
    under: Lease,
  ): Promise<NotificationClaim> {
    try {
      return await this.#run('claiming a notification', (db) =>
        db.transaction().execute(async (transaction) => {
          await checkLeases(transaction, [under])
          return claimIn(transaction, this.#instance, entry, afterMs)
        }),
      )
    } catch (thrown) {
      const isLost = thrown instanceof FleetError && thrown.code === 'not_ready' && thrown.cause === undefined
      if (isLost) return { kind: 'done' }
      throw thrown
    }
  }

  async release(key: string): Promise<void> {
    await this.#run('ending a claim', (db) =>
      sql`DELETE FROM notification_claim WHERE key = ${key} AND instance = ${this.#instance}`.execute(db),
    )
  }
}

async function claimIn(
  db: Kysely<FactsSchema>,
  instance: string,
  { key, atMs }: Pick<NotificationLogEntry, 'key' | 'atMs'>,
  afterMs: number | undefined,
): Promise<NotificationClaim> {
  const { rows } = await sql`
    INSERT INTO notification_claim (key, instance, claimed) VALUES (${key}, ${instance}, clock_timestamp())
    ON CONFLICT (key) DO UPDATE SET instance = excluded.instance, claimed = excluded.claimed
      WHERE notification_claim.instance = excluded.instance
        OR notification_claim.claimed < clock_timestamp() - ${CLAIM_FOR_MS} * interval '1 millisecond'
    RETURNING key
  `.execute(db)
  if (rows.length === 0) return { kind: 'busy' }
  // After the claim: an entry that another process has put since has ended its claim, and is seen now.
  const row = await db.selectFrom('notification_log').selectAll().where('key', '=', key).executeTakeFirst()
  if (row === undefined || row.at_ms === afterMs || row.expires_at_ms <= atMs) return { kind: 'claimed' }
  await endClaims(db, [key])
  return { kind: 'done', entry: logEntryOf(row) }
}

/** In the transaction that puts the entries: what was claimed was sent. */
export async function endClaims(db: Kysely<FactsSchema>, keys: readonly string[]): Promise<void> {
  if (keys.length === 0 || !isPostgres(db)) return
  await sql`DELETE FROM notification_claim WHERE key = ANY(${keys}::text[])`.execute(db)
}
