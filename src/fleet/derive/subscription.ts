/** What OLM follows for HCO: package, channel, approval, state. From the Subscription, or else from OLM's metric. */
import type { ClusterRecord } from '../../model/cluster-record.ts'
import type { ClusterHistory } from './cluster-history.ts'
import { presentObjects, presentRuns } from './present.ts'

type Subscription = NonNullable<ClusterRecord['subscription']>

/** Packages of HCO, with who publishes them. */
export const HCO_PACKAGES: Readonly<Record<string, NonNullable<ClusterRecord['flavour']>>> = {
  'community-kubevirt-hyperconverged': 'community',
  'kubevirt-hyperconverged': 'openshift',
}

export function subscriptionOf(history: ClusterHistory): Subscription | undefined {
  const [newest] = presentObjects(history, 'subscriptions')
    .filter(({ facts }) => facts.package in HCO_PACKAGES)
    .sort((a, b) => (b.facts.createdMs ?? 0) - (a.facts.createdMs ?? 0))
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

/** Catalog and state are no labels: empty is unknown. */
function subscriptionOfMetric(history: ClusterHistory): Subscription | undefined {
  const newest = presentRuns(history, 'subscription').at(-1)
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
