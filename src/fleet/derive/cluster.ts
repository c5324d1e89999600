/** The record of one cluster: its current state by all sources. Absent values are unknown. */
import type { ClusterProblem, ClusterRecord, VersionInterval } from '../../model/cluster-record.ts'
import type { HyperConvergedFacts } from '../../model/object-facts.ts'
import { HCO_PACKAGES, type ClusterHistory } from './cluster-history.ts'
import { coverageOf, seenOf } from './coverage.ts'
import { hazardFactsOf } from './hazard-facts.ts'
import { hcoReleaseOf } from './hco-release.ts'
import { healthOf } from './health.ts'
import {
  deschedulerOf,
  goldenImagesOf,
  hyperConvergedHistoryOf,
  apiClientsOf,
  machinesOf,
  outdatedOf,
} from './inventory.ts'
import { operatorProblems } from './operator-problems.ts'
import { aliasesOf, nodesOf, platformOf, poolsOf, refusedAliasesOf } from './platform.ts'
import { runningVersions } from './intervals.ts'
import { presentObjects, type PresentObject } from './present.ts'
import { settingsOf } from './settings.ts'
import { writtenOf } from './written.ts'

export function deriveRecord(
  history: ClusterHistory,
  intervals: readonly VersionInterval[],
  identityProblems: readonly ClusterProblem[] = [],
): ClusterRecord {
  const { cluster } = history
  const running = runningVersions(intervals.filter(({ untilMs }) => untilMs === undefined))
  const { hcoVersion } = running
  const hyperConverged = hyperConvergedHistoryOf(history)?.states.at(-1)?.facts
  const subscription = subscriptionOf(history)
  const flavour = flavourOf(subscription?.package, hcoVersion)
  const nodes = nodesOf(history)
  const platform = platformOf(history, nodes, intervals)
  const workloads = outdatedOf(history)
  const goldenImages = goldenImagesOf(history)
  const descheduler = deschedulerOf(history, hcoVersion)
  const problems = [...identityProblems, ...operatorProblems(history)]
  const refusedAliases = refusedAliasesOf(history)
  const hazards = hazardFactsOf(history)
  const { firstMs = 0, lastMs = 0 } = seenOf(history)
  return {
    cluster,
    aliases: aliasesOf(history),
    ...(refusedAliases.length === 0 ? {} : { refusedAliases }),
    ...(flavour === undefined ? {} : { flavour }),
    ...(platform === undefined ? {} : { platform }),
    ...running,
    ...(subscription === undefined ? {} : { subscription }),
    ...healthOf(history, hyperConverged, subscription?.installedCsv),
    ...(problems.length === 0 ? {} : { problems }),
    settings: settingsOf(history),
    ...(nodes === undefined ? {} : { nodes }),
    pools: poolsOf(history),
    ...(workloads === undefined ? {} : { workloads }),
    ...placesOf(history),
    ...intentOf(history),
    ...(goldenImages === undefined ? {} : { goldenImages }),
    ...(descheduler === undefined ? {} : { descheduler }),
    ...machinesOf(history),
    // Requests to old API versions are in metrics of the API servers, which no signal reads.
    deprecatedApis: {},
    ...apiClientsOf(history),
    ...(hazards === undefined ? {} : { hazards }),
    firstSeenMs: firstMs,
    lastSeenMs: lastMs,
    coverage: coverageOf(history),
  }
}

/** By the name of the package; without a package by the version. */
function flavourOf(packageName: string | undefined, hcoVersion: string | undefined): ClusterRecord['flavour'] {
  const byPackage = packageName === undefined ? undefined : HCO_PACKAGES.get(packageName)
  return byPackage ?? (hcoVersion === undefined ? undefined : hcoReleaseOf(hcoVersion)?.flavour)
}

type Subscription = NonNullable<ClusterRecord['subscription']>

function newestSubscription(history: ClusterHistory): PresentObject<'subscriptions'> | undefined {
  return presentObjects(history, 'subscriptions')
    .filter(({ facts }) => HCO_PACKAGES.has(facts.package))
    .sort((a, b) => (b.facts.createdMs ?? 0) - (a.facts.createdMs ?? 0))[0]
}

export function placesOf(history: ClusterHistory): Pick<ClusterRecord, 'hyperConverged' | 'hcoSubscription'> {
  const hyperConverged = hyperConvergedHistoryOf(history)
  const subscription = newestSubscription(history)
  return {
    ...(hyperConverged && { hyperConverged: { name: hyperConverged.name, namespace: hyperConverged.namespace } }),
    ...(subscription && { hcoSubscription: { name: subscription.name, namespace: subscription.namespace } }),
  }
}

/** What shows that the cluster is to send nothing: HyperConverged was deleted, or allows no metrics. */
export function intentOf(history: ClusterHistory): Pick<ClusterRecord, 'hyperConvergedRemovedMs' | 'telemetryOff'> {
  const hyperConverged = hyperConvergedHistoryOf(history)
  if (hyperConverged === undefined) {
    const removedMs = history.of('hyperconvergeds').map(({ gone }) => gone!.atMs)
    return removedMs.length === 0 ? {} : { hyperConvergedRemovedMs: Math.max(...removedMs) }
  }
  if (!allowsNoMetrics(hyperConverged.states.at(-1)!.facts)) return {}
  const isSame = (earlier: HyperConvergedFacts): boolean => allowsNoMetrics(earlier)
  return { telemetryOff: writtenOf(hyperConverged, isSame) }
}

function allowsNoMetrics({ allowedMetrics }: HyperConvergedFacts): boolean {
  return allowedMetrics?.length === 1 && allowedMetrics[0] === 'none'
}

/** From the Subscription, or else from OLM's metric. */
export function subscriptionOf(history: ClusterHistory): Subscription | undefined {
  const newest = newestSubscription(history)
  if (newest === undefined) return subscriptionOfMetric(history)
  const { package: name, channel, approval, source, state, installedCsv, currentCsv } = newest.facts
  return {
    package: name,
    channel,
    approval,
    source,
    state,
    ...(installedCsv === undefined ? {} : { installedCsv }),
    ...(currentCsv === undefined ? {} : { currentCsv }),
  }
}

/** The metric has no labels for catalog and state: empty is unknown. */
function subscriptionOfMetric(history: ClusterHistory): Subscription | undefined {
  const newest = history.currentRuns('subscription').at(-1)
  if (newest === undefined) return undefined
  const { channel = '', approval = '', installed = '', package: name = '' } = newest.labels
  return {
    package: name,
    channel,
    approval,
    source: '',
    state: '',
    ...(installed === '' ? {} : { installedCsv: installed }),
  }
}
