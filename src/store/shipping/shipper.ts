import type Database from 'better-sqlite3'
import { invariant } from '../../base/invariant.ts'
import { readable } from '../database.ts'
import { PostgresFailure, postgresFailureOf } from '../postgres/failures.ts'
import type { SharedPool } from '../postgres/pool.ts'
import { ChangeSource, SEED_START, type SeedPosition, type SourceState } from './change-source.ts'
import type { ChangedKey } from './changed-keys.ts'
import { Partitions } from './partitions.ts'
import { inPostgres, lockPositions, type Connection } from './postgres.ts'
import { RowSource, type TraceRows } from './row-source.ts'
import { shipLogs } from './ship-logs.ts'
import { moveClusters, shipObservations } from './ship-observations.ts'
import { numberedTraces, readTrace, shipTraces, SpanNames, traceTimesMs } from './ship-traces.ts'

/**
 * Ships observations, spans and log records of a data directory to PostgreSQL: first all rows, then the changed ones. The
 * position is written in the transaction of the rows, so nothing is lost and nothing is shipped twice in effect, whenever
 * either side ends. It only reads the directory, on a connection of its own.
 */

export interface ShippingStep {
  /** Keys whose rows were shipped. */
  readonly shipped: number
  /** Keys whose rows PostgreSQL refuses, or that are damaged, since the start. */
  readonly refused: number
  /** Changes that remain; undefined: not all rows are shipped yet. */
  readonly changesLeft: number | undefined
  /** Changes up to here need no longer be logged. */
  readonly shippedSeq: number
}

/** What PostgreSQL knows about this directory. */
interface Target {
  readonly id: number
  readonly epoch: string
  readonly seq: number
  readonly seed: SeedPosition | undefined
}

export class Shipper {
  readonly #pool: SharedPool
  readonly #pass: string | undefined
  readonly #source: ChangeSource
  readonly #rows: RowSource
  readonly #serviceName: Database.Statement<[number], string>
  readonly #partitions: Partitions
  readonly #names = new SpanNames()
  #target: Target | undefined
  #refusedCount = 0

  /**
   * @param db a connection for reading, which the caller closes
   * @param pass ships all rows once, of a directory whose changes are not logged. Another text ships all of them again.
   */
  constructor(db: Database.Database, pool: SharedPool, pass?: string) {
    this.#pool = pool
    this.#pass = pass
    this.#partitions = new Partitions(pool)
    this.#source = new ChangeSource(db)
    this.#rows = new RowSource(db)
    this.#serviceName = db
      .prepare<[number], string>("SELECT service FROM span_name WHERE id = ? AND operation = ''")
      .pluck()
  }

  /**
   * Ships one portion. Throws FleetError when PostgreSQL cannot be written; the next call continues.
   * @param nowMs before anything that is received from now on
   */
  async step(nowMs: number): Promise<ShippingStep> {
    const state = this.#source.state(this.#pass)
    invariant(state !== undefined, 'what is shipped is logged')
    try {
      const target = await this.#targetOf(state)
      return target.seed === undefined
        ? await this.#shipChanges(target, state, nowMs)
        : await this.#shipRows(target, target.seed)
    } catch (thrown) {
      // What a transaction assigned does not exist, and another process may have gone on.
      this.#target = undefined
      this.#names.forget()
      this.#partitions.forget()
      throw postgresFailureOf('shipping observations', thrown)
    }
  }

  async #shipChanges(target: Target, { newestSeq }: SourceState, nowMs: number): Promise<ShippingStep> {
    const { keys, next } = this.#source.changesAfter(target.seq)
    // What is committed from now on was received after this moment.
    const isLast = (next ?? target.seq) >= newestSeq
    await this.#ship(target, keys, { ...target, seq: next ?? target.seq }, isLast ? nowMs : undefined)
    const seq = this.#target!.seq
    return { shipped: keys.length, refused: this.refusedCount, changesLeft: newestSeq - seq, shippedSeq: seq }
  }

  async #shipRows(target: Target, seed: SeedPosition): Promise<ShippingStep> {
    const { keys, next } = this.#source.rowsAfter(seed)
    await this.#ship(target, keys, { ...target, seed: next })
    return { shipped: keys.length, refused: this.refusedCount, changesLeft: undefined, shippedSeq: target.seq }
  }

  get refusedCount(): number {
    return this.#refusedCount + this.#rows.damagedCount
  }

  /** Ships rows and moves the position; rows that PostgreSQL refuses are left out. */
  async #ship(
    target: Target,
    keys: readonly ChangedKey[],
    to: Target,
    completeMs?: number,
    isRepeated = false,
  ): Promise<void> {
    try {
      await this.#attempt(target, keys, to, completeMs)
    } catch (thrown) {
      if (!isRefusal(thrown)) throw thrown
      this.#names.forget()
      this.#partitions.forget()
      // A partition that retention dropped since is made again.
      if (thrown.sqlState === NO_PARTITION && !isRepeated) {
        await this.#ship(target, keys, to, completeMs, true)
        return
      }
      if (keys.length <= 1) {
        this.#refusedCount += keys.length
        await this.#attempt(target, [], to, completeMs)
        return
      }
      const half = keys.length >> 1
      await this.#ship(target, keys.slice(0, half), target)
      await this.#ship(target, keys.slice(half), to, completeMs)
    }
  }

  async #attempt(from: Target, keys: readonly ChangedKey[], to: Target, completeMs?: number): Promise<void> {
    const isIdle = keys.length === 0 && to.seq === from.seq && to.seed === from.seed && completeMs === undefined
    if (isIdle) return
    const rows = this.#rows.rowsOf(keys)
    const traces = rows.traces.flatMap((trace) => this.#readable(trace))
    const timesMs = traceTimesMs(traces)
    await this.#partitions.make({
      ...{ trace: timesMs, trace_part: timesMs, trace_name: timesMs },
      log_record: rows.records.map(({ timeNs }) => Number(timeNs / 1_000_000n)),
    })
    await inPostgres(this.#pool, async (connection) => {
      const numbered = await numberedTraces(connection, traces, (id) => this.#serviceName.get(id), this.#names)
      await shipLogs(connection, rows.records)
      const changed = await shipObservations(connection, from.id, rows)
      await shipTraces(connection, from.id, numbered)
      if (changed.all.size + changed.objects.size + numbered.length > 0) {
        await lockPositions(connection)
        await moveClusters(connection, changed)
      }
      await this.#advance(connection, from, to, completeMs)
    })
    this.#target = to
  }

  /** Another shipper of the same directory may have gone on: then nothing of this transaction is written. */
  async #advance(connection: Connection, from: Target, to: Target, completeMs: number | undefined): Promise<void> {
    const rows = await connection.query(
      `UPDATE collector SET shipped_seq = $2, seed = $3, complete_ms = greatest(complete_ms, $4::bigint)
         WHERE id = $1 AND epoch = $5 AND shipped_seq = $6 AND seed IS NOT DISTINCT FROM $7 RETURNING id`,
      [from.id, to.seq, seedText(to.seed), completeMs ?? 0, from.epoch, from.seq, seedText(from.seed)],
    )
    if (rows.length === 0) throw new OtherShipperError('another process ships the same data directory')
  }

  #readable(trace: TraceRows): readonly ReturnType<typeof readTrace>[] {
    const read = readable(() => readTrace(trace))
    if (read === undefined) this.#refusedCount++
    return read === undefined ? [] : [read]
  }

  async #targetOf(state: SourceState): Promise<Target> {
    this.#target ??= await inPostgres(this.#pool, (connection) => targetIn(connection, state))
    const { epoch, seq } = this.#target
    // The directory was replaced, or PostgreSQL restored: what is in between is not known.
    const isTorn = epoch !== state.epoch || seq > state.newestSeq || seq < state.oldestSeq - 1
    if (isTorn) {
      this.#target = await inPostgres(this.#pool, (connection) => beginAnew(connection, this.#target!.id, state))
    }
    return this.#target
  }
}

/** Another process ships the same data directory. */
export class OtherShipperError extends Error {}

async function targetIn(connection: Connection, { collector, epoch, newestSeq }: SourceState): Promise<Target> {
  await connection.query(
    `INSERT INTO collector (key, epoch, shipped_seq, seed) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
    [collector, epoch, newestSeq, seedText(SEED_START)],
  )
  const [row] = await connection.query<{ id: number; epoch: string; seq: number; seed: string | null }>(
    'SELECT id, epoch, shipped_seq AS seq, seed FROM collector WHERE key = $1',
    [collector],
  )
  invariant(row !== undefined, 'a collector that was inserted is there')
  const { seed, ...target } = row
  return { ...target, seed: seed === null ? undefined : (JSON.parse(seed) as SeedPosition) }
}

async function beginAnew(connection: Connection, id: number, { epoch, newestSeq }: SourceState): Promise<Target> {
  await connection.query('UPDATE collector SET epoch = $2, shipped_seq = $3, seed = $4 WHERE id = $1', [
    ...[id, epoch, newestSeq, seedText(SEED_START)],
  ])
  return { id, epoch, seq: newestSeq, seed: SEED_START }
}

function seedText(seed: SeedPosition | undefined): string | null {
  return seed === undefined ? null : JSON.stringify(seed)
}

/** No partition for a row, or another check. */
const NO_PARTITION = '23514'

/** Data that PostgreSQL does not take (22), or that contradicts a constraint (23). */
function isRefusal(thrown: unknown): thrown is PostgresFailure {
  return thrown instanceof PostgresFailure && /^2[23]/.test(thrown.sqlState ?? '')
}
