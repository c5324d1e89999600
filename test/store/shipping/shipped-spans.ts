import Database from 'better-sqlite3'
import type { RefusedSpan, Span } from '../../../src/model/span.ts'
import { migrate } from '../../../src/store/migrations.ts'
import { STORE_DEFAULTS } from '../../../src/store/options.ts'
import { openChangeLog } from '../../../src/store/shipping/change-log.ts'
import { Shipper } from '../../../src/store/shipping/shipper.ts'
import { PostgresSpans } from '../../../src/store/shipping/span-reader.ts'
import { SqlSpanReader } from '../../../src/store/spans/span-reader.ts'
import { Spans } from '../../../src/store/spans/spans.ts'
import { NOW_MS } from '../temp-store.ts'
import type { Shared } from './collectors.ts'

/** As `memorySpans`, with a reader of PostgreSQL, where each commit is shipped. */
export function shippedSpans(shared: Shared, options: Partial<typeof STORE_DEFAULTS> = {}) {
  const db = new Database(':memory:')
  migrate(db, 'memory')
  const changes = openChangeLog(db, true)!
  const spans = new Spans(db, { ...STORE_DEFAULTS, ...options }, changes)
  const shipper = new Shipper(db, shared.pool)
  const commitOnly = (): void => {
    db.transaction(() => {
      spans.write()
      changes.write()
    })()
    spans.written()
    changes.written()
  }
  const ship = async (): Promise<void> => {
    while ((await shipper.step(NOW_MS)).changesLeft !== 0) continue
  }
  const commit = async (): Promise<void> => {
    commitOnly()
    await ship()
  }
  return {
    db,
    spans,
    own: new SqlSpanReader(db),
    reader: new PostgresSpans(shared.pool),
    commitOnly,
    ship,
    commit,
    /** Puts, commits and ships. */
    put: async (put: readonly Span[], nowMs: number): Promise<readonly RefusedSpan[]> => {
      const refused = spans.putSpans(put, nowMs)
      await commit()
      return refused
    },
  }
}
