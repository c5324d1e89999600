/** Work on alerts on the main thread: each write is counted and published; revisions of runbooks are recorded as they come into use. */
import type { RunbookWork } from '../api/fleet/people.ts'
import { messageOf } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { OwnMetrics } from '../base/metrics.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { revisionOf } from '../catalog/runbook-revision.ts'
import type { RunbookRevision, RunbookWorkReader } from '../model/runbook-work.ts'
import type { PublishChange } from './change-events.ts'
import type { Reloader } from './reload.ts'

export function createRunbookWork(
  reader: RunbookWorkReader,
  store: Pick<RunbookWork, 'add'>,
  metrics: Pick<OwnMetrics, 'runbookWork'>,
  publish: PublishChange,
): RunbookWork {
  return {
    entries: (runs) => reader.entries(runs),
    revisions: (runbook) => reader.revisions(runbook),
    add: async (entry, seen, audited) => {
      const added = await store.add(entry, seen, audited)
      metrics.runbookWork.inc({ outcome: added.kind })
      if (added.kind === 'added') publish(['work'])
      return added
    },
  }
}

export interface RevisionParts {
  readonly catalog: Pick<Catalog, 'pages'>
  readonly store: { recordRevisions(revisions: readonly RunbookRevision[], replacedBeforeMs: number): Promise<void> }
  /** Revisions that were replaced longer ago are removed. */
  readonly retentionMs: number
  readonly clock: { nowMs(): number }
  readonly log: Log
}

/** Stores the revisions in use. A failure is logged: the runbooks are served all the same, and the next reload repeats the write. */
export async function recordRevisions({ catalog, store, retentionMs, clock, log }: RevisionParts): Promise<void> {
  const nowMs = clock.nowMs()
  const revisions = [...catalog.pages.values()].map((page) => ({ ...revisionOf(page), fromMs: nowMs }))
  try {
    await store.recordRevisions(revisions, nowMs - retentionMs)
  } catch (thrown) {
    log.warn({ error: messageOf(thrown) }, 'revisions of runbooks could not be written')
  }
}

/** Wraps the reloader: after a successful reload the revisions in use are recorded. */
export function withRevisions(reloader: Reloader, record: () => Promise<void>): Reloader {
  return {
    ...reloader,
    reload: async (cause) => {
      await reloader.reload(cause)
      await record()
    },
  }
}
