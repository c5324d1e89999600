import { randomOf, type Random } from '../random.ts'
import { openshiftMinorOf, releaseOf, type Release } from '../release.ts'
import type { ClusterPlan } from '../cluster-plan.ts'
import { HOUR_MS, MINUTE_MS, type Window } from '../scenarios/window.ts'
import { platformVersions } from '../series/platform.ts'
import { CALENDAR, offerAt } from './calendar.ts'
import { isMirrorStale } from './catalog-offers.ts'
import type { ClusterHistory, HcoUpgrade, PlatformUpgrade, StallKind, WorkloadMove } from './cluster-history.ts'
import { atSecond, planEdits } from './plan-history.ts'
import { planPlatformUpgrade } from './plan-platform.ts'
import { planUpgrade } from './plan-upgrade.ts'

/**
 * The months before the plan of a cluster of the default fleet begins: how it came to the release that it runs then. Only
 * its objects tell of them, and no object of a single machine's move: those would be most of it.
 */
export interface ClusterPast
  extends Pick<ClusterHistory, 'installedMs' | 'fromMs' | 'upgrades' | 'edits'>, Pick<PastOptions, 'calendarShiftMs'> {
  /** What it was installed with, or ran when the past begins. */
  readonly firstRelease: Release
  readonly platformUpgrades: readonly PlatformUpgrade[]
}

export interface PastOptions {
  /** Where the past begins; it ends where the plan does begin. */
  readonly sinceMs: number
  /** Releases came out so much later than they did. Whole seconds. */
  readonly calendarShiftMs: number
}

const DAY_MS = 24 * HOUR_MS

/** Days after a release at which it is taken, at least and at most: a few at once, most within two months. */
const LAGS: readonly (readonly [days: readonly [min: number, max: number], weight: number])[] = [
  [[0, 2], 8],
  [[2, 14], 27],
  [[10, 60], 50],
  [[45, 150], 15],
]
/** Between two upgrades, and before the plan: longer than any of them takes. */
const APART_MS = 3 * DAY_MS
const OFFERED_DAYS_MAX = 60
const YOUNG_SHARE = 0.06
/**
 * Upgrades on this path succeeded for months; in the last fortnight most attempts are taken back. Each is of a cluster that still
 * runs the older release.
 */
const REGRESSING = { from: '1.15.2', to: '1.16.0', withinDays: [2, 13], share: 1 } as const
/**
 * A rollout in progress that is to be held: with the community's bundle the deployment of the new hco-operator does not become
 * available in time (OLM: InstallCheckFailed). Most of the clusters that could try the release took it back; on most of the others
 * OLM installed it again and again for hours.
 */
const FAILING = { from: '1.16.0', to: '1.17.3', withinDays: [2, 12], share: 0.9 } as const
const FAILING_LOOP = { share: 0.9, hours: [7, 11] } as const
const STALL_SHARE = 0.12
const TAKEN_BACK_SHARE = 0.06
const PLATFORM_STALL_SHARE = 0.08
/** Those that objects alone tell of. */
const STALL_KINDS = [
  ['bundle_unpack', 8],
  ['requirements', 8],
  ['not_upgradeable', 8],
  ['install_loop', 10],
  ['canary', 12],
  ['wave', 10],
  ['operand', 10],
  ['reconcile', 8],
] as const satisfies readonly (readonly [StallKind, number])[]
/** How often the number of machines that still have to move is told. */
const MOVES_EVERY_MS = 5 * MINUTE_MS

/** From the cluster's seed alone: what is planned for it afterwards stays as it is. */
export function pastOfPlan(plan: ClusterPlan, options: PastOptions): ClusterPast {
  const { profile } = plan
  const random = randomOf(profile.seed, 'past')
  const { steps, isInstalled } = stepsTo(random, profile.firstRelease, plan.startMs - APART_MS, options)
  const [first, ...rest] = steps
  const installed = isInstalled ? first : undefined
  const taken = upgradesOf(plan, random, installed === undefined ? steps : rest, options)
  const upgrades = [
    ...taken,
    ...regressedAttempt(plan, taken, installed?.atMs ?? options.sinceMs, options.calendarShiftMs),
  ]
  const installedMs = installed?.atMs ?? options.sinceMs - random.int(20, 400) * DAY_MS
  const fromMs = Math.max(atSecond(options.sinceMs), atSecond(installedMs))
  return {
    ...{ fromMs, upgrades, calendarShiftMs: options.calendarShiftMs },
    installedMs: atSecond(installedMs),
    firstRelease: installed?.to ?? upgrades[0]?.from ?? profile.firstRelease,
    platformUpgrades: platformUpgradesOf(plan, upgrades, fromMs),
    edits: planEdits(profile, upgrades, fromMs, plan.startMs),
  }
}

/** A release that the cluster came to; `from` is not there when it was installed with it. */
interface Step {
  readonly atMs: number
  readonly from: Release | undefined
  readonly to: Release
}

/** Walks back from the release it has at `untilMs`, oldest step first. */
function stepsTo(
  random: Random,
  release: Release,
  untilMs: number,
  { sinceMs, calendarShiftMs }: PastOptions,
): { readonly steps: readonly Step[]; readonly isInstalled: boolean } {
  const steps: Step[] = []
  let to = release
  let latestMs = untilMs
  for (;;) {
    const offers = offeredBetween(to)
    const atMs = takenAt(random, offers.fromMs + calendarShiftMs, Math.min(latestMs, offers.untilMs + calendarShiftMs))
    if (atMs === undefined || atMs < sinceMs) return { steps, isInstalled: false }
    const offered = CALENDAR.filter(
      ({ release: from, releasedMs }) =>
        releasedMs + calendarShiftMs < atMs - APART_MS && offerAt(from, atMs - calendarShiftMs)?.release.hco === to.hco,
    )
    if (offered.length === 0 || random.chance(YOUNG_SHARE)) {
      return { steps: [{ atMs, from: undefined, to }, ...steps], isInstalled: true }
    }
    const from = random.weighted(offered.map(({ release: old }) => [old, offeredDays(old)] as const))
    steps.unshift({ atMs, from, to })
    ;[to, latestMs] = [from, atMs - APART_MS]
  }
}

/** From its release until a newer patch of its minor is out: catalogs offer the newest one. */
function offeredBetween({ hco, minor, patch }: Release): Window {
  const dated = CALENDAR.filter(({ release }) => release.minor === minor)
  return {
    fromMs: dated.find(({ release }) => release.hco === hco)!.releasedMs,
    untilMs: Math.min(...dated.filter(({ release }) => release.patch > patch).map(({ releasedMs }) => releasedMs)),
  }
}

/** Who was offered a release for longer is more often on it. */
function offeredDays(release: Release): number {
  const { fromMs, untilMs } = offeredBetween(release)
  return Math.max(1, Math.min(OFFERED_DAYS_MAX, (untilMs - fromMs) / DAY_MS))
}

function takenAt(random: Random, releasedMs: number, latestMs: number): number | undefined {
  const [min, max] = random.weighted(LAGS)
  const lagMs = (min + random.next() * (max - min)) * DAY_MS
  const share = random.next()
  if (releasedMs >= latestMs) return undefined
  return atSecond(releasedMs + lagMs < latestMs ? releasedMs + lagMs : releasedMs + share * (latestMs - releasedMs))
}

/** Each step as an upgrade; some stood still on their way, and of some a first attempt was taken back. */
function upgradesOf(
  { profile }: ClusterPlan,
  random: Random,
  steps: readonly Step[],
  { sinceMs, calendarShiftMs }: PastOptions,
): readonly HcoUpgrade[] {
  const upgrades: HcoUpgrade[] = []
  let freeMs = sinceMs
  for (const { atMs, from, to } of steps) {
    const approvalMs = profile.approval === 'Manual' ? random.int(10 * MINUTE_MS, 20 * HOUR_MS) : 0
    const stall = { kind: random.weighted(STALL_KINDS), lastsMs: random.int(40 * MINUTE_MS, 9 * HOUR_MS) }
    const [isStalled, isTakenBack] = [random.chance(STALL_SHARE), random.chance(TAKEN_BACK_SHARE)]
    const triedMs = atMs - random.int(30 * HOUR_MS, 60 * HOUR_MS)
    const common = { from: from!, to, approvalMs: atSecond(approvalMs) }
    const loop = to.hco === FAILING.to ? installLoop(profile) : undefined
    const isOffered = offerAt(from!, triedMs - calendarShiftMs)?.release.hco === to.hco
    if (isTakenBack && isOffered && triedMs > freeMs) {
      const abortedMs = atSecond(triedMs + approvalMs + random.int(HOUR_MS, 6 * HOUR_MS))
      const [index, offeredMs] = [upgrades.length, atSecond(triedMs)]
      upgrades.push(
        planUpgrade(profile, { ...common, index, offeredMs, fails: true, outcome: 'rolled_back', abortedMs }),
      )
    }
    const upgrade = planUpgrade(profile, {
      ...common,
      ...{ index: upgrades.length, offeredMs: atMs, outcome: 'succeeded', abortedMs: Infinity },
      ...(loop === undefined && !isStalled ? {} : { stall: loop ?? { ...stall, lastsMs: atSecond(stall.lastsMs) } }),
    })
    upgrades.push({ ...upgrade, workloads: upgrade.workloads && withoutMigrations(upgrade.workloads) })
    freeMs = atMs + APART_MS
  }
  return upgrades
}

/** Of its own stream: what else happened to the cluster is as it would be without. */
function installLoop({ seed, flavour }: ClusterPlan['profile']): { kind: StallKind; lastsMs: number } | undefined {
  const random = randomOf(seed, 'past install loop')
  const lastsMs = random.int(FAILING_LOOP.hours[0] * HOUR_MS, FAILING_LOOP.hours[1] * HOUR_MS)
  return flavour === 'community' && random.chance(FAILING_LOOP.share)
    ? { kind: 'install_loop', lastsMs: atSecond(lastsMs) }
    : undefined
}

/** The attempt on the regressing path, or of the failing rollout, which was taken back: none or one. */
function regressedAttempt(
  { profile, role, startMs }: ClusterPlan,
  before: readonly HcoUpgrade[],
  installedMs: number,
  calendarShiftMs: number,
): readonly HcoUpgrade[] {
  const path = [REGRESSING, FAILING].find(({ from }) => from === profile.firstRelease.hco)
  if (path === undefined || role !== 'healthy' || isMirrorStale({ profile })) return []
  const random = randomOf(profile.seed, 'past regression')
  const [min, max] = path.withinDays
  const offeredMs = atSecond(startMs - random.int(min * DAY_MS, max * DAY_MS))
  const lastMs = before.at(-1)?.offeredMs ?? installedMs
  const isOffered = offerAt(profile.firstRelease, offeredMs - calendarShiftMs)?.release.hco === path.to
  if (!isOffered || offeredMs < lastMs + APART_MS) return []
  const approvalMs = profile.approval === 'Manual' ? atSecond(random.int(10 * MINUTE_MS, 4 * HOUR_MS)) : 0
  const abortedMs = atSecond(offeredMs + approvalMs + random.int(HOUR_MS, 6 * HOUR_MS))
  if (!random.chance(path.share) || (path === FAILING && profile.flavour !== 'community')) return []
  return [
    planUpgrade(profile, {
      ...{ from: profile.firstRelease, to: releaseOf(path.to)!, approvalMs, index: before.length, offeredMs },
      ...{ fails: true, outcome: 'rolled_back', abortedMs },
    }),
  ]
}

/** That machines move stands in KubeVirt's object too, as how many still have to. */
function withoutMigrations(move: WorkloadMove): WorkloadMove {
  const movedMs = move.movedMs.map((atMs) => Math.ceil(atMs / MOVES_EVERY_MS) * MOVES_EVERY_MS)
  return { ...move, migrations: [], movedMs, endMs: movedMs.at(-1) ?? move.endMs }
}

/** OpenShift goes to a minor some days before HCO goes to the release that belongs to it; the last is the one that the plan begins with. */
function platformUpgradesOf(
  plan: ClusterPlan,
  upgrades: readonly HcoUpgrade[],
  fromMs: number,
): readonly PlatformUpgrade[] {
  const { profile, startMs } = plan
  const random = randomOf(profile.seed, 'past platform')
  const planned: PlatformUpgrade[] = []
  const lastMinor = Number(platformVersions(plan)[0]!.version.split('.')[1])
  const wishes = upgrades.map(({ to, offeredMs }) => ({ minor: openshiftMinorOf(to), beforeMs: offeredMs }))
  let minor = openshiftMinorOf(upgrades[0]?.from ?? profile.firstRelease)
  let freeMs = fromMs + HOUR_MS
  for (const wish of [...wishes, { minor: lastMinor, beforeMs: startMs }]) {
    const leadMs = atSecond(random.int(DAY_MS, 3 * DAY_MS))
    const stallMs = random.chance(PLATFORM_STALL_SHARE) ? random.int(2, 12) * HOUR_MS : 0
    if (wish.minor <= minor) continue
    const startsMs = Math.max(atSecond(wish.beforeMs) - leadMs, freeMs)
    const next = planPlatformUpgrade(profile, minor, wish.minor, startsMs, stallMs)
    planned.push(next)
    ;[minor, freeMs] = [wish.minor, next.endMs + HOUR_MS]
  }
  return planned
}
