import { placeOf, ROUTES } from './paths.ts'

/** The fields that an answer about the past does not have (`past.unavailable`), in words. Pure. */

/** By field of an answer. Several fields may have the same words. */
const WORDS: Readonly<Record<string, string>> = {
  'clusters.silent': 'which clusters were silent',
  'coverage.silent': 'which clusters were silent',
  silentCount: 'which clusters were silent',
  'firing.pending': 'alerts that were pending',
  'stuck.nodes': 'updated nodes of a stuck upgrade',
  'stuck.machines': 'remaining VMs of a stuck upgrade',
  'stuck.cause': 'the cause of a stuck upgrade',
  derivation: 'processing delay',
  faults: 'failures of the server',
  channel: 'channels',
  approval: 'install plan approval',
  systemHealth: 'the health that operators report',
  tainted: 'taints',
  outdatedWorkloads: 'outdated VMs',
  states: 'states derived from these',
  lastSeenAt: 'last seen',
  subscription: 'the subscription',
  conditions: 'conditions of operators',
  upgradeable: 'the Upgradeable condition',
  hyperConvergedApi: 'the version of its HyperConverged API',
  settings: 'settings of HyperConverged',
  featureGates: 'feature gates',
  nodes: 'ready nodes',
  pools: 'machine config pools',
  goldenImages: 'golden images',
  readiness: 'hazards',
  descheduler: 'the descheduler',
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
  'gates.on': 'gates set in HyperConverged',
  'gates.off': 'gates set in HyperConverged',
  'uses.hyperconverged': 'gates set in HyperConverged',
  'variants.apiVersion': 'the layout of HyperConverged',
  'modifications.count': 'the number of modifications',
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

/** Pages that show the present although their address has a moment. */

/** By prefix of the address, longest first; other pages show the moment. */
const PRESENT: readonly (readonly [path: string, says: string])[] = [
  [ROUTES.silences, 'This page shows current silences only.'],
  [ROUTES.delivery, 'This page shows all deliveries up to now.'],
  [ROUTES.lint, 'This page shows current findings only.'],
  [ROUTES.rules, 'This page shows current rules only.'],
  ['/rb', 'This page shows the current runbook.'],
]

/** `undefined`: the page shows the moment. */
export function presentSentence(pathname: string): string | undefined {
  const found = PRESENT.find(([path]) => pathname === path || pathname.startsWith(`${path}/`))
  if (found !== undefined) return found[1]
  const isOneAlert =
    placeOf(pathname)?.path === ROUTES.alerts && pathname !== ROUTES.alerts && pathname !== ROUTES.resolved
  return isOneAlert ? 'The list and the alert show the selected time; the runbook is the current one.' : undefined
}
