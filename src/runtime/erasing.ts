/** Erasures of clusters beyond the store of this process: memory, the facts that processes share, the metrics store. */
import { randomUUID } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import type { Config } from '../config/config.ts'
import { processNameOf } from '../config/facts-store.ts'
import { storeOptionsOf } from '../config/folder-options.ts'
import { metricsStoreOf } from '../config/metrics-store.ts'
import type { Deployment } from '../deployment/deployment.ts'
import type { Decommissions } from '../fleet/clusters/decommissions.ts'
import { createErasures, type Erasures } from '../fleet/clusters/erasures.ts'
import type { Acceptances } from '../fleet/readiness/acceptances.ts'
import { CLUSTER_LABEL } from '../model/cluster-identity.ts'
import type { Alerts } from '../notify/alerts.ts'
import type { Silences } from '../notify/silences.ts'
import type { AppThreads } from '../threads/app-threads.ts'
import { createEraseMetrics } from './erase-metrics.ts'
import { createMetricsErasure, createSharedErasures, type SharedErasures } from './shared-erasures.ts'

interface ErasingParts {
  readonly config: Config
  readonly clock: Clock
  readonly threads: AppThreads
  readonly alerts: Pick<Alerts, 'external'>
  readonly silences: Silences
  readonly decommissions: Decommissions
  readonly acceptances: Acceptances
  readonly deployment: () => Deployment | undefined
}

interface Erasing {
  readonly erasures: Erasures
  /** Goes on with what other places have to erase. */
  upkeep(): Promise<void>
}

export async function createErasing(parts: ErasingParts): Promise<Erasing> {
  const { config, clock, threads, alerts, silences, decommissions, acceptances, deployment } = parts
  const eraseShared = everySoOften((names: readonly string[]) => threads.shared?.erase(names) ?? Promise.resolve())
  const metricsStore = metricsStoreOf(config)
  const eraseMetrics = metricsStore && createEraseMetrics(metricsStore, storeOptionsOf(config).clusterLabels)
  const sharedErasures =
    threads.shared &&
    createSharedErasures({
      ...{ local: threads.ingest.erasures, shared: threads.shared.erasures, process: processNameOf(config) },
      processes: () => deployment()?.view.processes ?? [],
      isFirst: () => deployment()?.first !== undefined,
      eraseMetrics,
      isKnown: async (cluster) => (await threads.query.clusters.report(cluster)) !== undefined,
      audit: (action) => threads.facts.audit.add(action),
    })
  const ownErasures = eraseMetrics && createMetricsErasure(threads.ingest.erasures, eraseMetrics)
  const erasures = await createErasures(
    sharedErasures ?? threads.ingest.erasures,
    randomUUID,
    async (names, by, nowMs) => {
      await threads.query.clusters.forget(names)
      await eraseShared(names, nowMs)
      const isErased = ({ cluster }: { readonly cluster: string }): boolean => names.includes(cluster)
      if (decommissions.all().some(isErased)) await decommissions.reread()
      if (acceptances.all().some(isErased)) await acceptances.reread()
      await threads.query.baseline.reread()
      for (const cluster of names) await alerts.external.remove({ cluster }, by, nowMs)
      for (const { id, matchers } of silences.all()) {
        const isAbout = matchers.some(
          ({ name, op, value }) => name === CLUSTER_LABEL && op === '=' && names.includes(value),
        )
        if (isAbout) await silences.expire(id, by, nowMs)
      }
    },
  )
  return { erasures, upkeep: erasureUpkeep(sharedErasures ?? ownErasures, erasures, clock) }
}

/** Erasures beyond this process; what another one began is known to this one afterwards. */
function erasureUpkeep(
  steps: Pick<SharedErasures, 'step'> | undefined,
  erasures: Erasures,
  clock: Clock,
): () => Promise<void> {
  let underWay: Promise<void> | undefined
  let nextMs = -Infinity
  const run = async (): Promise<void> => {
    await steps?.step(clock.nowMs())
    await erasures.list()
  }
  return () => {
    // Not waited for: the metrics store may answer late, and the store of this process is maintained meanwhile.
    if (steps === undefined || underWay !== undefined || clock.nowMs() < nextMs) return Promise.resolve()
    nextMs = clock.nowMs() + ERASURE_STEP_MS
    underWay = run()
      // The next one repeats it; readiness reports what does not answer.
      .catch(() => undefined)
      .finally(() => {
        underWay = undefined
      })
    return Promise.resolve()
  }
}

const ERASURE_STEP_MS = 10_000

/** While a cluster is erased, facts are looked through at once for each set of names, and then once a minute. */
function everySoOften(erase: (names: readonly string[]) => Promise<unknown>) {
  const erasedMs = new Map<string, number>()
  return async (names: readonly string[], nowMs: number): Promise<void> => {
    const key = JSON.stringify(names)
    if (Math.abs(nowMs - (erasedMs.get(key) ?? -Infinity)) < ERASE_EVERY_MS) return
    await erase(names)
    erasedMs.clear()
    erasedMs.set(key, nowMs)
  }
}

const ERASE_EVERY_MS = 60_000
