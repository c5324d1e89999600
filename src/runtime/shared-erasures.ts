/**
 * Erasures of clusters by all processes and in the metrics store. Each process erases in its own data folder, in the
 * background, and reports how far it is; one of them deletes in the metrics store. An erasure has ended when all that are
 * known have ended it, also those that have stopped: their data folders have the cluster until they run again.
 */
import type { ErasureStore } from '../fleet/clusters/erasures.ts'
import type { AuditedAction } from '../model/audit.ts'
import { erasedSubject, type Erasure, type MetricsStoreErasure } from '../model/erasure.ts'
import type { ProcessRecord } from '../model/lease.ts'
import type { AppThreads } from '../threads/app-threads.ts'
import type { EraseMetrics } from './erase-metrics.ts'

/** While a cluster is being erased, samples of it may still be forwarded at first. */
const DELETE_EVERY_MS = 10 * 60_000
const RETRY_EVERY_MS = 60_000

type LocalErasures = Pick<AppThreads['ingest']['erasures'], 'list' | 'join' | 'allow' | 'refused'>

/** In PostgreSQL. */
export interface SharedErasureStore {
  list(): Promise<readonly Erasure[]>
  begin(id: string, names: readonly string[], by: string, nowMs: number): Promise<string>
  addNames(id: string, names: readonly string[]): Promise<void>
  report(id: string, process: string, removed: number, doneMs: number | undefined): Promise<void>
  noteMetricsStore(id: string, state: MetricsStoreErasure): Promise<void>
  finish(id: string, nowMs: number): Promise<void>
  allow(id: string, by: string, nowMs: number): Promise<void>
}

export interface SharedErasureParts {
  readonly local: LocalErasures
  readonly shared: SharedErasureStore
  readonly process: string
  /** All that are known; empty before the first heartbeat. */
  readonly processes: () => readonly Pick<ProcessRecord, 'name'>[]
  /** Whether this process does what one does for all. */
  readonly isFirst: () => boolean
  /** Absent: there is no metrics store. */
  readonly eraseMetrics: EraseMetrics | undefined
  /** Whether anything is stored of a cluster of this name, here or in PostgreSQL. */
  readonly isKnown: (cluster: string) => Promise<boolean>
  readonly audit: (action: AuditedAction) => Promise<void>
}

export interface SharedErasures extends ErasureStore {
  /** Joins what others began, reports, and ends what has ended. Call it every few seconds. */
  step(nowMs: number): Promise<void>
}

export function createSharedErasures(parts: SharedErasureParts): SharedErasures {
  const { local, shared, process, audit } = parts
  const join = async ({ id, names = [], by, startedMs }: Erasure): Promise<Erasure> => {
    const joined = await local.join(id, names, by, startedMs)
    const more = joined.names?.filter((name) => !names.includes(name)) ?? []
    if (more.length > 0) await shared.addNames(id, more)
    return joined
  }
  const note = (action: 'cluster.erase' | 'cluster.erase.allow', id: string, by: string, atMs: number): Promise<void> =>
    audit({ atMs, by, action, subject: erasedSubject({ id }), detail: JSON.stringify({ id }) })
  const stepOf = async (erasure: Erasure, own: readonly Erasure[], nowMs: number): Promise<void> => {
    const { id, names, allowed } = erasure
    const known = own.find((one) => one.id === id)
    if (names === undefined) {
      if (allowed !== undefined && known?.doneMs !== undefined && known.allowed === undefined) {
        await local.allow(id, allowed.by, allowed.atMs)
      }
      return
    }
    const { removed, doneMs } = known ?? (await join(erasure))
    await shared.report(id, process, removed, doneMs)
    if (!parts.isFirst()) return
    const lastDoneMs = lastDone(erasure, parts.processes())
    const metricsStore = await deleted(erasure, names, lastDoneMs, nowMs)
    if (lastDoneMs !== undefined && isErasedThere(metricsStore, lastDoneMs)) await shared.finish(id, nowMs)
  }
  /** Deletes again when that is due. */
  const deleted = async (
    { id, metricsStore }: Erasure,
    names: readonly string[],
    lastDoneMs: number | undefined,
    nowMs: number,
  ): Promise<MetricsStoreErasure | undefined> => {
    if (parts.eraseMetrics === undefined) return undefined
    if (metricsStore !== undefined && !isDue(metricsStore, lastDoneMs, nowMs)) return metricsStore
    const state = await parts.eraseMetrics(names, nowMs)
    await shared.noteMetricsStore(id, state)
    return state
  }
  /** Without a metrics store there is nothing to delete in one. */
  const isErasedThere = (state: MetricsStoreErasure | undefined, lastDoneMs: number): boolean =>
    parts.eraseMetrics === undefined ||
    state?.state === 'unsupported' ||
    (state?.state === 'deleted' && state.atMs >= lastDoneMs)
  return {
    list: async () => {
      const all = await shared.list()
      const known = new Set(all.map(({ id }) => id))
      // Of a time before this process shared its facts.
      const own = (await local.list()).filter(({ id }) => !known.has(id))
      return [...own, ...all].sort((a, b) => a.startedMs - b.startedMs)
    },
    refused: (names) => local.refused(names),
    begin: async (cluster, newId, by, nowMs) => {
      if (!(await parts.isKnown(cluster))) return undefined
      const id = await shared.begin(newId, [cluster], by, nowMs)
      const begun = (await shared.list()).find((one) => one.id === id)
      if (begun === undefined) return undefined
      const { names } = await join(begun)
      if (id === newId) await note('cluster.erase', id, by, nowMs)
      return { ...begun, ...(names && { names }) }
    },
    allow: async (id, by, nowMs) => {
      const known = (await shared.list()).find((one) => one.id === id)
      if (known === undefined) return local.allow(id, by, nowMs)
      if (known.doneMs === undefined) return undefined
      if (known.allowed !== undefined) return known
      await shared.allow(id, by, nowMs)
      await local.allow(id, by, nowMs)
      await note('cluster.erase.allow', id, by, nowMs)
      return { ...known, allowed: { atMs: nowMs, by } }
    },
    step: async (nowMs) => {
      const all = await shared.list()
      if (all.every(({ names, allowed }) => names === undefined && allowed === undefined)) return
      const own = await local.list()
      for (const erasure of all) await stepOf(erasure, own, nowMs)
    },
  }
}

/** When the last process ended it; `undefined`: not all that are known have. */
function lastDone({ processes = [] }: Erasure, known: readonly Pick<ProcessRecord, 'name'>[]): number | undefined {
  const doneMs = new Map(processes.map((one) => [one.process, one.doneMs]))
  const names = new Set([...doneMs.keys(), ...known.map(({ name }) => name)])
  const times = [...names].map((name) => doneMs.get(name))
  return times.length === 0 || times.includes(undefined) ? undefined : Math.max(...times.map((timeMs) => timeMs!))
}

function isDue({ state, atMs }: MetricsStoreErasure, lastDoneMs: number | undefined, nowMs: number): boolean {
  if (state === 'unsupported') return false
  if (state === 'failed') return nowMs - atMs >= RETRY_EVERY_MS
  return nowMs - atMs >= DELETE_EVERY_MS || (lastDoneMs !== undefined && atMs < lastDoneMs)
}

/** Of one process alone, whose erasures are in its data folder: only the metrics store is left to do. */
export function createMetricsErasure(
  local: Pick<AppThreads['ingest']['erasures'], 'list' | 'noteMetricsStore'>,
  eraseMetrics: EraseMetrics,
): Pick<SharedErasures, 'step'> {
  return {
    step: async (nowMs) => {
      for (const { id, names, metricsStore } of await local.list()) {
        if (names === undefined || (metricsStore !== undefined && !isDue(metricsStore, undefined, nowMs))) continue
        await local.noteMetricsStore(id, await eraseMetrics(names, nowMs))
      }
    },
  }
}
