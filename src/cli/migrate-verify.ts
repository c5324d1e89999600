/** The check of `daytwo migrate`: the answers of a server on the data folder, beside those of one on the remote stores. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { closeDatabase, openDatabase } from '../store/database.ts'
import { COMPARING_PROCESS, forgetComparing } from '../store/postgres/copy-facts.ts'
import type { PostgresOptions } from '../store/postgres/options.ts'
import { collectorIdOf } from '../store/shipping/change-log.ts'
import { compareAnswers, type Comparison } from './answer-comparison.ts'
import type { Server } from './prometheus-client.ts'
import { copyOf, serveCopy, serveData, type ServedCopy } from './served-copy.ts'

export interface Verification {
  readonly dir: string
  /** Of the running server; undefined: a copy of the folder is served. */
  readonly against: Server | undefined
  /** The options store.… of the command. */
  readonly storeOptions: ReadonlyMap<string, string>
  /** Where the metrics store is queried; undefined: no samples are compared. */
  readonly queryUrl: string | undefined
  readonly postgres: PostgresOptions | undefined
  readonly atMs: number
}

/** Who asks: the server trusts this address to name people, so no token is made for the comparison. */
const ASKING = { 'x-forwarded-user': COMPARING_PROCESS, 'x-forwarded-groups': 'daytwo' }
/** With facts of others: it evaluates and notifies nothing. */
const SERVING: readonly (readonly [string, string])[] = [
  ['roles', 'serve'],
  ['process.name', COMPARING_PROCESS],
  ['auth.proxy-addresses', '127.0.0.1/32'],
  ['auth.roles', '*=viewer'],
]

/** Throws `NoAnswer`, and FleetError when a server does not start. */
export async function verifyMigration(verification: Verification): Promise<Comparison> {
  const { dir, against, storeOptions, queryUrl, postgres, atMs } = verification
  const folder = mkdtempSync(join(tmpdir(), 'daytwo-migrate-'))
  const running: ServedCopy[] = []
  try {
    let before = against
    if (before === undefined) {
      const copy = await copyOf(dir, join(folder, 'backup'))
      const served = await serveCopy(copy, join(folder, 'before'))
      running.push(served)
      before = { url: served.url, headers: {} }
    }
    const data = join(folder, 'after')
    mkdirSync(data, { mode: 0o700 })
    const options = new Map(
      [...storeOptions].filter(([key]) => queryUrl !== undefined || !key.startsWith('store.metrics')),
    )
    if (queryUrl !== undefined) for (const [key, value] of readingFrom(queryUrl)) options.set(key, value)
    const after = await serveData(data, new Map([...options, ...(postgres === undefined ? [] : SERVING)]))
    running.push(after)
    const other = { url: after.url, headers: postgres === undefined ? {} : ASKING }
    const [hasMetrics, hasFacts] = [queryUrl !== undefined, postgres !== undefined]
    return await compareAnswers(before, other, atMs, { hasMetrics, hasFacts, isRounded: true })
  } finally {
    for (const one of running) await one.stop()
    if (postgres !== undefined) await forgetComparing(postgres, idOf(join(folder, 'after')))
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Nothing is sent to the store: the server has an address for writes that nobody listens on. */
function readingFrom(queryUrl: string): ReadonlyMap<string, string> {
  return new Map([
    ['store.metrics', ''],
    ['store.metrics-query', queryUrl],
    ['store.metrics-write', 'http://127.0.0.1:9/'],
    ['store.metrics-exact', 'true'],
  ])
}

function idOf(dir: string): string {
  const db = openDatabase(dir)
  try {
    return collectorIdOf(db)
  } finally {
    closeDatabase(db, dir, 'PASSIVE')
  }
}
