import type { PostgresPool } from 'kysely'
import type { PoolClient, PoolConfig } from 'pg'
import { PostgresFailure } from './failures.ts'
import type { PostgresOptions } from './options.ts'

const CONNECT_WITHIN_MS = 5000
/** Beyond the time that the server allows a statement: then it does not answer at all. */
const ANSWER_WITHIN_MS = 5000
const IDLE_MS = 60_000

/** As Kysely takes it. What a connection fails with is a `PostgresFailure`. */
export type SharedPool = PostgresPool

/** Connects when it is first used. The driver is loaded only here: who has no PostgreSQL does not need it. */
export async function createPool(options: PostgresOptions): Promise<SharedPool> {
  const { Pool, types } = (await import('pg')).default
  const { connectionsMax: max, statementTimeoutMs } = options
  const pool = new Pool({
    ...connectionOf(options),
    types: { getTypeParser: (oid, format) => PARSERS.get(oid) ?? (types.getTypeParser(oid, format) as Parser) },
    max,
    idleTimeoutMillis: IDLE_MS,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + ANSWER_WITHIN_MS,
  })
  // Of a connection that nobody uses; the pool has removed it.
  pool.on('error', () => undefined)
  return {
    connect: async () => {
      const client = await attempt(() => pool.connect(), 'connect')
      // Of a connection in use: its query fails too.
      const ignore = (): void => undefined
      client.on('error', ignore)
      let broken: PostgresFailure | undefined
      return {
        query: async (text: unknown, parameters?: unknown) => {
          // What fails after a lost connection, such as the ROLLBACK after a COMMIT, does not hide why.
          if (broken !== undefined) throw broken
          try {
            return await query(client, text as string, parameters as readonly unknown[] | undefined)
          } catch (failure) {
            if (failure instanceof PostgresFailure && failure.isConnectionLost) broken = failure
            throw failure
          }
        },
        release: () => {
          client.off('error', ignore)
          client.release(broken)
        },
      } as Awaited<ReturnType<PostgresPool['connect']>>
    },
    end: () => pool.end(),
  }
}

/** What every connection needs, in a pool or alone. */
export function connectionOf({ url, password, tls, instance }: PostgresOptions): PoolConfig {
  const { hostname, port, username, pathname } = new URL(url)
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? 5432 : Number(port),
    user: decodeURIComponent(username),
    database: decodeURIComponent(pathname.slice(1)),
    ...(password === undefined ? {} : { password }),
    ...(tls === undefined ? {} : { ssl: { rejectUnauthorized: true, ...tls } }),
    application_name: instance === undefined ? 'daytwo' : `daytwo ${instance}`,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    keepAlive: true,
  }
}

async function query(client: PoolClient, text: string, parameters: readonly unknown[] | undefined): Promise<unknown> {
  return attempt(() => client.query(text, parameters?.map(writtenValue)), text === 'commit' ? text : 'statement')
}

async function attempt<T>(work: () => Promise<T>, during: 'connect' | 'statement' | 'commit'): Promise<T> {
  try {
    return await work()
  } catch (thrown) {
    if (thrown instanceof TypeError || thrown instanceof RangeError) throw thrown
    throw new PostgresFailure(thrown, during)
  }
}

/** PostgreSQL stores no NUL in a text. NUL and the escape itself are written as two characters; the order stays the same. */
const NUL = '\u0000'
const ESCAPE = '\u0001'
const WRITTEN_NUL = '\u0001\u0001'
const WRITTEN_ESCAPE = '\u0001\u0002'

function writtenValue(value: unknown): unknown {
  if (typeof value === 'string') return writtenText(value)
  return Array.isArray(value) ? value.map(writtenValue) : value
}

function writtenText(text: string): string {
  if (!text.includes(NUL) && !text.includes(ESCAPE)) return text
  return text.replaceAll(ESCAPE, WRITTEN_ESCAPE).replaceAll(NUL, WRITTEN_NUL)
}

/** A text as PostgreSQL has it, in which NUL is escaped. */
export function readText(text: string): string {
  if (!text.includes(ESCAPE)) return text
  return text
    .split(WRITTEN_NUL)
    .map((part) => part.replaceAll(WRITTEN_ESCAPE, ESCAPE))
    .join(NUL)
}

/** Of int8. Nanoseconds take more bits: select them as text. */
function readWhole(text: string): number {
  const value = Number(text)
  if (Number.isSafeInteger(value)) return value
  throw new RangeError(`a number of PostgreSQL has more than 53 bits: ${text}`)
}

const INT8 = 20
const TEXT = 25

type Parser = (text: string) => unknown

const PARSERS: ReadonlyMap<number, Parser> = new Map<number, Parser>([
  [INT8, readWhole],
  [TEXT, readText],
])
