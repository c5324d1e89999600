/**
 * An upgrade as a trace: the table of its spans, attributes and events, for the deriver and the validator. A test compares
 * `src/fleet/CONVENTIONS.md` with it. Names are OpenTelemetry's where it has some (`deployment.*`, `cicd.*`, `k8s.*`, ...).
 */

/** The scope of the traces that are derived here. An operator that sends its own uses any other. */
export const UPGRADE_SCOPE = 'upgrade-deriver'

type ConventionType = 'text' | 'integer' | 'boolean'

export interface ConventionAttribute {
  readonly key: string
  readonly type: ConventionType
  readonly isRequired: boolean
  /** The only texts it may be. */
  readonly oneOf?: readonly string[]
  readonly meaning: string
  readonly example: string
}

interface ConventionSpan {
  readonly name: string
  readonly parent: string
  /** From when to when. */
  readonly extent: string
  readonly attributes: readonly ConventionAttribute[]
}

interface ConventionEvent {
  readonly name: string
  /** The spans that have the attribute. */
  readonly on: string
  readonly attributes: readonly ConventionAttribute[]
}

/** The roots: one operator each. */
export const ROOT_NAMES = ['upgrade kubevirt-hyperconverged', 'upgrade kubevirt', 'upgrade openshift'] as const

/** The phases of the CSV that are spans. */
export const CSV_SPANS: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    Pending: 'olm.csv.pending',
    InstallReady: 'olm.csv.install_ready',
    Installing: 'olm.csv.installing',
  }),
)

type Detail = Pick<ConventionAttribute, 'meaning' | 'example' | 'oneOf'>

function attribute(type: ConventionType, isRequired: boolean, key: string, detail: Detail): ConventionAttribute {
  return { key, type, isRequired, ...detail }
}

function must(key: string, meaning: string, example: string, oneOf?: readonly string[]): ConventionAttribute {
  return attribute('text', true, key, { meaning, example, ...(oneOf && { oneOf }) })
}

function may(key: string, meaning: string, example: string, oneOf?: readonly string[]): ConventionAttribute {
  return attribute('text', false, key, { meaning, example, ...(oneOf && { oneOf }) })
}

function mayCount(key: string, meaning: string, example: string): ConventionAttribute {
  return attribute('integer', false, key, { meaning, example })
}

/** Attributes of any span of the convention. */
export const COMMON_ATTRIBUTES: readonly ConventionAttribute[] = [
  may(
    'olm.csv.name',
    'The new ClusterServiceVersion: which upgrade this is a part of',
    'kubevirt-hyperconverged-operator.v1.17.0',
  ),
  attribute('boolean', false, 'upgrade.provisional', {
    meaning: 'It has not ended: its end is how far it was seen',
    example: 'true',
  }),
  may('error.type', 'What kind of failure, when the status is an error', 'InstallCheckFailed'),
]

const ROOT_ATTRIBUTES: readonly ConventionAttribute[] = [
  must('upgrade.to.version', 'The version it goes to', '1.17.0'),
  may('upgrade.from.version', 'The version before the upgrade; absent when not reported', '1.16.0'),
  may('deployment.id', "The new CSV's uid", '11111111-2222-4333-8444-555555555555'),
  may('deployment.name', "The new CSV's name", 'kubevirt-hyperconverged-operator.v1.17.0'),
  may('deployment.status', 'How it ended; absent while it runs', 'succeeded', ['succeeded', 'failed']),
  may(
    'cicd.pipeline.result',
    'The same outcome as a result of a CI/CD pipeline; `cancellation`: superseded by a newer version',
    'success',
    ['success', 'failure', 'error', 'timeout', 'cancellation', 'skip'],
  ),
  may('olm.subscription.name', 'The Subscription', 'community-kubevirt-hyperconverged'),
  may('olm.channel', "The Subscription's channel", 'stable'),
  may('olm.install_plan.name', 'The InstallPlan', 'install-7xk2p'),
  mayCount(
    'upgrade.nodes',
    'Nodes at the start: those that run virt-handler; in an OpenShift upgrade, all nodes',
    '40',
  ),
  may('upgrade.source', 'What the trace is made from, best first', 'k8sobjects', ['k8sobjects', 'operator', 'metrics']),
]

const STEP_OF_OLM = (phase: string, reason: string): readonly ConventionAttribute[] => [
  must('olm.csv.name', 'The new ClusterServiceVersion', 'kubevirt-hyperconverged-operator.v1.17.0'),
  must('olm.csv.phase', 'Its `status.phase`', phase, [phase]),
  may('olm.csv.reason', 'Its newest `status.reason` in this phase', reason),
]

const HANDLER_ATTRIBUTES: readonly ConventionAttribute[] = [
  mayCount('virt_handler.desired', 'Nodes that run virt-handler', '40'),
  mayCount('virt_handler.updated', 'Of those, on the new version', '40'),
  mayCount('virt_handler.waves', 'Waves needed: one canary, then tenths of the nodes', '11'),
]

/** By name. Roots first, then in the order in which an upgrade goes. */
export const UPGRADE_SPANS: readonly ConventionSpan[] = [
  ...ROOT_NAMES.map((name) => ({
    name,
    parent: '',
    extent:
      'its earliest phase starts: the offer, the approval, or the new CSV → its last phase ends: workloads too, or it failed',
    attributes: ROOT_ATTRIBUTES,
  })),
  {
    name: 'olm.approval',
    parent: 'root',
    extent: 'the InstallPlan is created → the InstallPlan is approved',
    attributes: [
      must('olm.install_plan.approval', 'Approval of install plans', 'Manual', ['Manual', 'Automatic']),
      may('olm.install_plan.name', 'The InstallPlan', 'install-7xk2p'),
    ],
  },
  {
    name: 'olm.csv.pending',
    parent: 'root',
    extent: 'the CSV is Pending → its next phase; an error when that is Failed',
    attributes: STEP_OF_OLM('Pending', 'RequirementsNotMet'),
  },
  {
    name: 'olm.csv.install_ready',
    parent: 'root',
    extent: 'the CSV is InstallReady → its next phase; an error when that is Failed',
    attributes: STEP_OF_OLM('InstallReady', 'AllRequirementsMet'),
  },
  {
    name: 'olm.csv.installing',
    parent: 'root',
    extent: 'the CSV is Installing → its next phase; an error when that is Failed',
    attributes: STEP_OF_OLM('Installing', 'InstallSucceeded'),
  },
  {
    name: 'hco.reconcile',
    parent: 'root',
    extent: 'HCO is Progressing with HCOUpgrading → `status.versions[operator]` is the target',
    attributes: [
      may('k8s.condition.type', 'The condition that reports the progress', 'Progressing'),
      may('k8s.condition.reason', 'Its reason', 'HCOUpgrading'),
    ],
  },
  {
    name: 'component.upgrade',
    parent: 'hco.reconcile',
    extent: "an operand's target version is not the observed one → it is, and Progressing is False",
    attributes: [
      must('component.name', 'The operand', 'cdi'),
      may('component.from.version', 'Its version before', 'v1.63.1'),
      may('component.to.version', 'Its version after', 'v1.64.0'),
    ],
  },
  {
    name: 'virt_handler.canary',
    parent: 'component.upgrade of kubevirt',
    extent: 'the DaemonSet virt-handler changes → its first new pod is ready',
    attributes: HANDLER_ATTRIBUTES,
  },
  {
    name: 'virt_handler.waves',
    parent: 'component.upgrade of kubevirt',
    extent: 'the canary is ready → every node runs the new virt-handler',
    attributes: HANDLER_ATTRIBUTES,
  },
  {
    name: 'kubevirt.workload_update',
    parent: 'root',
    extent: 'KubeVirt is upgraded → no VM has the old virt-launcher; may stay open for days or indefinitely',
    attributes: [
      mayCount('kubevirt.outdated_vmi.start', 'Outdated VMs at the start', '41'),
      mayCount('kubevirt.outdated_vmi.end', 'Outdated VMs at the end, or at the last report', '0'),
    ],
  },
  {
    name: 'platform.pool',
    parent: 'root',
    extent: 'the first node of a MachineConfigPool changes → the last node has changed',
    attributes: [must('k8s.machine_config_pool.name', 'The pool', 'worker')],
  },
]

export const UPGRADE_EVENTS: readonly ConventionEvent[] = [
  {
    name: 'condition.changed',
    on: "the component's span, or `hco.reconcile`",
    attributes: [
      must('k8s.condition.type', 'The condition', 'Degraded'),
      must('k8s.condition.status', 'What it became', 'True', ['True', 'False', 'Unknown']),
      may('k8s.condition.reason', 'Why, in a word', 'UpdateInProgress'),
    ],
  },
  {
    name: 'alert.firing',
    on: 'the root',
    attributes: [must('alertname', 'The alert', 'HCOInstallationIncomplete'), may('severity', 'Its severity', 'info')],
  },
  {
    name: 'feature_flag.evaluation',
    on: 'the root',
    attributes: [
      must('feature_flag.key', 'The feature gate', 'deployVmConsoleProxy'),
      must('feature_flag.result.variant', 'What it was set to', 'on', ['on', 'off']),
    ],
  },
]

const BY_NAME: ReadonlyMap<string, ConventionSpan> = new Map(UPGRADE_SPANS.map((span) => [span.name, span]))

/** The convention for spans of a name; `undefined`: the name is not part of it. */
export function conventionOf(spanName: string): ConventionSpan | undefined {
  return BY_NAME.get(spanName)
}
