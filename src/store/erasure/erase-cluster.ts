import type Database from 'better-sqlite3'
import type { ErasedCluster, Erasure } from '../../model/erasure.ts'
import type { LogRecords } from '../observations/log-records.ts'
import type { Observations } from '../observations/observations.ts'
import type { Spans } from '../spans/spans.ts'
import { eraseFacts } from './erase-facts.ts'
import { eraseSeries, type ErasedSeriesParts } from './erase-series.ts'
import type { Erasures } from './erasures.ts'

/**
 * One pass of the erasure of a cluster, in steps. Rules, the fleet loop and notifications still write about a cluster after
 * its data is gone (an alert resolves, a notification of that is sent), so a pass is repeated until one finds nothing, a
 * while after the beginning. Then the names are removed as well.
 *
 * No copy stays in the file: `secure_delete` overwrites what is deleted, free pages are given back to the disk, and the
 * write-ahead log of SQLite is emptied into the file and cut off.
 */

/** By then alerts of the cluster are resolved, receivers are notified of that, and resolved alerts are not stored any more. */
const SETTLED_AFTER_MS = 60 * 60_000
/** Of one step of giving pages back: a megabyte. */
const PAGES_PER_STEP = 256
/** A reader in a transaction, such as a backup, delays the end of the log until the next pass. */
const CUT_ATTEMPTS = 100

export interface EraseClusterParts extends ErasedSeriesParts {
  readonly spans: Spans
  readonly observations: Observations
  readonly logs: LogRecords
  readonly erasures: Erasures
}

/** What a pass need not look at again, because data of the cluster is refused since the first one began. */
export interface ErasedUntil {
  /** The number of a part of a trace. */
  tracePart: number
}

/** Returns true when nothing of the cluster is stored any more. @param until is moved on */
export function* eraseCluster(
  parts: EraseClusterParts,
  { id, names = [], startedMs }: Erasure,
  labels: ReadonlySet<string>,
  until: ErasedUntil,
  nowMs: number,
): Generator<void, boolean> {
  const { db, commits, erasures } = parts
  const cluster: ErasedCluster = { names: new Set(names), labels }
  let removed = yield* eraseSeries(parts, cluster)
  removed += yield* eraseSpans(parts, cluster, until)
  commits.commitNow()
  removed += yield* eraseFacts(db, cluster, () => {
    // Numbers of removed rows.
    parts.observations.failed()
    parts.logs.failed()
  })
  if (removed > 0) erasures.addRemoved(id, removed)
  const isDone = removed === 0 && nowMs >= startedMs + SETTLED_AFTER_MS
  if (isDone) erasures.finish(id, nowMs)
  yield* cutFile(db)
  return isDone
}

function* eraseSpans(
  { spans, commits }: EraseClusterParts,
  { names }: ErasedCluster,
  until: ErasedUntil,
): Generator<void, number> {
  let erased = 0
  for (;;) {
    commits.commitNow()
    const step = spans.eraseSome(until.tracePart, ({ resource }) => names.has(resource.cluster))
    if (step === undefined) break
    until.tracePart = step.last
    erased += step.erased
    yield
  }
  spans.removeUnusedNames()
  return erased
}

function* cutFile(db: Database.Database): Generator<void> {
  const freePages = (): number => Number(db.pragma('freelist_count', { simple: true }))
  for (let steps = Math.ceil(freePages() / PAGES_PER_STEP) + 1; steps > 0 && freePages() > 0; steps--) {
    db.pragma(`incremental_vacuum(${PAGES_PER_STEP})`)
    yield
  }
  const waitMs = Number(db.pragma('busy_timeout', { simple: true }))
  for (let attempt = 0; attempt < CUT_ATTEMPTS; attempt++) {
    db.pragma('busy_timeout = 0')
    const [outcome] = db.pragma('wal_checkpoint(TRUNCATE)') as { readonly busy: number }[]
    db.pragma(`busy_timeout = ${waitMs}`)
    if (outcome?.busy === 0) return
    yield
  }
}
