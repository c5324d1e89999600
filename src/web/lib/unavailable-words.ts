/** The fields that an answer about the past does not have (`past.unavailable`), in words. Pure. */

/** By field of an answer. Several fields may have the same words. */
const WORDS: Readonly<Record<string, string>> = {
  'clusters.silent': 'which clusters were silent',
  'coverage.silent': 'which clusters were silent',
  silence: 'which clusters were silent',
  silentCount: 'which clusters were silent',
  'firing.pending': 'alerts that were pending',
  'stuck.nodes': 'updated nodes of a stuck upgrade',
  'stuck.machines': 'remaining VMs of a stuck upgrade',
  'stuck.cause': 'the cause of a stuck upgrade',
  derivation: 'processing delay',
  faults: 'failures of the server',
  states: 'states derived from these',
  lastSeenAt: 'last seen',
  'readiness.unknown': 'hazards whose signal has changed since',
  instanceTypes: 'instance types',
  preferences: 'VM preferences',
  deprecatedApis: 'deprecated APIs',
  'platform.target': 'the target version of the platform',
  'upgrades.blockedBy': 'what blocked an upgrade',
  'upgrade.blockedBy': 'what blocked an upgrade',
  'stuck.upgrade.blockedBy': 'what blocked an upgrade',
  'stuck.verdict': 'the verdict on phases that progress node by node',
  'components.message': 'messages of components',
  virtHandler: 'virt-handler pods',
  workloads: 'workload updates',
  lastProgressAt: 'last progress',
  'stranded.notOffered': 'whether a version was offered',
  'modifications.count': 'the number of modifications',
  'machineTypes.objects': 'machine types of clusters that do not send metrics',
  'apis.clients': 'clients of APIs',
  pending: 'alerts that were pending',
  value: 'values of alerts',
  rule: 'earlier definitions of rules',
  marks: 'acknowledgements',
  failing: 'failing rules',
}

/** The words without duplicates, in the order of the fields. A field without words is returned unchanged. */
export function describeUnavailable(fields: readonly string[]): readonly string[] {
  return [...new Set(fields.map((field) => WORDS[field] ?? field))]
}
