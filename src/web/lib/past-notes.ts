import { placeOf, ROUTES } from './paths.ts'

/** The fields that an answer about the past does not have (`past.unavailable`), in words. Pure. */

/** By field of an answer. Several fields may have the same words. */
const WORDS: Readonly<Record<string, string>> = {
  'clusters.silent': 'which clusters were silent',
  'coverage.silent': 'which clusters were silent',
  silentCount: 'which clusters were silent',
  'firing.pending': 'alerts that were pending',
  'stuck.nodes': 'how many nodes a stuck upgrade had done',
  'stuck.machines': 'how many machines followed a stuck upgrade',
  'stuck.cause': 'why an upgrade was stuck',
  derivation: 'how far answers were behind what clusters sent',
  faults: 'what the server itself could not do',
  channel: 'channels',
  approval: 'who approves upgrades',
  systemHealth: 'the health that operators tell',
  tainted: 'taints',
  outdatedWorkloads: 'outdated machines',
  states: 'states that follow from these',
  lastSeenAt: 'when a cluster was heard last',
  subscription: 'the subscription',
  conditions: 'conditions of operators',
  upgradeable: 'whether it could be upgraded',
  hyperConvergedApi: 'the version of its HyperConverged API',
  settings: 'settings of HyperConverged',
  featureGates: 'feature gates',
  nodes: 'how many nodes were ready',
  pools: 'machine pools',
  goldenImages: 'golden images',
  descheduler: 'the descheduler',
  instanceTypes: 'instance types',
  preferences: 'preferences of machines',
  deprecatedApis: 'deprecated APIs',
  'platform.target': 'where the platform was going',
  'upgrades.blockedBy': 'what blocked an upgrade',
  'upgrade.blockedBy': 'what blocked an upgrade',
  'stuck.upgrade.blockedBy': 'what blocked an upgrade',
  'stuck.verdict': 'whether a phase that goes node by node was stuck',
  'components.message': 'messages of components',
  virtHandler: 'virt-handler pods',
  workloads: 'machines that followed',
  lastProgressAt: 'when it last got further',
  'stranded.notOffered': 'whether a version was offered',
  'gates.on': 'gates set in HyperConverged',
  'gates.off': 'gates set in HyperConverged',
  'uses.hyperconverged': 'gates set in HyperConverged',
  'modifications.count': 'how often each was done',
  pending: 'alerts that were pending',
  value: 'values of alerts',
  rule: 'rules as they were',
  marks: 'who had acknowledged an alert',
  failing: 'rules that failed',
}

/** The words without duplicates, in the order of the fields. A field without words is returned unchanged. */
export function describeUnavailable(fields: readonly string[]): readonly string[] {
  return [...new Set(fields.map((field) => WORDS[field] ?? field))]
}

/** Pages that show the present although their address has a moment. */

/** By prefix of the address, longest first; other pages show the moment. */
const PRESENT: readonly (readonly [path: string, says: string])[] = [
  [ROUTES.silences, 'This page shows the silences of the present.'],
  [ROUTES.delivery, 'This page shows what was delivered until now.'],
  [ROUTES.lint, 'This page shows the faults of the present.'],
  [ROUTES.rules, 'This page shows the rules of the present.'],
  ['/rb', 'The runbook is that of the present.'],
]

/** `undefined`: the page shows the moment. */
export function presentSentence(pathname: string): string | undefined {
  const found = PRESENT.find(([path]) => pathname === path || pathname.startsWith(`${path}/`))
  if (found !== undefined) return found[1]
  const isOneAlert =
    placeOf(pathname)?.path === ROUTES.alerts && pathname !== ROUTES.alerts && pathname !== ROUTES.resolved
  return isOneAlert ? 'The list and the alert are of the moment, its runbook is that of the present.' : undefined
}
