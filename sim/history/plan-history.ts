import { createProfile, type ClusterProfile } from '../cluster-profile.ts'
import { randomOf, type Random } from '../random.ts'
import { releaseOf, type Release } from '../release.ts'
import { HOUR_MS, MINUTE_MS, isWithin, type Window } from '../scenarios/window.ts'
import { nextReleaseDayMs, offerAt } from './calendar.ts'
import {
  COMPONENTS,
  type ClusterHistory,
  type HcoUpgrade,
  type JsonPatch,
  type OutOfBandEdit,
  type StallKind,
  type Tells,
} from './cluster-history.ts'
import { planRestarts } from './hco-processes.ts'
import { chainedOffer, overtaken, type ChainedOffer } from './plan-chain.ts'
import { FINAL_REASON, installedCsv } from './plan-csv.ts'
import { planDelivery } from './plan-delivery.ts'
import { planPlatform } from './plan-platform.ts'
import { planUpgrade } from './plan-upgrade.ts'
import { uidOf } from './uid.ts'

export const DELIVERY_MODES = ['objects', 'metrics', 'all', 'mixed'] as const
export type DeliveryMode = (typeof DELIVERY_MODES)[number]

export interface HistoryOptions {
  readonly seed: string
  readonly index: number
  readonly fromMs: number
  readonly untilMs: number
  /** `mixed`: each cluster has its own way. */
  readonly mode: DeliveryMode
  /** Of upgrades, those that stand still somewhere; 0.18 when absent. */
  readonly stallShare?: number
  /** Where they stand still, each as often as the others; as on real clusters when absent or empty. */
  readonly stallKinds?: readonly StallKind[]
  /** Of upgrades, those that fail for good; 0.03 when absent. */
  readonly failedShare?: number
  /** Of upgrades, those that the next one follows at once, or waits for at the gate; 0.1 when absent. */
  readonly chainShare?: number
  /** Releases came out so much later than they did: for a history that ends now. Whole seconds; 0 when absent. */
  readonly calendarShiftMs?: number
}

const DAY_MS = 24 * HOUR_MS
const STALL_SHARE = 0.18
const CHAIN_SHARE = 0.1
/** Of stalls, those that nobody mends. */
const GIVEN_UP_SHARE = 0.15
const FAILED_SHARE = 0.03

/** More would tell nothing more, and a year of them not fit. */
const VMS_MAX = 250

/** When a cluster takes what is out: days after the release, at least and at most. */
const COHORTS: readonly (readonly [days: readonly [min: number, max: number], weight: number])[] = [
  [[0, 2], 6],
  [[2, 14], 24],
  [[10, 60], 52],
  [[45, 150], 18],
]

const FIRST_RELEASES = [
  ['1.12.0', 3],
  ['1.13.0', 12],
  ['1.14.0', 30],
  ['1.15.0', 15],
  ['1.15.2', 40],
] as const

/** By how often they are met. */
const STALL_WEIGHTS = [
  ['bundle_unpack', 8],
  ['requirements', 8],
  ['not_upgradeable', 8],
  ['olm_hangs', 3],
  ['install_loop', 10],
  ['canary', 12],
  ['wave', 10],
  ['operand', 10],
  ['virt_operator_hangs', 3],
  ['reconcile', 8],
  ['hco_hangs', 3],
  ['no_method', 5],
  ['not_migratable', 6],
  ['migrations_pending', 6],
  ['migration_endless', 5],
  ['migrations_failing', 5],
] as const satisfies readonly (readonly [StallKind, number])[]

/** From the seed and the cluster's number alone: more clusters leave the first ones as they are. */
export function planHistory(options: HistoryOptions): ClusterHistory {
  const { seed, index, fromMs, untilMs } = options
  const random = randomOf(seed, 'history', index)
  const wishedRelease = random.weighted(FIRST_RELEASES)
  const isLarge = random.chance(0.04)
  const drawn = createProfile(seed, index, 30_000, {
    firstRelease: wishedRelease,
    ...(isLarge ? { nodesMin: random.int(30, 90) } : {}),
  })
  const profile = { ...drawn, vms: Math.min(drawn.vms, VMS_MAX) }
  const isYoung = random.chance(0.05)
  const installedMs = isYoung
    ? atSecond(fromMs + random.next() * 0.6 * (untilMs - fromMs))
    : atSecond(fromMs - random.int(20, 400) * DAY_MS)
  const first = isYoung ? youngRelease(installedMs - (options.calendarShiftMs ?? 0)) : profile.firstRelease
  const catalogOutages = random.chance(0.04) ? [windowIn(random, fromMs, untilMs, 20 * DAY_MS, 60 * DAY_MS)] : []
  const upgrades = planUpgrades(options, profile, first, Math.max(fromMs, installedMs + DAY_MS), catalogOutages)
  const beginMs = Math.max(fromMs, installedMs)
  const edits = planEdits(profile, upgrades, fromMs, untilMs)
  return {
    ...{ profile, installedMs, untilMs, catalogOutages, upgrades, edits },
    fromMs: beginMs,
    tells: tellsOf(options.mode, random),
    firstCsv: installedCsv(uidOf(profile.seed, 'csv first'), first, installedMs),
    platform: planPlatform(profile, upgrades, beginMs, untilMs),
    hcoRestarts: planRestarts(profile, upgrades, edits, beginMs, untilMs),
    patches: random.chance(0.06) ? [planPatch(random, fromMs, untilMs)] : [],
    updateMethods: planMethods(upgrades),
    delivery: planDelivery(profile, beginMs, untilMs, upgrades),
  }
}

function youngRelease(installedMs: number): Release {
  let release = releaseOf('1.14.0')!
  for (let next = offerAt(release, installedMs); next !== undefined; next = offerAt(release, installedMs)) {
    release = next.release
  }
  return release
}

function planUpgrades(
  options: HistoryOptions,
  profile: ClusterProfile,
  first: Release,
  beginMs: number,
  catalogOutages: readonly Window[],
): readonly HcoUpgrade[] {
  const random = randomOf(options.seed, 'history upgrades', options.index)
  const chainRandom = randomOf(options.seed, 'history chain', options.index)
  const shiftMs = options.calendarShiftMs ?? 0
  const [daysMin, daysMax] = random.weighted(COHORTS)
  const upgrades: HcoUpgrade[] = []
  let from = first
  let replaces: Release | undefined
  let chained: ChainedOffer | undefined
  let atMs = beginMs
  while (atMs < options.untilMs) {
    const offer = offerAt(replaces ?? from, (chained?.offeredMs ?? atMs) - shiftMs)
    if (offer === undefined) {
      atMs = nextReleaseDayMs(atMs - shiftMs) + shiftMs
      continue
    }
    const releasedMs = offer.releasedMs + shiftMs
    const waitedMs = atMs - releasedMs < daysMax * DAY_MS ? random.int(daysMin, daysMax) * DAY_MS : 0
    const mirrorMs = Math.max(atMs + random.next() * 12 * DAY_MS, releasedMs + waitedMs + random.next() * DAY_MS)
    const outage = catalogOutages.find((window) => isWithin(window, mirrorMs))
    const offeredMs =
      chained?.offeredMs ?? atSecond(outage === undefined ? mirrorMs : outage.untilMs + random.next() * HOUR_MS)
    if (offeredMs >= options.untilMs) break
    const { release: to } = offerAt(replaces ?? from, offeredMs - shiftMs) ?? offer
    const fate = fateOf(random, options, offeredMs)
    const upgrade = planUpgrade(profile, {
      ...{ index: upgrades.length, from, to, offeredMs, ...fate, gateMs: chained?.gateMs },
      ...(replaces === undefined ? {} : { replaces }),
      approvalMs: profile.approval === 'Manual' ? approvalMs(random) : 0,
    })
    const last = upgrades.at(-1)
    // What was given up ends when its successor's CSV comes.
    if (replaces !== undefined && last !== undefined)
      upgrades[upgrades.length - 1] = abortedAt(last, upgrade.csv.createdMs)
    if (chained !== undefined && last !== undefined) upgrades[upgrades.length - 1] = overtaken(last, upgrade)
    upgrades.push(upgrade)
    if (upgrade.endMs < Infinity) from = to
    // Failed or superseded: the next one replaces the CSV that stands there.
    replaces = upgrade.endMs < Infinity || upgrade.returned !== undefined ? undefined : to
    chained = chainedOffer(chainRandom, profile, upgrade, options.chainShare ?? CHAIN_SHARE)
    if (chained !== undefined && offerAt(to, chained.offeredMs - shiftMs) === undefined) chained = undefined
    const pauseMs = random.int(1, 9) * DAY_MS
    if (upgrade.abortedMs < Infinity && replaces !== undefined) {
      // The newer one is what ended it, so it comes at that moment or never.
      atMs = upgrade.abortedMs
      continue
    }
    atMs =
      Math.max(upgrade.endMs < Infinity ? upgrade.endMs : upgrade.abortedMs, upgrade.workloads?.endMs ?? 0) + pauseMs
  }
  const last = upgrades.at(-1)
  // Nothing came that could replace it: it stands there still.
  if (replaces !== undefined && last !== undefined) upgrades[upgrades.length - 1] = abortedAt(last, Infinity)
  return upgrades.map((upgrade) => closed(upgrade, options.untilMs))
}

function abortedAt(upgrade: HcoUpgrade, abortedMs: number): HcoUpgrade {
  const { stall } = upgrade
  return { ...upgrade, abortedMs, stall: stall === undefined ? undefined : { ...stall, untilMs: abortedMs } }
}

interface Fate {
  readonly stall?: { readonly kind: StallKind; readonly lastsMs: number }
  readonly fails?: boolean
  readonly outcome: HcoUpgrade['outcome']
  readonly abortedMs: number
}

function fateOf(random: Random, options: HistoryOptions, offeredMs: number): Fate {
  const draw = random.next()
  const { stallKinds = [] } = options
  const drawnKind = random.weighted(STALL_WEIGHTS)
  const kind = stallKinds.length === 0 ? drawnKind : random.pick(stallKinds)
  const lastsMs = stallMs(kind, random)
  const givenUpMs = atSecond(offeredMs + random.int(20, 90) * DAY_MS)
  const isTakenBack = random.chance(0.6)
  const isGivenUp = random.chance(GIVEN_UP_SHARE)
  const failedShare = options.failedShare ?? FAILED_SHARE
  if (draw < failedShare) {
    const abortedMs = isTakenBack ? atSecond(offeredMs + random.int(31, 60) * DAY_MS) : givenUpMs
    return { fails: true, outcome: isTakenBack ? 'rolled_back' : 'failed', abortedMs }
  }
  if (draw >= failedShare + (options.stallShare ?? STALL_SHARE)) return { outcome: 'succeeded', abortedMs: Infinity }
  const isInOlm = ['requirements', 'not_upgradeable', 'install_loop', 'olm_hangs'].includes(kind)
  if (!isInOlm || !isGivenUp) return { stall: { kind, lastsMs }, outcome: 'succeeded', abortedMs: Infinity }
  const isBack = isTakenBack
  return {
    stall: { kind, lastsMs: 10_000 * DAY_MS },
    outcome: isBack ? 'rolled_back' : 'superseded',
    abortedMs: givenUpMs,
  }
}

function stallMs(kind: StallKind, random: Random): number {
  const hours = random.next()
  const isOfMachines = kind === 'no_method' || kind === 'not_migratable'
  if (isOfMachines) return atSecond((20 + hours * 120) * HOUR_MS)
  return atSecond((kind.startsWith('migration') ? 3 + hours * 5 : 0.7 + hours * hours * 9) * HOUR_MS)
}

function approvalMs(random: Random): number {
  const text = random.weighted([
    ['hours', 5],
    ['days', 3],
    ['weeks', 2],
  ])
  const [min, max] = { hours: [0.2, 20], days: [24, 120], weeks: [150, 600] }[text]!
  return atSecond((min! + random.next() * (max! - min!)) * HOUR_MS)
}

/** What has not ended when the history does is open; a CSV that failed has. */
function closed(upgrade: HcoUpgrade, untilMs: number): HcoUpgrade {
  const failedMs = upgrade.csv.steps.find(({ phase, reason }) => phase === 'Failed' && reason === FINAL_REASON)?.atMs
  if (failedMs !== undefined && failedMs < untilMs && upgrade.abortedMs >= untilMs)
    return { ...upgrade, outcome: 'failed' }
  const isOver = upgrade.endMs < untilMs || upgrade.abortedMs < untilMs
  return isOver ? upgrade : { ...upgrade, outcome: 'in_progress' }
}

/** Clusters whose machines wait for a method have it switched off from before until after. */
function planMethods(upgrades: readonly HcoUpgrade[]): ClusterHistory['updateMethods'] {
  const off = upgrades.flatMap(({ stall }) => (stall?.kind === 'no_method' ? [stall] : []))
  return [
    { fromMs: -Infinity, methods: ['LiveMigrate'] },
    ...off.flatMap(({ fromMs, untilMs }) => [
      { fromMs: fromMs - 2 * HOUR_MS, methods: [] },
      { fromMs: untilMs, methods: ['LiveMigrate'] },
    ]),
  ]
}

/** Bursts of edits by hand between `fromMs` and `untilMs`, away from upgrades; oldest first. */
export function planEdits(
  profile: ClusterProfile,
  upgrades: readonly HcoUpgrade[],
  fromMs: number,
  untilMs: number,
): readonly OutOfBandEdit[] {
  const random = randomOf(profile.seed, 'history edits')
  const edits: OutOfBandEdit[] = []
  for (let burst = random.int(0, 4); burst > 0; burst--) {
    const startMs = atSecond(fromMs + random.next() * (untilMs - fromMs))
    const component = random.pick(COMPONENTS)
    const count = random.int(1, 3)
    const isNearUpgrade = upgrades.some(
      (upgrade) =>
        startMs > upgrade.offeredMs - HOUR_MS && startMs < Math.min(upgrade.endMs, upgrade.abortedMs) + HOUR_MS,
    )
    if (isNearUpgrade) continue
    for (let i = 0; i < count; i++) edits.push({ atMs: startMs + i * 3 * MINUTE_MS, component })
  }
  return edits.toSorted((a, b) => a.atMs - b.atMs)
}

function planPatch(random: Random, fromMs: number, untilMs: number): JsonPatch {
  const window = windowIn(random, fromMs, untilMs, 2 * DAY_MS, 60 * DAY_MS)
  const text = '[{"op":"add","path":"/spec/configuration/developerConfiguration/logVerbosity","value":{"virtAPI":5}}]'
  return { ...window, component: 'kubevirt', text, operations: 1 }
}

function windowIn(random: Random, fromMs: number, untilMs: number, minMs: number, maxMs: number): Window {
  const startMs = atSecond(fromMs + random.next() * Math.max(0, untilMs - fromMs - minMs))
  return { fromMs: startMs, untilMs: atSecond(startMs + minMs + random.next() * (maxMs - minMs)) }
}

function tellsOf(mode: DeliveryMode, random: Random): Tells {
  const draw = random.next()
  const hasSpans = random.chance(0.1)
  switch (mode) {
    case 'objects':
      return { objects: true, metrics: false, spans: false }
    case 'metrics':
      return { objects: false, metrics: true, spans: false }
    case 'all':
      return { objects: true, metrics: true, spans: hasSpans }
    case 'mixed':
      return { objects: draw < 0.75, metrics: draw > 0.3, spans: hasSpans && draw < 0.75 }
  }
}

export function atSecond(timeMs: number): number {
  return Math.floor(timeMs / 1000) * 1000
}
