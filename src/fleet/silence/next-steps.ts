/** The next step for each cause: one sentence or two; the runbook of DaytwoClusterSilent has the commands. */
import type { SilenceCause } from '../../model/cluster-silence.ts'
import type { SilenceGroup } from './silence-groups.ts'
import type { SilentCluster } from './silent-cluster.ts'

type Step = (one: SilentCluster, group: SilenceGroup | undefined) => string

const STEPS: Readonly<Record<SilenceCause, Step>> = {
  collector_stopped: () =>
    'On the cluster, check the pod of the Collector (the edge kit) and its log. Alerts from metrics are still evaluated; upgrades and settings are not updated.',
  remote_write_broken: () =>
    'Check the remote write errors in the log of the Prometheus of the cluster: token, address, filter. Alerts from metrics are not evaluated until then.',
  network: (_, group) =>
    group?.place === undefined
      ? 'Check what all clusters share: the address, the certificate and the proxy of Daytwo, and expired tokens.'
      : `Check the network between ${group.place} and Daytwo, not the single clusters: proxy, firewall, DNS, an outage of the site or provider.`,
  upgrade: () =>
    'Open the upgrade and check the API and the nodes of the cluster from outside. Start no further upgrades on this path until the cause is known.',
  decommissioned: ({ gone }) =>
    gone?.why.kind === 'declared'
      ? 'No action is required: the cluster counts nowhere. It is active again when it reports.'
      : 'Contact the owner of the cluster. If it was decommissioned, declare that on this page.',
  opted_out: ({ gone }) =>
    gone?.why.kind === 'declared'
      ? 'No action is required: the cluster counts nowhere. It is active again when it reports.'
      : 'Contact the owner of the cluster. If the cluster is to send nothing, declare on this page that it opted out.',
  unknown: () =>
    'Check whether the API of the cluster answers. If it does, check the log of its Prometheus and Collector; if not, contact its owner.',
}

export function nextStepOf(cause: SilenceCause, one: SilentCluster, group: SilenceGroup | undefined): string {
  return STEPS[cause](one, group)
}
