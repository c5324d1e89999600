/** What is known of one cluster now, from all ways it is heard of. Absent is unknown. */
import type { ClusterRecord, VersionInterval } from '../../model/cluster-record.ts'
import type { ClusterHistory } from './cluster-history.ts'
import { coverageOf, seenOf } from './coverage.ts'
import { hcoReleaseOf } from './hco-release.ts'
import { healthOf } from './health.ts'
import { deschedulerOf, goldenImagesOf, hyperConvergedOf, machineTypesOf, outdatedOf } from './inventory.ts'
import { aliasesOf, nodesOf, platformOf, poolsOf } from './platform.ts'
import { settingsOf } from './settings.ts'
import { runningVersions } from '../clusters/running-versions.ts'
import { HCO_PACKAGES, subscriptionOf } from './subscription.ts'

export function deriveRecord(history: ClusterHistory, intervals: readonly VersionInterval[]): ClusterRecord {
  const { cluster } = history
  const running = runningVersions(intervals.filter(({ untilMs }) => untilMs === undefined))
  const { hcoVersion } = running
  const hyperConverged = hyperConvergedOf(history)
  const subscription = subscriptionOf(history)
  const flavour = flavourOf(subscription?.package, hcoVersion)
  const nodes = nodesOf(history)
  const platform = platformOf(history, nodes, intervals)
  const workloads = outdatedOf(history)
  const goldenImages = goldenImagesOf(history)
  const descheduler = deschedulerOf(history, hcoVersion)
  const { firstMs = 0, lastMs = 0 } = seenOf(history)
  return {
    cluster,
    aliases: aliasesOf(history),
    ...(flavour === undefined ? {} : { flavour }),
    ...(platform === undefined ? {} : { platform }),
    ...running,
    ...(subscription === undefined ? {} : { subscription }),
    ...healthOf(history, hyperConverged, subscription?.installedCsv),
    settings: settingsOf(hyperConverged),
    ...(nodes === undefined ? {} : { nodes }),
    pools: poolsOf(history),
    ...(workloads === undefined ? {} : { workloads }),
    ...(goldenImages === undefined ? {} : { goldenImages }),
    ...(descheduler === undefined ? {} : { descheduler }),
    ...machineTypesOf(history),
    // Which old API versions are asked for stands in API servers' metrics, which no signal reads.
    deprecatedApis: {},
    firstSeenMs: firstMs,
    lastSeenMs: lastMs,
    coverage: coverageOf(history),
  }
}

/** By the package's name; by the way versions are counted where no package is told. */
function flavourOf(packageName: string | undefined, hcoVersion: string | undefined): ClusterRecord['flavour'] {
  const byPackage = packageName === undefined ? undefined : HCO_PACKAGES[packageName]
  return byPackage ?? (hcoVersion === undefined ? undefined : hcoReleaseOf(hcoVersion)?.flavour)
}
