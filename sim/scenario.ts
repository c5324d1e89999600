import type { ClusterPlan, Role } from './cluster-plan.ts'
import { createProfile, type ClusterProfile, type ProfileWish } from './cluster-profile.ts'
import { hashOf, randomOf } from './random.ts'
import { nextRelease, type Release } from './release.ts'
import { GOOD_DESCHEDULER, OLD_DESCHEDULER, WRONG_DESCHEDULER } from './scenarios/descheduler.ts'
import { RESTART_EVERY_MS } from './scenarios/out-of-band.ts'
import { ANNOTATION_NAMES, type SilenceHabit, type UnsafePatch } from './scenarios/habits.ts'
import { planUpgrade, type StallWish, type UpgradePlan } from './scenarios/upgrade.ts'
import { HOUR_MS, MINUTE_MS } from './scenarios/window.ts'

/** What a plan is made from. */
export interface PlanOptions {
  readonly seed: string
  readonly index: number
  readonly role: Role
  /** Where the history begins; a healthy cluster's own story is counted from here. */
  readonly startMs: number
  /** The moment that is set up: what the roles promise is true here. Not before `startMs`. */
  readonly presentMs: number
  readonly scrapeMs: number
}

/** A healthy fleet is not a still one: of every block of clusters, one after the other has its turn. */
const BLOCK = 200
const EDIT_TURN_MS = 5 * MINUTE_MS
const UPGRADE_TURN_MS = 4 * MINUTE_MS
const UNSAFE_TURN_MS = 60 * MINUTE_MS
const SILENCE_TURN_MS = 45 * MINUTE_MS

const STALL_CHANCE = 0.05

const WISHES: Partial<Record<Role, ProfileWish>> = {
  descheduler: { firstRelease: '1.17.1' },
  descheduler_after_upgrade: { firstRelease: '1.14.0' },
  upgrading: { firstRelease: '1.16.0', nodesMin: 4 },
  stuck_olm: { firstRelease: '1.15.2' },
  stuck_canary: { firstRelease: '1.17.3', nodesMin: 6 },
  stuck_unknown: { firstRelease: '1.17.3', nodesMin: 3 },
  skewed: { firstRelease: '1.16.0', isOpenshift: true },
  golden_no_arch: { firstRelease: '1.17.1' },
  golden_no_annotation: { firstRelease: '1.16.0', isMultiArch: true },
  multi_arch_disabled: { firstRelease: '1.18.0', isMultiArch: true },
  not_evictable: { nodesMin: 3 },
  guests: { firstRelease: '1.18.0' },
  stuck_machines: { firstRelease: '1.17.3', nodesMin: 3 },
  ping_pong: { nodesMin: 3 },
  api_down: { nodesMin: 3 },
  image_outdated: { firstRelease: '1.13.0' },
  ssp_failing: { firstRelease: '1.18.1' },
  mac_collision: { firstRelease: '1.18.0' },
}

export function createPlan(options: PlanOptions): ClusterPlan {
  const { seed, index, role, startMs, presentMs, scrapeMs } = options
  const profile = createProfile(seed, index, scrapeMs, WISHES[role])
  const random = randomOf(profile.seed, 'plan')
  const turns = turnsOf(options)
  const before = (minutes: number): number => presentMs - minutes * MINUTE_MS
  const plan: ClusterPlan = {
    profile,
    role,
    startMs,
    upgrades: role === 'healthy' ? planUpgrades(profile, turns.upgrade, presentMs) : [],
    edits: role === 'healthy' ? { ...turns.edit, kind: 'now_and_then' } : undefined,
    oldEdits: role === 'healthy' && random.chance(0.15) ? random.int(1, 4) : 0,
    restarts: undefined,
    unsafe: role === 'healthy' ? [{ ...turns.unsafe, annotation: random.pick(ANNOTATION_NAMES), operations: 1 }] : [],
    descheduler: random.chance(0.4) ? GOOD_DESCHEDULER : undefined,
    degraded: undefined,
    silence: role === 'healthy' ? { ...turns.silence, hasStaleMarkers: random.chance(0.5) } : undefined,
    goldenImageFault: undefined,
    trouble: undefined,
    operandFault: undefined,
    isInstalled: true,
  }
  switch (role) {
    case 'healthy':
      return plan
    case 'edited': // a minute or more after the next edit, and less than ten
      return { ...plan, edits: { anchorMs: before(4), everyMs: 7 * HOUR_MS, kind: 'now_and_then' } }
    case 'fought':
      return {
        ...plan,
        edits: { anchorMs: startMs + random.int(0, 200_000), everyMs: 215_000, kind: 'fought' },
        restarts: { anchorMs: before(70), everyMs: RESTART_EVERY_MS },
      }
    case 'unsafe':
      return { ...plan, unsafe: [patch(ANNOTATION_NAMES[0], 2, before(14 * 24 * 60))] }
    case 'unsafe_twice':
      return {
        ...plan,
        unsafe: [patch(ANNOTATION_NAMES[0], 1, before(50)), patch(ANNOTATION_NAMES[1], 3, before(45))],
      }
    case 'descheduler':
      return { ...plan, descheduler: WRONG_DESCHEDULER }
    case 'descheduler_after_upgrade':
      return { ...plan, descheduler: OLD_DESCHEDULER, upgrades: one(profile, before(70)) }
    case 'unhealthy':
      return { ...plan, degraded: { anchorMs: before(35), onMs: 85 * MINUTE_MS, everyMs: 4 * HOUR_MS } }
    case 'missing':
      return { ...plan, isInstalled: false }
    case 'upgrading':
      return { ...plan, upgrades: planUpgrades(profile, { anchorMs: before(4), everyMs: 8 * HOUR_MS }, Infinity) }
    case 'stuck_olm':
      return { ...plan, upgrades: one(profile, before(95), { kind: 'olm', lastsMs: 8 * HOUR_MS }) }
    case 'stuck_canary':
      return { ...plan, upgrades: one(profile, before(85), { kind: 'canary', lastsMs: 120 * MINUTE_MS }) }
    case 'stuck_unknown':
      return { ...plan, upgrades: one(profile, before(100), { kind: 'hco', lastsMs: 8 * HOUR_MS }) }
    case 'skewed': // its platform is ahead: platformVersions
      return plan
    case 'silent':
      return { ...plan, silence: silence(before(25), false) }
    case 'silent_with_markers':
      return { ...plan, silence: silence(before(55), true) }
    case 'golden_no_arch':
      return { ...plan, goldenImageFault: 'no_supported_architecture' }
    case 'golden_no_annotation':
      return { ...plan, goldenImageFault: 'no_architecture_annotation' }
    case 'multi_arch_disabled':
      return { ...plan, goldenImageFault: 'multi_arch_disabled' }
    case 'rest_errors':
      return { ...plan, trouble: { kind: role, fromMs: before(70) } }
    case 'not_evictable':
    case 'ping_pong':
    case 'outdated':
      return { ...plan, trouble: { kind: role, fromMs: startMs } }
    case 'guests':
      return { ...plan, trouble: { kind: role, fromMs: before(150) } }
    case 'stuck_machines':
      return { ...plan, trouble: { kind: role, fromMs: before(80) } }
    case 'api_down':
      return { ...plan, trouble: { kind: role, fromMs: before(95) } }
    case 'image_outdated':
      return { ...plan, operandFault: { kind: role, sinceMs: before(55) } }
    case 'ssp_failing':
      return { ...plan, operandFault: { kind: role, sinceMs: before(20) } }
    case 'mac_collision':
      return { ...plan, operandFault: { kind: role, sinceMs: before(35) } }
    case 'volume_filling':
      return { ...plan, operandFault: { kind: role, sinceMs: before(9 * 60) } }
  }
}

const FOR_EVER_MS = 1000 * 24 * HOUR_MS

function patch(annotation: UnsafePatch['annotation'], operations: number, anchorMs: number): UnsafePatch {
  return { annotation, operations, anchorMs, onMs: FOR_EVER_MS, everyMs: FOR_EVER_MS }
}

function silence(anchorMs: number, hasStaleMarkers: boolean): SilenceHabit {
  return { anchorMs, onMs: FOR_EVER_MS, everyMs: FOR_EVER_MS, hasStaleMarkers }
}

/** The single upgrade to the next release. */
function one(profile: ClusterProfile, startMs: number, stall?: StallWish): readonly UpgradePlan[] {
  const to = nextRelease(profile.firstRelease)
  return to === undefined ? [] : [planUpgrade(profile, profile.firstRelease, to, startMs, stall)]
}

/** Upgrade after upgrade to the end of the line. Some of those that begin after `stallsFromMs` stand still for a while. */
function planUpgrades(
  profile: ClusterProfile,
  turn: { readonly anchorMs: number; readonly everyMs: number },
  stallsFromMs: number,
): readonly UpgradePlan[] {
  const upgrades: UpgradePlan[] = []
  let from: Release = profile.firstRelease
  for (let to = nextRelease(from); to !== undefined; to = nextRelease(to)) {
    const startMs = turn.anchorMs + upgrades.length * turn.everyMs
    const random = randomOf(profile.seed, 'stall', from.hco)
    const isStalled = startMs > stallsFromMs && random.chance(STALL_CHANCE)
    const stall: StallWish = { kind: random.pick(['olm', 'canary']), lastsMs: random.int(70, 130) * MINUTE_MS }
    upgrades.push(planUpgrade(profile, from, to, startMs, isStalled ? stall : undefined))
    from = to
  }
  return upgrades
}

/** When this cluster's turns come. Each kind of turn goes round in another order, so that they seldom meet. */
function turnsOf({ seed, index, startMs, presentMs }: PlanOptions) {
  const place = (kind: string, stride: number): number => (index * stride + (hashOf(seed, kind) % BLOCK)) % BLOCK
  const recurring = (fromMs: number, turnMs: number, turn: number) => ({
    anchorMs: fromMs + turn * turnMs,
    everyMs: BLOCK * turnMs,
  })
  return {
    edit: recurring(startMs, EDIT_TURN_MS, place('edit', 73)),
    upgrade: recurring(startMs - 10 * MINUTE_MS, UPGRADE_TURN_MS, place('upgrade', 57)),
    unsafe: { ...recurring(startMs, UNSAFE_TURN_MS, place('unsafe', 33)), onMs: 50 * MINUTE_MS },
    // Outages begin after the present, so that the opening scene has the silent clusters it names and no others.
    silence: { ...recurring(presentMs + 5 * MINUTE_MS, SILENCE_TURN_MS, place('silence', 91)), onMs: 18 * MINUTE_MS },
  }
}
