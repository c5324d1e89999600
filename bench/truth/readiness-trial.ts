/**
 * Readiness against clusters whose hazards are known: each hazard is planted on some of them, with its signal, and the clusters
 * that have one fail more of their upgrades; others keep the signal to themselves.
 */
import { openshiftMinorOf } from '../../src/fleet/platform-minor.ts'
import { createFleetIndex } from '../../src/fleet/clusters/fleet-index.ts'
import { deriveCluster } from '../../src/fleet/derive/derive-cluster.ts'
import { RELEASES } from '../../src/fleet/releases.ts'
import { hcoReleaseOf } from '../../src/fleet/derive/hco-release.ts'
import { nextTarget, parseTarget } from '../../src/fleet/readiness/target.ts'
import type { HazardCalibration } from '../../src/fleet/readiness/calibration.ts'
import type { ClusterReadiness } from '../../src/fleet/readiness/readiness-index.ts'
import type { ClusterRecord } from '../../src/model/cluster-record.ts'
import type { ClusterFacts } from '../../src/model/fleet-facts.ts'
import { HAZARD_IDS, type HazardId, type RiskAlert } from '../../src/model/readiness.ts'
import { observationsOf } from '../../sim/history/cluster-observations.ts'
import type { ClusterHistory } from '../../sim/history/cluster-history.ts'
import {
  consequenceOf,
  consequencesOf,
  hasFixedVms,
  planHazards,
  withEdits,
  withHazards,
} from '../../sim/history/hazards.ts'
import type { HazardPlan } from '../../sim/history/hazard-plan.ts'
import { installedAtEnd, isDeschedulerLater } from '../../sim/history/late-hazards.ts'
import { planHistory } from '../../sim/history/plan-history.ts'
import { isWithin } from '../../sim/scenarios/window.ts'

export interface ReadinessOptions {
  readonly seed: string
  readonly clusters: number
  readonly fromMs: number
  readonly untilMs: number
}

export interface HazardScore {
  /** Clusters on which the hazard is known to exist, and those of them on which it was found. */
  planted: number
  found: number
  /** Clusters without it, and those of them on which it was reported. */
  without: number
  invented: number
  /** Clusters without its signal, and those of them on which it is `unknown`. */
  withheld: number
  unknown: number
  /** Upgrades of clusters with the hazard, and those of them that stood still as it makes them. */
  upgrades: number
  consequences: number
}

export interface ReadinessTrial {
  readonly scores: ReadonlyMap<HazardId, HazardScore>
  /** Clusters that were called ready in spite of a hazard whose signal was sent. */
  readonly wronglyReady: readonly string[]
  readonly verdicts: Readonly<Record<string, number>>
  readonly calibration: readonly HazardCalibration[]
  readonly wrong: readonly string[]
}

/** Of upgrades of a cluster that has a hazard. */
const FAILED_WITH_HAZARD = 0.3
/** Of the others, those that stand still as their hazards make them. */
const STALLED_WITH_HAZARD = 0.4
/** Every ninth cluster is an old one: hazards 3 and 4 are of the upgrade from 1.6 to 1.7. */
const OLD_EVERY = 9

export function runReadinessTrial({ seed, clusters, fromMs, untilMs }: ReadinessOptions): ReadinessTrial {
  const index = createFleetIndex()
  const scores = new Map<HazardId, HazardScore>()
  const wronglyReady: string[] = []
  const wrong: string[] = []
  const verdicts: Record<string, number> = {}
  const alerts: RiskAlert[] = []
  const all: { readonly history: ClusterHistory; readonly plan: HazardPlan; readonly facts: ClusterFacts }[] = []
  for (let i = 0; i < clusters; i++) {
    const plan = planHazards(seed, i)
    const failing =
      plan.planted.size > 0
        ? { failedShare: FAILED_WITH_HAZARD, stallShare: STALLED_WITH_HAZARD, stallKinds: consequencesOf(plan) }
        : {}
    const history = withEdits(planHistory({ seed, index: i, fromMs, untilMs, mode: 'all', ...failing }), plan)
    const derived = deriveCluster(withHazards(observationsOf(history), history, plan))
    const facts = i % OLD_EVERY === 0 ? { ...derived, cluster: asOld(derived.cluster, plan) } : derived
    index.put(facts)
    const { cluster } = facts.cluster
    if (plan.planted.has('disruption_budget_alerts'))
      alerts.push(alertOf(cluster, 'PodDisruptionBudgetAtLimit', untilMs))
    if (plan.planted.has('critical_alerts')) alerts.push(alertOf(cluster, 'VirtControllerDown', untilMs))
    all.push({ history, plan, facts })
  }
  index.readiness.setAlerts(alerts)
  const scoreOf = (hazard: HazardId): HazardScore => {
    const score = scores.get(hazard) ?? {
      ...{ planted: 0, found: 0, without: 0, invented: 0, withheld: 0, unknown: 0 },
      ...{ upgrades: 0, consequences: 0 },
    }
    scores.set(hazard, score)
    return score
  }
  for (const { history, plan, facts } of all) {
    const record = facts.cluster
    const { cluster } = record
    const next = nextTarget(record)
    if (next === undefined) continue
    const answers = [
      index.readiness.of(cluster, next, untilMs)!,
      ...later(record).map((to) => index.readiness.of(cluster, parseTarget(to, RELEASES), untilMs)!),
    ]
    const [first] = answers
    verdicts[first!.verdict] = (verdicts[first!.verdict] ?? 0) + 1
    const isOld = record.hcoVersion !== facts.intervals.at(-1)?.version && record.hcoVersion === OLD.hcoVersion
    for (const hazard of HAZARD_IDS) {
      const truth = truthOf(hazard, history, plan, record, untilMs, isOld)
      if (truth === undefined) continue
      const states = answers.flatMap((answer) => stateOf(answer, hazard))
      if (states.length === 0) continue
      const score = scoreOf(hazard)
      const is = (state: string): boolean => states.includes(state)
      if (truth === 'withheld') {
        score.withheld++
        if (is('unknown')) score.unknown++
        else wrong.push(`${hazard} of ${cluster}: withheld, and ${states.join()}`)
      } else if (truth === 'planted') {
        score.planted++
        score.upgrades += history.upgrades.length
        const kind = consequenceOf(hazard)
        score.consequences += history.upgrades.filter(({ stall }) => stall !== undefined && stall.kind === kind).length
        if (is('present')) score.found++
        else wrong.push(`${hazard} of ${cluster}: planted, and ${states.join()}`)
        const asked = hazard === 'eus_order' ? answers.at(-1)! : first!
        if (stateOf(asked, hazard)[0] !== undefined && asked.verdict === 'ready')
          wronglyReady.push(`${cluster} (${hazard})`)
      } else {
        score.without++
        if (!is('present')) continue
        score.invented++
        wrong.push(`${hazard} of ${cluster}: not there, and present`)
      }
    }
  }
  return { scores, wronglyReady, verdicts, calibration: index.readiness.calibration(), wrong }
}

const OLD_MINOR = 6
/** Of the release that changes defaults, a target of every cluster before it. */
const DEFAULTS_MINOR = 19
const OLD = { hcoVersion: '4.10.4', platform: { kind: 'openshift', version: '4.11.20' } } as const

function asOld(record: ClusterRecord, { planted }: HazardPlan): ClusterRecord {
  const descheduler = isDeschedulerOfOld(planted) ? { descheduler: { profiles: ['AffinityAndTaints'] } } : {}
  return { ...record, ...OLD, ...descheduler, flavour: 'openshift' }
}

/** HCO does not look at profiles before 1.13. */
const isDeschedulerOfOld = (planted: HazardPlan['planted']): boolean =>
  planted.has('descheduler_after_upgrade') && !planted.has('descheduler')

/** Targets besides the next minor: the platform's next minor, and the release that changes defaults. */
function later({ platform, hcoVersion }: ClusterRecord): readonly string[] {
  const minor =
    platform?.kind === 'openshift' && platform.version !== undefined ? openshiftMinorOf(platform.version) : undefined
  const isBefore = (hcoReleaseOf(hcoVersion!)?.minor ?? 0) < DEFAULTS_MINOR
  return [...(minor === undefined ? [] : [`openshift 4.${minor + 1}.0`]), ...(isBefore ? ['1.19.0'] : [])]
}

/** Empty: it does not apply to the target. */
function stateOf({ hazards }: ClusterReadiness, hazard: HazardId): readonly string[] {
  const { finding } = hazards.find(({ id }) => id === hazard)!
  return finding.state === 'not_applicable' ? [] : [finding.state]
}

type Truth = 'planted' | 'withheld' | 'without'

/** `undefined`: what the plan does not decide, such as conditions during an upgrade. */
function truthOf(
  hazard: HazardId,
  history: ClusterHistory,
  { planted, withheld }: HazardPlan,
  record: ClusterRecord,
  untilMs: number,
  isOld: boolean,
): Truth | undefined {
  const isPlanted = planted.has(hazard)
  const isWithheld = withheld.has(hazard)
  const yes = (is: boolean): Truth => (is ? 'planted' : 'without')
  switch (hazard) {
    case 'json_patch':
      return yes(isPlanted || history.patches.some((patch) => isWithin(patch, untilMs)))
    case 'manual_approval':
      return yes(history.profile.approval === 'Manual')
    case 'out_of_band': {
      // Edits during an upgrade are muted, and those around the bound are of one burst.
      const recent = history.edits.filter(({ atMs }) => atMs > untilMs - 31 * DAY_MS)
      const isCertain = isPlanted && recent.length === 1 && recent[0]!.atMs % DAY_MS === untilMs % DAY_MS
      return recent.length === 0 ? 'without' : isCertain ? 'planted' : undefined
    }
    case 'eus_order':
      return yes((isOld ? OLD_MINOR : installedAtEnd(history).minor) + 1 < DEFAULTS_MINOR)
    case 'open_upgrade':
      if (history.upgrades.some((upgrade) => isOpen(upgrade, untilMs))) return 'planted'
      return isQuiet(history, untilMs) ? 'without' : undefined
    case 'operator_unhealthy':
    case 'not_upgradeable':
    case 'nodes':
      if (hazard === 'nodes' && (withheld.has('few_nodes') || withheld.has('rollout_race'))) return 'withheld'
      return isQuiet(history, untilMs) ? yes(isPlanted) : undefined
    case 'degraded_pool':
      if (history.platform === undefined || !isQuiet(history, untilMs)) return undefined
      return withheld.has('paused_pool') ? 'withheld' : yes(isPlanted)
    case 'descheduler_after_upgrade':
      return yes(isOld ? isDeschedulerOfOld(planted) : isDeschedulerLater(history, planted))
    case 'non_evictable_vms':
      return isWithheld ? 'withheld' : yes(hasFixedVms(planted))
    case 'live_migrate_only':
      if (planted.has('empty_update_methods') || !isPlanted) return 'without'
      return withheld.has('non_evictable_vms') ? 'withheld' : 'planted'
    case 'version_skew':
      return isOld || record.flavour !== 'openshift' ? undefined : yes(isBehind(history, untilMs))
    case 'node_maintenance_operator':
    case 'nmstate_operator':
      return !isOld ? undefined : isWithheld ? 'withheld' : yes(isPlanted)
    case 'migration_retries':
      // Real migrations of an upgrade fail too.
      return isWithheld
        ? 'withheld'
        : isPlanted
          ? 'planted'
          : history.upgrades.some(isRecent(untilMs))
            ? undefined
            : 'without'
    case 'few_nodes':
    case 'rollout_race':
      if (withheld.has('few_nodes') || withheld.has('rollout_race')) {
        // HyperConverged itself reports whether there is a second node.
        return hazard === 'rollout_race' ? 'withheld' : yes(isPlanted)
      }
      if (hazard === 'few_nodes') return yes(isPlanted || history.profile.nodes.length < 2)
      if (planted.has('empty_update_methods')) return 'without'
      return yes(isPlanted)
    case 'paused_pool':
    case 'max_openshift_version':
      if (record.platform?.kind !== 'openshift' || history.platform === undefined) return undefined
      return isWithheld ? 'withheld' : yes(isPlanted)
    case 'golden_images':
      return record.goldenImages === undefined && !isWithheld ? undefined : isWithheld ? 'withheld' : yes(isPlanted)
    case 'deprecated_apis':
      return isWithheld || withheld.has('few_nodes') || withheld.has('rollout_race')
        ? isWithheld
          ? 'withheld'
          : isPlanted
            ? 'planted'
            : 'withheld'
        : yes(isPlanted)
    default:
      return isWithheld ? 'withheld' : yes(isPlanted)
  }
}

/** The next minor of the operator needs the next minor of the platform; one that is there already is ahead of the operator. */
function isBehind(history: ClusterHistory, untilMs: number): boolean {
  const { platform } = history
  const version = platform?.upgrades.findLast(({ endMs }) => endMs <= untilMs)?.to ?? platform?.firstVersion ?? ''
  const { minor } = installedAtEnd(history)
  const platformMinor = openshiftMinorOf(version)
  return platformMinor !== undefined && (platformMinor < minor + 5 || platformMinor > minor + 4)
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Its CSV was there an hour before the end, and it has not ended. One that waits for approval has not begun. */
function isOpen({ csv, endMs, abortedMs, outcome }: ClusterHistory['upgrades'][number], untilMs: number): boolean {
  return outcome === 'in_progress' && csv.createdMs < untilMs - HOUR_MS && endMs > untilMs && abortedMs > untilMs
}

/** For a day nothing is upgraded, waits to be, or is unwell, and the last upgrade of HCO was completed. */
function isQuiet({ upgrades, platform, unwell = [], unusedOffers = [] }: ClusterHistory, untilMs: number): boolean {
  const isOver = (atMs: number): boolean => atMs < untilMs - DAY_MS
  return (
    upgrades.every(({ endMs, workloads }) => isOver(endMs) && isOver(workloads?.endMs ?? 0)) &&
    (platform?.upgrades ?? []).every(({ endMs }) => isOver(endMs)) &&
    [...unwell, ...unusedOffers].every((window) => isOver(window.untilMs))
  )
}

const isRecent =
  (untilMs: number) =>
  ({ workloads }: ClusterHistory['upgrades'][number]): boolean =>
    (workloads?.migrations ?? []).some(({ endMs }) => endMs > untilMs - 3 * 86_400_000)

function alertOf(cluster: string, alertname: string, untilMs: number): RiskAlert {
  return { cluster, alertname, severity: 'critical', firedAtMs: untilMs - 3_600_000 }
}

const percent = (part: number, of: number): string => (of === 0 ? '–' : `${((100 * part) / of).toFixed(1)} %`)

/** A table of all scored hazards, then what history shows about each. */
export function renderReadiness({ scores, wronglyReady, verdicts, calibration, wrong }: ReadinessTrial): string {
  const lines = [
    'hazard                       planted  found  precision  recall    withheld  unknown  upgrades  consequences',
  ]
  for (const hazard of HAZARD_IDS) {
    const score = scores.get(hazard)
    if (score === undefined) {
      lines.push(`${hazard.padEnd(28)} not scored`)
      continue
    }
    const { planted, found, invented, withheld, unknown, upgrades, consequences } = score
    const seen = consequenceOf(hazard) === undefined ? '–' : String(consequences)
    lines.push(
      `${hazard.padEnd(28)} ${String(planted).padStart(7)} ${String(found).padStart(6)}  ${percent(found, found + invented).padEnd(9)}  ${percent(found, planted).padEnd(8)} ${String(withheld).padStart(9)} ${String(unknown).padStart(8)}  ${String(upgrades).padStart(8)}  ${seen.padStart(12)}`,
    )
  }
  lines.push('', `verdicts: ${JSON.stringify(verdicts)}; ready in spite of a planted hazard: ${wronglyReady.length}`)
  lines.push(...wronglyReady.slice(0, 5), ...wrong.slice(0, 10), '', 'calibration (failed of upgrades with / without)')
  for (const { hazard, withHazard, withoutHazard, result } of calibration) {
    if (withHazard.upgrades === 0) continue
    lines.push(
      `${hazard.padEnd(28)} ${withHazard.failed}/${withHazard.upgrades}  ${withoutHazard.failed}/${withoutHazard.upgrades}  ${result}`,
    )
  }
  return lines.join('\n')
}

/** What was promised and is not so. */
export function brokenReadiness({ scores, wronglyReady }: ReadinessTrial): readonly string[] {
  return [
    ...(wronglyReady.length === 0 ? [] : [`${wronglyReady.length} clusters are ready in spite of a planted hazard`]),
    ...[...scores].flatMap(([hazard, { planted, found, invented, withheld, unknown }]) => [
      ...(found === planted ? [] : [`${hazard}: found ${found} of ${planted}`]),
      ...(invented === 0 ? [] : [`${hazard}: ${invented} invented`]),
      ...(unknown === withheld ? [] : [`${hazard}: unknown ${unknown} of ${withheld} withheld`]),
    ]),
  ]
}
