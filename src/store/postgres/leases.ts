import { sql, type Kysely } from 'kysely'
import { FleetError } from '../../base/errors.ts'
import type { Lease, LeaseCounts, LeaseKind, LeaseStore, ProcessRecord } from '../../model/lease.ts'
import { LEASE_KINDS } from '../../model/lease.ts'
import { formatReport, parseReport, type ProcessReport } from '../../model/process-report.ts'
import type { RunFacts } from '../facts/facts-tables.ts'
import { oneOf } from '../facts/row-values.ts'
import type { FactsSchema } from '../facts/schema.ts'

/** A process as it announces itself. `instance` is random, of this start. */
export interface ProcessIdentity {
  readonly name: string
  readonly instance: string
  readonly version: string
  readonly roles: readonly string[]
  readonly startedMs: number
}

interface LeaseRow {
  readonly kind: string
  readonly name: string
  readonly fence: number
}

interface ProcessRow {
  readonly name: string
  readonly instance: string
  readonly version: string
  readonly roles: string
  readonly started: number
  readonly silent: number
  readonly isRunning: boolean
  readonly ended: boolean
  readonly report: string
}

/** A process that was silent for longer is not known any more, so that a name that is never used again ends. */
const KNOWN_FOR_DAYS = 30

/** Owners that live. A lease of any other owner is free. */
const LIVING = sql`(SELECT instance FROM process WHERE lives_until > clock_timestamp())`

export class SqlLeases implements LeaseStore {
  readonly #run: RunFacts
  readonly #self: ProcessIdentity

  constructor(run: RunFacts, self: ProcessIdentity) {
    this.#run = run
    this.#self = self
  }

  async beat(livesForMs: number, report: ProcessReport): Promise<readonly ProcessRecord[] | undefined> {
    const { name, instance, version, roles, startedMs } = this.#self
    const until = sql`clock_timestamp() + ${livesForMs} * interval '1 millisecond'`
    return this.#transact('announcing this process', async (db) => {
      // Of two processes of one name, the one that started later: the other has lost its row, and ends what it does.
      const { rows } = await sql`
        INSERT INTO process (name, instance, version, roles, started_at_ms, seen, lives_until, report)
        VALUES (${name}, ${instance}, ${version}, ${roles.join(',')}, ${startedMs}, clock_timestamp(), ${until},
          ${formatReport(report, instance)})
        ON CONFLICT (name) DO UPDATE SET instance = excluded.instance, version = excluded.version,
          roles = excluded.roles, started_at_ms = excluded.started_at_ms, seen = excluded.seen,
          lives_until = excluded.lives_until, report = excluded.report, ended = false
        WHERE process.instance = excluded.instance OR process.started_at_ms <= excluded.started_at_ms
          OR process.lives_until <= clock_timestamp()
        RETURNING name
      `.execute(db)
      if (rows.length === 0) return undefined
      const known = await sql<ProcessRow>`
        SELECT name, instance, version, roles, started_at_ms AS started, ended, report,
          lives_until > clock_timestamp() AS "isRunning",
          (extract(epoch FROM clock_timestamp() - seen) * 1000)::bigint AS silent
        FROM process WHERE seen > clock_timestamp() - ${KNOWN_FOR_DAYS} * interval '1 day' ORDER BY name
      `.execute(db)
      return known.rows.map((row) => processOf(row, instance))
    })
  }

  async register(kind: LeaseKind, names: readonly string[]): Promise<void> {
    if (names.length === 0) return
    // In one order, so that two processes that register the same do not wait for each other.
    await this.#write(
      'registering leases',
      sql`
      INSERT INTO lease (kind, name) SELECT ${kind}, name FROM unnest(${names}::text[]) AS name ORDER BY name
      ON CONFLICT DO NOTHING
    `,
    )
  }

  async count(kind: LeaseKind): Promise<LeaseCounts> {
    const rows = await this.#write<LeaseCounts>(
      'counting leases',
      sql`
      SELECT count(*) AS total, count(*) FILTER (WHERE owner = ${this.#self.instance}) AS mine,
        count(*) FILTER (WHERE owner IS NULL OR owner NOT IN ${LIVING}) AS free
      FROM lease WHERE kind = ${kind}
    `,
    )
    return rows[0] ?? { total: 0, mine: 0, free: 0 }
  }

  async take(kind: LeaseKind, max: number, names?: readonly string[]): Promise<readonly Lease[]> {
    const { instance } = this.#self
    const wanted = names === undefined ? sql`` : sql`AND name = ANY(${names}::text[])`
    const rows = await this.#write<LeaseRow>(
      'taking leases',
      sql`
      UPDATE lease SET owner = ${instance}, fence = fence + 1
      WHERE kind = ${kind} AND name IN (
        SELECT name FROM lease
        WHERE kind = ${kind} AND (owner IS NULL OR owner NOT IN ${LIVING}) ${wanted}
        ORDER BY name LIMIT ${max} FOR UPDATE SKIP LOCKED
      ) AND EXISTS (SELECT 1 FROM ${LIVING} AS living WHERE instance = ${instance})
      RETURNING kind, name, fence
    `,
    )
    return rows.map(leaseOf)
  }

  async release(kind: LeaseKind, names: readonly string[]): Promise<void> {
    if (names.length === 0) return
    await this.#write(
      'releasing leases',
      sql`
      UPDATE lease SET owner = NULL
      WHERE kind = ${kind} AND owner = ${this.#self.instance} AND name = ANY(${names}::text[])
    `,
    )
  }

  async mine(): Promise<readonly Lease[]> {
    const rows = await this.#write<LeaseRow>(
      'reading leases',
      sql`
      SELECT kind, name, fence FROM lease WHERE owner = ${this.#self.instance}
    `,
    )
    return rows.map(leaseOf)
  }

  async leave(report: ProcessReport): Promise<void> {
    const { instance } = this.#self
    await this.#write(
      'leaving',
      sql`
      UPDATE process SET lives_until = clock_timestamp(), ended = true, report = ${formatReport(report, instance)}
      WHERE instance = ${instance}
    `,
    )
  }

  async remove(): Promise<void> {
    await this.#write('leaving', sql`DELETE FROM process WHERE instance = ${this.#self.instance}`)
  }

  async forget(name: string): Promise<boolean> {
    const rows = await this.#write(
      'removing a process',
      sql`DELETE FROM process WHERE name = ${name} AND lives_until <= clock_timestamp() RETURNING name`,
    )
    return rows.length > 0
  }

  #write<R>(what: string, statement: ReturnType<typeof sql<R>>): Promise<readonly R[]> {
    return this.#run(what, async (db) => (await statement.execute(db)).rows)
  }

  #transact<T>(what: string, work: (db: Kysely<FactsSchema>) => Promise<T>): Promise<T> {
    return this.#run(what, (db) => db.transaction().execute(work))
  }
}

function processOf(row: ProcessRow, self: string): ProcessRecord {
  const { name, instance, version, roles, started, silent, isRunning, ended } = row
  const report = parseReport(row.report, instance)
  return {
    ...{ name, version, roles: roles.split(','), startedMs: started, silentMs: silent, isSelf: instance === self },
    // Of a release that reports nothing, it is not known how it ended.
    state: isRunning ? 'running' : ended && report !== undefined ? 'ended' : 'silent',
    report,
  }
}

function leaseOf({ kind, name, fence }: LeaseRow): Lease {
  return { kind: oneOf(LEASE_KINDS, kind), name, fence }
}

/**
 * Call in the transaction that writes under leases, before it writes: nobody takes one of them until the transaction ends.
 * Throws FleetError `not_ready` when another process has taken one.
 */
export async function checkLeases(db: Kysely<FactsSchema>, leases: readonly Lease[]): Promise<void> {
  if (leases.length === 0) return
  const { rows } = await sql<{ name: string }>`
    SELECT held.name FROM unnest(
      ${leases.map(({ kind }) => kind)}::text[],
      ${leases.map(({ name }) => name)}::text[],
      ${leases.map(({ fence }) => fence)}::bigint[]
    ) AS held (kind, name, fence)
    JOIN lease ON lease.kind = held.kind AND lease.name = held.name AND lease.fence = held.fence
    WHERE lease.owner IS NOT NULL
    ORDER BY lease.kind, lease.name
    FOR SHARE OF lease
  `.execute(db)
  if (rows.length === leases.length) return
  const valid = new Set(rows.map(({ name }) => name))
  const lost = leases.find(({ name }) => !valid.has(name)) ?? leases[0]
  throw new FleetError('not_ready', `another process has taken over ${lost?.kind ?? ''} ${lost?.name ?? ''}`, {
    hint: 'the other process continues; nothing was written here',
  })
}
