/**
 * Clusters that fall silent, each for a known cause, to compare a verdict with. Part of what was decommissioned or opted out
 * shows that beforehand, part is declared by its owner, and of a few nobody tells: there no evidence decides.
 */
import { randomOf, type Random } from '../random.ts'
import { nextRelease } from '../release.ts'
import { MINUTE_MS } from '../scenarios/window.ts'
import type { ClusterHistory } from './cluster-history.ts'
import { installedCsv } from './plan-csv.ts'
import { atSecond, planHistory } from './plan-history.ts'
import { planUpgrade } from './plan-upgrade.ts'
import { uidOf } from './uid.ts'

export const PLANTED_CAUSES = [
  'collector_stopped',
  'remote_write_broken',
  'network',
  'upgrade',
  'decommissioned',
  'opted_out',
] as const
export type PlantedCause = (typeof PLANTED_CAUSES)[number]

export interface PlantedSilence {
  readonly cause: PlantedCause
  readonly atMs: number
  /** How it can be known: its owner declares it this long after, or its objects show it; absent: by its reports alone. */
  readonly declaredMs?: number
  readonly isShown?: true
}

export interface PlantedCluster {
  readonly history: ClusterHistory
  /** Absent: it sends all the time. */
  readonly silence?: PlantedSilence
  /** Infinity: the source does not stop. */
  readonly stopsMs: { readonly objects: number; readonly metrics: number }
}

export interface PlantOptions {
  readonly seed: string
  readonly clusters: number
  /** How many fall silent, over all causes. */
  readonly silences: number
  readonly fromMs: number
  readonly untilMs: number
  /** Silences start in this time. */
  readonly silentFromMs: number
  readonly silentUntilMs: number
}

/** Share of a place that falls silent in an outage of its network. */
const OUTAGE_SHARE = 0.9
/** All of an outage is noticed within this. */
const OUTAGE_MS = 3 * MINUTE_MS
/** Share of clusters with one source alone, of all. */
const ONE_SOURCE_SHARE = 0.12
/** Of clusters that do not fall silent, those that upgrade meanwhile. */
const UPGRADING_SHARE = 0.08
const OUTAGES = 2

export function plantSilences(options: PlantOptions): readonly PlantedCluster[] {
  const { seed, clusters, fromMs, untilMs } = options
  const random = randomOf(seed, 'planted silences')
  const plain = Array.from({ length: clusters }, (_, index) =>
    quiet(planHistory({ ...{ seed, index, fromMs, untilMs }, mode: 'all' })),
  )
  const causes = new Map<number, PlantedSilence>()
  plantOutages(plain, options, random, causes)
  const others = PLANTED_CAUSES.filter((cause) => cause !== 'network')
  const free = shuffled(
    plain.map(({ profile }) => profile.index).filter((index) => !causes.has(index)),
    random,
  )
  for (let i = 0; causes.size < options.silences && free.length > 0; i++) {
    const cause = others[i % others.length]!
    const index = free.pop()!
    const atMs = atSecond(options.silentFromMs + random.next() * (options.silentUntilMs - options.silentFromMs))
    causes.set(index, { cause, atMs, ...knowledgeOf(cause, random) })
  }
  return plain.map((history) => planted(history, causes.get(history.profile.index), options, random))
}

/** Nothing happens in it. */
function quiet(history: ClusterHistory): ClusterHistory {
  const { fromMs, profile } = history
  const release = history.firstCsv.release
  const installedMs = Math.min(history.installedMs, fromMs - 24 * 60 * MINUTE_MS)
  return {
    ...history,
    installedMs,
    firstCsv: installedCsv(uidOf(profile.seed, 'csv first'), release, installedMs),
    upgrades: [],
    edits: [],
    patches: [],
    platform: history.platform && { ...history.platform, upgrades: [] },
    delivery: { skewMs: 0, restartsMs: [], outages: [], repeatShare: 0 },
  }
}

/** The clusters of one provider in one region, in each of a few places. */
function plantOutages(
  histories: readonly ClusterHistory[],
  { silentFromMs, silentUntilMs, silences }: PlantOptions,
  random: Random,
  causes: Map<number, PlantedSilence>,
): void {
  const places = new Map<string, number[]>()
  for (const { profile } of histories) {
    const place = `${profile.region} ${profile.provider}`
    places.set(place, [...(places.get(place) ?? []), profile.index])
  }
  // Not more than a third of all silences.
  const fitting = [...places.values()].filter(({ length }) => length >= 4 && length <= silences / (3 * OUTAGES) + 4)
  for (const members of shuffled(fitting, random).slice(0, OUTAGES)) {
    const startMs = silentFromMs + random.next() * (silentUntilMs - silentFromMs)
    for (const index of members) {
      if (!random.chance(OUTAGE_SHARE)) continue
      causes.set(index, { cause: 'network', atMs: atSecond(startMs + random.next() * OUTAGE_MS) })
    }
  }
}

function knowledgeOf(cause: PlantedCause, random: Random): Partial<PlantedSilence> {
  if (cause !== 'decommissioned' && cause !== 'opted_out') return {}
  const drawn = random.next()
  if (drawn < 0.5) return { declaredMs: random.int(5, 40) * MINUTE_MS }
  return drawn < 0.85 ? { isShown: true } : {}
}

function planted(
  history: ClusterHistory,
  silence: PlantedSilence | undefined,
  { fromMs, silentUntilMs }: PlantOptions,
  random: Random,
): PlantedCluster {
  const tells = random.chance(ONE_SOURCE_SHARE) && needsOneSource(silence?.cause) ? oneSource(random) : history.tells
  const own = { ...history, tells }
  if (silence === undefined) {
    const isUpgrading = random.chance(UPGRADING_SHARE)
    const atMs = atSecond(fromMs + random.next() * (silentUntilMs - fromMs))
    return { history: isUpgrading ? upgrading(own, atMs) : own, stopsMs: { objects: Infinity, metrics: Infinity } }
  }
  const { cause, atMs, isShown } = silence
  const both = { silence, stopsMs: { objects: atMs, metrics: atMs } }
  switch (cause) {
    case 'collector_stopped':
      return { history: own, silence, stopsMs: { objects: atMs, metrics: Infinity } }
    case 'remote_write_broken':
      return { history: own, silence, stopsMs: { objects: Infinity, metrics: atMs } }
    case 'network':
      return { history: own, ...both }
    case 'upgrade': {
      const history = upgrading(own, atMs - random.int(2, 12) * MINUTE_MS)
      return { history, ...both }
    }
    case 'decommissioned':
      return { history: isShown ? { ...own, uninstalledMs: atMs - random.int(2, 50) * MINUTE_MS } : own, ...both }
    case 'opted_out':
      return { history: isShown ? { ...own, telemetryOffMs: atMs - random.int(2, 50) * MINUTE_MS } : own, ...both }
  }
}

/** A source that never sent cannot be seen to stop; and intent shows in objects. */
function needsOneSource(cause: PlantedCause | undefined): boolean {
  return cause === undefined || cause === 'network' || cause === 'upgrade'
}

function oneSource(random: Random): ClusterHistory['tells'] {
  const isObjects = random.chance(0.5)
  return { objects: isObjects, metrics: !isObjects, spans: false }
}

function upgrading(history: ClusterHistory, offeredMs: number): ClusterHistory {
  const { profile, firstCsv } = history
  const to = nextRelease(firstCsv.release)
  if (to === undefined) return history
  const wish = { index: 0, from: firstCsv.release, to, offeredMs: atSecond(offeredMs), approvalMs: 0 }
  return { ...history, upgrades: [planUpgrade(profile, { ...wish, outcome: 'succeeded', abortedMs: Infinity })] }
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  const drawn = items.map((item) => [random.next(), item] as const)
  return drawn.sort(([a], [b]) => a - b).map(([, item]) => item)
}
