/**
 * A cluster's region, provider and environment, from the external labels of its Prometheus: no object contains them.
 * OpenShift's metric of the infrastructure provider fills in what the labels lack.
 */
import { escapePromqlString, escapeRegex } from '../../base/quoting.ts'
import type { ClusterRecord } from '../../model/cluster-record.ts'
import type { FleetReader } from '../fleet-reader.ts'

export type ClusterTraits = Pick<ClusterRecord, 'region' | 'provider' | 'environment'>

/** The labels of each trait, in order of precedence. */
const LABELS: Readonly<Record<keyof ClusterTraits, readonly string[]>> = {
  region: ['region', 'topology_region'],
  provider: ['provider', 'cloud', 'cloud_provider'],
  environment: ['environment', 'env', 'stage'],
}

const ALL_LABELS = Object.values(LABELS).flat()
const LABELLED = (clusters: string): string =>
  `group by (cluster, ${ALL_LABELS.join(', ')}) ({__name__=~"kubevirt_info|csv_succeeded|kubevirt_hco_system_health_status", ${clusters}})`
/** `type` is the provider: AWS, BareMetal, None, ... */
const PLATFORM = (clusters: string): string =>
  `group by (cluster, type, region) (cluster_infrastructure_provider{${clusters}})`

/** By the name in the metrics. @param names only of these clusters; absent: of all */
export async function readTraits(
  reader: Pick<FleetReader, 'instant'>,
  timeMs: number,
  names?: readonly string[],
): Promise<ReadonlyMap<string, ClusterTraits>> {
  const clusters =
    names === undefined ? 'cluster!=""' : `cluster=~"${escapePromqlString(names.map(escapeRegex).join('|'))}"`
  const [labelled, platform] = await Promise.all([
    reader.instant(LABELLED(clusters), timeMs),
    reader.instant(PLATFORM(clusters), timeMs),
  ])
  const traits = new Map<string, ClusterTraits>()
  const put = (cluster: string, found: ClusterTraits): void => {
    traits.set(cluster, { ...found, ...traits.get(cluster) })
  }
  for (const { labels } of labelled) {
    const of = (trait: keyof ClusterTraits): ClusterTraits => {
      const value = LABELS[trait].map((name) => labels.get(name)).find((text) => text !== '')
      return value === undefined ? {} : { [trait]: value }
    }
    put(labels.get('cluster'), { ...of('region'), ...of('provider'), ...of('environment') })
  }
  for (const { labels } of platform) {
    const [provider, region] = [labels.get('type').toLowerCase(), labels.get('region')]
    put(labels.get('cluster'), {
      ...(region === '' ? {} : { region }),
      ...(provider === '' || provider === 'none' ? {} : { provider }),
    })
  }
  return traits
}
