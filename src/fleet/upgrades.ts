import { clusterMatcher, HCO_CSV } from './fleet-reader.ts'
import type { FleetReader } from './fleet-reader.ts'
import type { FleetOptions } from './options.ts'
import { readHistories, readSnapshots, readSucceeded } from './snapshot.ts'
import type { History, Snapshot } from './snapshot.ts'
import { SETTLES_WITHIN_MS, causeOf, runningVersion, upgradeStateOf } from './upgrade-state.ts'
import type { Past, UpgradeState } from './upgrade-state.ts'
import { betterTimeline, timelineOf } from './upgrade-timeline.ts'
import type { Timeline } from './upgrade-timeline.ts'

/** The upgrades that run now, with their times and whether they are stuck. */
export interface ClusterUpgrade {
  readonly cluster: string
  readonly from: string | undefined
  readonly to: string
  readonly phase: 'olm' | 'operands'
  readonly detail: string
  readonly startedAtMs: number
  readonly lastChangeMs: number
  readonly isStuck: boolean
  /** Present when stuck. */
  readonly cause: string | undefined
  readonly resolutionSeconds: number
}

/** The rule, as people read it. */
export function stuckSentence(options: FleetOptions): string {
  const minutes = Math.round(options.stuckAfterMs / 60_000)
  return `Stuck means: upgrading, and for ${minutes} minutes no new CSV phase was reached and no further node came to the new KubeVirt.`
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** Two views of the past: one minute by minute, and one for what began before it. */
const FINE = { windowMs: 24 * HOUR_MS, stepMs: MINUTE_MS }
const LONG = { windowMs: 7 * 24 * HOUR_MS, stepMs: 10 * MINUTE_MS }

/** How far back to look for the version a cluster came from. Several, because history may be short. */
const EARLIER_MS = [30 * MINUTE_MS, 2 * HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS]

/** Clusters per question about the past: keeps one answer to some ten thousand points a cluster times this. */
const BATCH_CLUSTERS = 50

/** The newest snapshots too, because versions are read from them. */
export interface UpgradesNow {
  readonly upgrades: readonly ClusterUpgrade[]
  readonly snapshots: ReadonlyMap<string, Snapshot>
}

export async function readUpgrades(reader: FleetReader, nowMs: number, options: FleetOptions): Promise<UpgradesNow> {
  const snapshots = await readSnapshots(reader, nowMs)
  const pastOf = await readPast(reader, snapshots, nowMs)
  const states = new Map<string, UpgradeState>()
  for (const [cluster, snapshot] of snapshots) {
    const state = upgradeStateOf(snapshot, pastOf(cluster))
    if (state !== undefined) states.set(cluster, state)
  }
  const clusters = [...states.keys()].sort()
  const upgrades: ClusterUpgrade[] = []
  for (let i = 0; i < clusters.length; i += BATCH_CLUSTERS) {
    const batch = clusters.slice(i, i + BATCH_CLUSTERS)
    upgrades.push(...(await readBatch(reader, batch, states, nowMs, options)))
  }
  return { upgrades, snapshots }
}

/** Above this many a list of names in the question costs more than asking for all. */
const NAMED_CLUSTERS_MAX = 500

/** The past of those clusters whose version has changed since; of the others nothing is asked, they are most. */
async function readPast(
  reader: FleetReader,
  snapshots: ReadonlyMap<string, Snapshot>,
  nowMs: number,
): Promise<(cluster: string) => Past> {
  const [lately, ...earlier] = await Promise.all(
    [SETTLES_WITHIN_MS, ...EARLIER_MS].map(async (agoMs) => {
      const succeeded = await readSucceeded(reader, nowMs - agoMs)
      const changed = [...succeeded].flatMap(([cluster, then]) => {
        const now = snapshots.get(cluster)
        return now !== undefined && runningVersion(now) !== runningVersion(then) ? [cluster] : []
      })
      if (changed.length === 0) return new Map<string, Snapshot>()
      const matcher = changed.length > NAMED_CLUSTERS_MAX ? '' : clusterMatcher(changed)
      return readSnapshots(reader, nowMs - agoMs, matcher)
    }),
  )
  return (cluster) => ({ lately: lately?.get(cluster), earlier: earlier.map((then) => then.get(cluster)) })
}

async function readBatch(
  reader: FleetReader,
  clusters: readonly string[],
  states: ReadonlyMap<string, UpgradeState>,
  nowMs: number,
  options: FleetOptions,
): Promise<readonly ClusterUpgrade[]> {
  const timelines = await readTimelines(reader, clusters, states, nowMs, FINE)
  const unseen = clusters.filter((cluster) => timelines.get(cluster)?.timeline.startSign !== 'version')
  const longer = await readTimelines(reader, unseen, states, nowMs, LONG)
  const spacing = await readSpacing(reader, clusters, nowMs)
  return clusters.flatMap((cluster) => {
    const state = states.get(cluster)!
    const [fine, long] = [timelines.get(cluster), longer.get(cluster)]
    const best = fine === undefined || long === undefined ? (fine ?? long) : betterOf(fine, long)
    if (best === undefined) return []
    const { timeline, stepMs } = best
    const isStuck = nowMs - timeline.lastChangeMs >= options.stuckAfterMs
    return {
      cluster,
      from: state.from ?? timeline.from,
      to: state.to,
      phase: state.phase,
      detail: state.detail,
      startedAtMs: timeline.startedAtMs,
      lastChangeMs: timeline.lastChangeMs,
      isStuck,
      cause: isStuck ? causeOf(state) : undefined,
      resolutionSeconds: Math.max(stepMs / 1000, spacing.get(cluster) ?? 0),
    }
  })
}

interface Read {
  readonly timeline: Timeline
  readonly stepMs: number
}

function betterOf(fine: Read, long: Read): Read {
  return betterTimeline(fine.timeline, long.timeline) === fine.timeline ? fine : long
}

async function readTimelines(
  reader: FleetReader,
  clusters: readonly string[],
  states: ReadonlyMap<string, UpgradeState>,
  nowMs: number,
  { windowMs, stepMs }: { readonly windowMs: number; readonly stepMs: number },
): Promise<ReadonlyMap<string, Read>> {
  if (clusters.length === 0) return new Map()
  const histories: ReadonlyMap<string, History> = await readHistories(
    reader,
    clusterMatcher(clusters),
    nowMs - windowMs,
    nowMs,
    stepMs,
  )
  return new Map(
    [...histories].flatMap(([cluster, history]) => {
      const state = states.get(cluster)
      return state === undefined ? [] : [[cluster, { timeline: timelineOf(history, state.to), stepMs }] as const]
    }),
  )
}

/** Seconds between the samples of each cluster lately: nothing can be known more exactly. */
async function readSpacing(
  reader: FleetReader,
  clusters: readonly string[],
  nowMs: number,
): Promise<ReadonlyMap<string, number>> {
  const windowSeconds = 1800
  const matcher = clusterMatcher(clusters)
  const expr = [`csv_succeeded{${HCO_CSV}, ${matcher}}`, `kubevirt_info{${matcher}}`]
    .map((selector) => `max by (cluster) (count_over_time(${selector}[${windowSeconds}s]))`)
    .join(' or ')
  const counts = await reader.instant(expr, nowMs)
  return new Map(counts.map(({ labels, value }) => [labels.get('cluster'), Math.round(windowSeconds / value)]))
}
