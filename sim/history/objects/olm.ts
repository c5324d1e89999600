import type {
  Condition,
  CsvFacts,
  InstallPlanFacts,
  OperatorConditionFacts,
  SubscriptionFacts,
} from '../../../src/model/object-facts.ts'
import { csvName, productVersion } from '../../cluster-profile.ts'
import { isWithin } from '../../scenarios/window.ts'
import type { ClusterHistory, CsvLife, HcoUpgrade } from '../cluster-history.ts'
import { uidOf } from '../uid.ts'
import { csvLives } from './csv-lives.ts'
import { conditionAt, finite, type SimObject, type Spell } from './sim-object.ts'

const HISTORY_MAX = 20
/** From a new CSV's creation to its first status. */
const STATUS_MS = 200

/** What OLM keeps: the CSVs, the Subscription, the InstallPlans, each CSV's OperatorCondition, catalog and group. */
export function olmObjects(history: ClusterHistory): readonly SimObject[] {
  const lives = csvLives(history)
  return [
    ...lives.map((life) => csvObject(history, life)),
    subscriptionObject(history),
    ...history.upgrades.flatMap((upgrade) => installPlanObject(history, upgrade) ?? []),
    ...lives.map((life) => operatorCondition(history, life)),
    catalogObject(history),
    groupObject(history),
  ]
}

function csvObject(history: ClusterHistory, life: CsvLife): SimObject {
  const { profile } = history
  const base = {
    kind: 'clusterserviceversions',
    createdMs: life.createdMs,
    version: productVersion(profile, life.release),
    ...(life.replaces === undefined ? {} : { replaces: csvName(profile, life.replaces) }),
    skips: [],
  } as const
  return {
    ...{ uid: life.uid, name: csvName(profile, life.release), namespace: profile.installNamespace },
    ...{ createdMs: life.createdMs, goneMs: life.goneMs },
    momentsMs: [life.createdMs, life.createdMs + STATUS_MS, ...life.steps.map((step) => step.atMs)],
    factsAt(timeMs): CsvFacts {
      const steps = timeMs < life.createdMs + STATUS_MS ? [] : life.steps.filter((step) => step.atMs <= timeMs)
      let lastTransitionMs = life.createdMs
      const path = steps.map((step, i) => {
        if (step.phase !== steps[i - 1]?.phase) lastTransitionMs = step.atMs
        const { phase, reason, message } = step
        return { phase, reason, message, lastTransitionMs, lastUpdateMs: step.atMs }
      })
      const last = path.at(-1)
      if (last === undefined) return { ...base, phase: '', reason: '', message: '', history: [] }
      const { phase, reason, message } = last
      return { ...base, phase, reason, message, lastTransitionMs, history: path.slice(-HISTORY_MAX) }
    },
  }
}

/** From an upgrade's offer to the moment its CSV stands. */
function subscriptionObject(history: ClusterHistory): SimObject {
  const { profile, upgrades } = history
  return {
    uid: uidOf(profile.seed, 'subscription'),
    name: profile.subscriptionName,
    namespace: profile.installNamespace,
    createdMs: history.installedMs,
    goneMs: Infinity,
    momentsMs: finite([
      ...upgrades.flatMap((upgrade) => [
        ...[upgrade.offeredMs, upgrade.plannedMs, upgrade.approvedMs, upgrade.csvSucceededMs, upgrade.abortedMs],
        ...(upgrade.stall === undefined ? [] : [upgrade.stall.fromMs + UNPACK_MS, upgrade.stall.untilMs]),
      ]),
      ...history.catalogOutages.flatMap(({ fromMs, untilMs }) => [fromMs, untilMs]),
      ...(history.unusedOffers ?? []).map(({ fromMs }) => fromMs),
    ]),
    factsAt: (timeMs) => subscriptionAt(history, timeMs),
  }
}

/** How long unpacking a bundle is tried before it has failed. */
const UNPACK_MS = 60_000

function subscriptionAt(history: ClusterHistory, timeMs: number): SubscriptionFacts {
  const { profile, upgrades } = history
  const isOpenshift = profile.flavour === 'openshift'
  let state = 'AtLatestKnown'
  let installed = history.firstCsv.release
  let current = installed
  let plan: string | undefined
  let lastUpdatedMs = history.installedMs
  const moves = upgrades.flatMap((upgrade) => {
    const name = installPlanName(history, upgrade)
    return [
      {
        atMs: upgrade.offeredMs,
        state: 'UpgradeAvailable',
        installed: undefined,
        current: upgrade.to,
        plan: undefined,
      },
      { atMs: upgrade.plannedMs, state: 'UpgradePending', installed: undefined, current: upgrade.to, plan: name },
      { atMs: upgrade.csvSucceededMs, state: 'AtLatestKnown', installed: upgrade.to, current: upgrade.to, plan: name },
      upgrade.returned === undefined
        ? undefined
        : {
            atMs: upgrade.abortedMs,
            state: 'AtLatestKnown',
            installed: upgrade.from,
            current: upgrade.from,
            plan: undefined,
          },
    ]
  })
  for (const move of moves) {
    if (move === undefined || move.atMs > timeMs) continue
    state = move.state
    installed = move.installed ?? installed
    current = move.current
    plan = move.plan ?? plan
    lastUpdatedMs = move.atMs
  }
  const unused = history.unusedOffers?.find((window) => isWithin(window, timeMs))
  if (unused !== undefined) {
    state = 'UpgradeAvailable'
    lastUpdatedMs = unused.fromMs
  }
  const unpack: Spell[] = upgrades.flatMap(({ stall, to }) =>
    stall?.kind === 'bundle_unpack' && stall.untilMs > stall.fromMs + UNPACK_MS
      ? [
          {
            fromMs: stall.fromMs + UNPACK_MS,
            untilMs: stall.untilMs,
            status: 'True',
            reason: 'BundleUnpackFailed',
            message: `bundle unpacking failed. Reason: DeadlineExceeded, and Message: Job was active longer than specified deadline (${csvName(profile, to)})`,
          },
        ]
      : [],
  )
  const conditions: Condition[] = [
    conditionAt(
      'CatalogSourcesUnhealthy',
      { status: 'False', reason: 'AllCatalogSourcesHealthy', message: 'all available catalogsources are healthy' },
      [],
      timeMs,
      history.installedMs,
    ),
  ]
  if (unpack.some((spell) => isWithin(spell, timeMs))) {
    conditions.push(
      conditionAt(
        'BundleUnpackFailed',
        { status: 'False', reason: '', message: '' },
        unpack,
        timeMs,
        history.installedMs,
      ),
    )
  }
  return {
    kind: 'subscriptions',
    createdMs: history.installedMs,
    package: profile.packageName,
    channel: profile.channel,
    source: isOpenshift ? 'redhat-operators' : 'operatorhubio-catalog',
    approval: profile.approval,
    state,
    installedCsv: csvName(profile, installed),
    currentCsv: csvName(profile, current),
    ...(plan === undefined ? {} : { installPlan: plan }),
    lastUpdatedMs,
    conditions,
  }
}

export function installPlanName(history: ClusterHistory, upgrade: HcoUpgrade): string {
  return `install-${uidOf(history.profile.seed, 'plan', upgrade.index).slice(0, 5)}`
}

function installPlanObject(history: ClusterHistory, upgrade: HcoUpgrade): SimObject | undefined {
  const { profile } = history
  const { plannedMs, approvedMs, approval, csv } = upgrade
  if (plannedMs === Infinity) return undefined
  const completeMs = csv.createdMs + 3000
  const base = {
    kind: 'installplans',
    createdMs: plannedMs,
    approval,
    csvNames: [csvName(profile, upgrade.to)],
  } as const
  return {
    uid: uidOf(profile.seed, 'plan', upgrade.index),
    name: installPlanName(history, upgrade),
    namespace: profile.installNamespace,
    createdMs: plannedMs,
    goneMs: Infinity,
    momentsMs: finite([plannedMs, plannedMs + 400, approvedMs, completeMs]),
    factsAt(timeMs): InstallPlanFacts {
      const isApproved = approval === 'Automatic' || timeMs >= approvedMs
      const isResolved = timeMs >= plannedMs + 400
      const isComplete = timeMs >= completeMs
      const waiting = isApproved ? 'Installing' : 'RequiresApproval'
      return {
        ...base,
        isApproved,
        phase: isComplete ? 'Complete' : isResolved ? waiting : 'Planning',
        ...(timeMs >= approvedMs ? { startMs: approvedMs } : {}),
        conditions: isComplete
          ? [{ type: 'Installed', status: 'True', reason: '', message: '', lastTransitionMs: completeMs }]
          : [],
      }
    },
  }
}

/** HCO says here whether OLM may go on. */
function operatorCondition(history: ClusterHistory, life: CsvLife): SimObject {
  const { profile, upgrades } = history
  const bringing = upgrades.find((upgrade) => upgrade.csv.uid === life.uid)
  const leaving = upgrades.find(
    (upgrade) => upgrade.csv.replaces === life.release && upgrade.stall?.kind === 'not_upgradeable',
  )
  const spells: Spell[] = []
  if (bringing !== undefined && bringing.hcoStartMs < Infinity) {
    spells.push({
      fromMs: bringing.hcoStartMs,
      untilMs: bringing.endMs,
      status: 'False',
      reason: 'AlreadyPerformingUpgrade',
      message: `upgrading the hyperConverged cluster operator to version ${productVersion(profile, life.release)}`,
    })
  }
  if (leaving?.stall !== undefined && leaving.csv.createdMs < life.goneMs) {
    spells.push({
      fromMs: leaving.stall.fromMs - 90_000,
      untilMs: leaving.stall.untilMs,
      status: 'False',
      reason: 'KubevirtNotUpgradeable',
      message: 'KubeVirt is not upgradeable: some virtual machine instances are migrating',
    })
  }
  const firstMs = bringing?.csvSucceededMs ?? life.createdMs + 95_000
  return {
    uid: uidOf(life.uid, 'operatorcondition'),
    name: csvName(profile, life.release),
    namespace: profile.installNamespace,
    createdMs: life.createdMs,
    goneMs: life.goneMs,
    momentsMs: finite([firstMs, ...spells.flatMap(({ fromMs, untilMs }) => [fromMs, untilMs])]),
    factsAt(timeMs): OperatorConditionFacts {
      const usual = { status: 'True', reason: 'Upgradeable', message: '' }
      const conditions = timeMs >= firstMs ? [conditionAt('Upgradeable', usual, spells, timeMs, firstMs)] : []
      return { kind: 'operatorconditions', createdMs: life.createdMs, conditions, overrides: [] }
    },
  }
}

function catalogObject(history: ClusterHistory): SimObject {
  const { profile, catalogOutages } = history
  const isOpenshift = profile.flavour === 'openshift'
  return {
    uid: uidOf(profile.seed, 'catalog'),
    name: isOpenshift ? 'redhat-operators' : 'operatorhubio-catalog',
    namespace: isOpenshift ? 'openshift-marketplace' : 'olm',
    createdMs: history.installedMs,
    goneMs: Infinity,
    momentsMs: catalogOutages.flatMap(({ fromMs, untilMs }) => [fromMs, untilMs]),
    factsAt: (timeMs) => ({
      kind: 'catalogsources',
      createdMs: history.installedMs,
      connectionState: catalogOutages.some((outage) => isWithin(outage, timeMs)) ? 'TRANSIENT_FAILURE' : 'READY',
    }),
  }
}

function groupObject(history: ClusterHistory): SimObject {
  const failsForward = history.upgrades.some(({ outcome }) => outcome === 'failed')
  return {
    uid: uidOf(history.profile.seed, 'group'),
    name: 'kubevirt-hyperconverged-group',
    namespace: history.profile.installNamespace,
    createdMs: history.installedMs,
    goneMs: Infinity,
    momentsMs: [],
    factsAt: () => ({
      kind: 'operatorgroups',
      createdMs: history.installedMs,
      upgradeStrategy: failsForward ? 'TechPreviewUnsafeFailForward' : 'Default',
    }),
  }
}
