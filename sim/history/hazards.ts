import type { ObjectFacts, ObjectKind } from '../../src/model/object-facts.ts'
import type { ClusterObservations, MetricRun, MetricSignal, ObjectObservation } from '../../src/model/observation.ts'
import type { HazardId } from '../../src/model/readiness.ts'
import { randomOf } from '../random.ts'
import { HOUR_MS } from '../scenarios/window.ts'
import type { ClusterHistory, OutOfBandEdit, StallKind } from './cluster-history.ts'
import type { HazardPlan } from './hazard-plan.ts'
import { lateObjects } from './late-hazards.ts'
import { uidOf } from './uid.ts'

/** Hazards that a plan may draw. Those by alerts are planted where alerts are made. */
export const PLANTABLE = [
  ...(['json_patch', 'node_maintenance_operator', 'nmstate_operator', 'non_evictable_vms', 'rwo_volumes'] as const),
  ...([
    'live_migrate_only',
    'empty_update_methods',
    'paused_pool',
    'migration_retries',
    'descheduler',
    'few_nodes',
  ] as const),
  ...(['max_openshift_version', 'machine_types', 'deprecated_apis', 'storage_version', 'migration_defaults'] as const),
  ...(['rollout_race', 'fail_forward', 'disruption_budget_alerts', 'golden_images', 'critical_alerts'] as const),
  ...(['out_of_band', 'operator_unhealthy', 'not_upgradeable', 'degraded_pool', 'nodes'] as const),
  'descheduler_after_upgrade',
] satisfies readonly HazardId[]

/** Hazards whose signal a cluster may keep to itself and still be known by its others. */
const WITHHOLDABLE = [
  ...(['node_maintenance_operator', 'nmstate_operator', 'non_evictable_vms', 'rwo_volumes', 'paused_pool'] as const),
  ...(['migration_retries', 'few_nodes', 'machine_types', 'deprecated_apis', 'rollout_race', 'fail_forward'] as const),
  'golden_images',
] as const satisfies readonly HazardId[]

/** From the seed and the number of the cluster alone. */
export function planHazards(seed: string, index: number): HazardPlan {
  const random = randomOf(seed, 'hazards', index)
  const drawn = <T>(from: readonly T[], chance: number): readonly T[] => from.filter(() => random.chance(chance))
  // Half of the clusters have none, so that there are clusters to be ready.
  return random.chance(0.5)
    ? { planted: new Set(), withheld: new Set(random.chance(0.3) ? drawn(WITHHOLDABLE, 0.12) : []) }
    : { planted: new Set(drawn(PLANTABLE, 0.12)), withheld: new Set(drawn(WITHHOLDABLE, 0.06)) }
}

/** Where upgrades of a cluster with the hazard stand still; the others fail more often, and that is all. */
const CONSEQUENCES: readonly (readonly [HazardId, StallKind])[] = [
  ['json_patch', 'reconcile'],
  ['out_of_band', 'operand'],
  ['non_evictable_vms', 'not_migratable'],
  ['rwo_volumes', 'not_migratable'],
  ['live_migrate_only', 'not_migratable'],
  ['empty_update_methods', 'no_method'],
  ['migration_retries', 'migrations_failing'],
  ['few_nodes', 'migrations_pending'],
  ['descheduler', 'migration_endless'],
  ['rollout_race', 'wave'],
  ['nodes', 'canary'],
  ['not_upgradeable', 'not_upgradeable'],
  ['max_openshift_version', 'requirements'],
  ['storage_version', 'requirements'],
  ['fail_forward', 'install_loop'],
]

/** What comes of the hazards of a plan: the kinds of stalls of its upgrades. */
export function consequencesOf({ planted }: HazardPlan): readonly StallKind[] {
  return [...new Set(CONSEQUENCES.flatMap(([hazard, kind]) => (planted.has(hazard) ? [kind] : [])))]
}

/** The kind of stall that a hazard leads to; `undefined`: none of its own. */
export function consequenceOf(hazard: HazardId): StallKind | undefined {
  return CONSEQUENCES.find(([id]) => id === hazard)?.[1]
}

/** The history with the edit that the plan asks for: on a day of the last three weeks without an upgrade, if there is one. */
export function withEdits(history: ClusterHistory, plan: HazardPlan): ClusterHistory {
  const edit = plan.planted.has('out_of_band') ? plantedEdit(history) : undefined
  return edit === undefined ? history : { ...history, edits: [...history.edits, edit] }
}

const DAY_MS = 24 * HOUR_MS

/** A day before and after are free of upgrades, too: modifications of an upgrade are muted. */
function plantedEdit({ upgrades, edits, untilMs }: ClusterHistory): OutOfBandEdit | undefined {
  const isBusy = (atMs: number): boolean =>
    upgrades.some(({ offeredMs, endMs, abortedMs, workloads }) => {
      const overMs = Math.max(Math.min(endMs, abortedMs), workloads?.endMs ?? 0)
      return atMs > offeredMs - DAY_MS && atMs < overMs + DAY_MS
    })
  for (let days = 2; days < 22; days++) {
    const atMs = untilMs - days * DAY_MS
    if (!isBusy(atMs) && (edits.at(-1)?.atMs ?? 0) < atMs) return { atMs, component: 'kubevirt' }
  }
  return undefined
}

/** What the cluster reports with its hazards. */
export function withHazards(
  observations: ClusterObservations,
  history: ClusterHistory,
  plan: HazardPlan,
): ClusterObservations {
  const dropped = new Set<ObjectKind>(
    [...plan.withheld].flatMap(
      (hazard) => new Map<string, readonly ObjectKind[]>(Object.entries(WITHHELD_KINDS)).get(hazard) ?? [],
    ),
  )
  const objects = observations.objects.flatMap((one) => (dropped.has(one.facts.kind) ? [] : [changedObject(one, plan)]))
  const added = history.tells.objects
    ? [...addedObjects(history, plan, dropped), ...lateObjects(objects, history, plan)]
    : []
  const hidden = new Set<MetricSignal>(plan.withheld.has('migration_retries') ? MIGRATION_SIGNALS : [])
  const metrics = observations.metrics.filter(({ signal }) => !hidden.has(signal))
  return {
    ...observations,
    objects: [...objects, ...added],
    metrics: history.tells.metrics ? [...metrics, ...runsOf(history, observations.metrics, plan)] : metrics,
  }
}

const MIGRATION_SIGNALS = ['migrations_pending', 'migrations_scheduling', 'migrations_running'] as const

const WITHHELD_KINDS = {
  nmstate_operator: ['networkaddonsconfigs'],
  paused_pool: ['machineconfigpools'],
  migration_retries: ['virtualmachineinstancemigrations'],
  few_nodes: ['nodes'],
  rollout_race: ['nodes'],
  fail_forward: ['operatorgroups'],
  golden_images: ['dataimportcrons'],
} as const satisfies Partial<Record<HazardId, readonly ObjectKind[]>>

const PATCH = '[{"op":"add","path":"/spec/configuration/developerConfiguration/featureGates/-","value":"Sidecar"}]'

function changedObject(one: ObjectObservation, { planted }: HazardPlan): ObjectObservation {
  const has = (hazard: HazardId): boolean => planted.has(hazard)
  const { facts } = one
  const withFacts = (changed: ObjectFacts, manager = one.manager): ObjectObservation => {
    return { ...one, facts: changed, ...(manager === undefined ? {} : { manager }) }
  }
  switch (facts.kind) {
    case 'hyperconvergeds': {
      const isFew = has('few_nodes')
      const changed = {
        ...facts,
        isInfrastructureHighlyAvailable: !isFew,
        ...(has('storage_version') ? { apiVersion: 'hco.kubevirt.io/v1beta1' } : {}),
        workloadUpdateMethods: methodsOf(planted),
        liveMigration: has('migration_defaults')
          ? {}
          : { completionTimeoutPerGiB: 400, parallelOutboundMigrationsPerNode: 2 },
        ...(has('json_patch') ? { jsonPatches: { 'kubevirt.kubevirt.io/jsonpatch': PATCH } } : {}),
        conditions: [
          ...facts.conditions.filter(({ type }) => type !== 'TaintedConfiguration'),
          ...(has('json_patch')
            ? [{ type: 'TaintedConfiguration', status: 'True', reason: 'UnsupportedFeatureAnnotation', message: '' }]
            : facts.conditions.filter(({ type }) => type === 'TaintedConfiguration')),
        ],
      }
      const name = has('storage_version') ? 'argocd-controller' : 'hyperconverged-cluster-operator'
      return withFacts(changed, { name, operation: 'Update', subresource: '' })
    }
    case 'machineconfigpools':
      return withFacts({ ...facts, isPaused: one.name === 'worker' && has('paused_pool') })
    case 'nodes': {
      return withFacts({
        ...facts,
        hasKvm: !has('few_nodes'),
        ...(has('rollout_race') ? { kubeletVersion: 'v1.36.1' } : {}),
      })
    }
    case 'operatorgroups':
      return withFacts({ ...facts, upgradeStrategy: has('fail_forward') ? 'TechPreviewUnsafeFailForward' : 'Default' })
    case 'clusterserviceversions':
      return withFacts(has('max_openshift_version') ? { ...facts, maxOpenShiftVersion: '4.10' } : facts)
    case 'networkaddonsconfigs': {
      const missing = { type: 'Upgradeable', status: 'False', reason: 'NMStateOperatorMissing', message: 'install it' }
      return withFacts(has('nmstate_operator') ? { ...facts, conditions: [...facts.conditions, missing] } : facts)
    }
    case 'dataimportcrons': {
      const status = has('golden_images') ? 'False' : 'True'
      const others = facts.conditions.filter(({ type }) => type !== 'UpToDate')
      return withFacts({ ...facts, conditions: [...others, { type: 'UpToDate', status, reason: '', message: '' }] })
    }
    default:
      return one
  }
}

function methodsOf(planted: ReadonlySet<HazardId>): readonly string[] {
  if (planted.has('empty_update_methods')) return []
  return planted.has('live_migrate_only') ? ['LiveMigrate'] : ['LiveMigrate', 'Evict']
}

/** VMs that cannot be migrated are what makes live migration alone a hazard. */
export function hasFixedVms(planted: ReadonlySet<HazardId>): boolean {
  return planted.has('non_evictable_vms') || planted.has('live_migrate_only')
}

function addedObjects(
  { profile, fromMs, untilMs, delivery }: ClusterHistory,
  { planted }: HazardPlan,
  dropped: ReadonlySet<ObjectKind>,
): readonly ObjectObservation[] {
  const object = (name: string, facts: ObjectFacts, atMs: number): ObjectObservation => ({
    ...{ cluster: profile.name, uid: uidOf(profile.seed, 'hazard', name), name, namespace: profile.installNamespace },
    ...{ resourceVersion: '1000', change: 'listed', observedMs: atMs + delivery.skewMs, facts },
  })
  const objects: ObjectObservation[] = []
  if (planted.has('descheduler')) {
    objects.push(object('cluster', { kind: 'kubedeschedulers', profiles: ['AffinityAndTaints'] }, fromMs))
  }
  if (planted.has('migration_retries') && !dropped.has('virtualmachineinstancemigrations')) {
    for (let i = 0; i < 4; i++) {
      const createdMs = untilMs - (9 - i) * 3_600_000
      const facts: ObjectFacts = {
        ...{ kind: 'virtualmachineinstancemigrations', createdMs, vmi: 'hazard-vm', phase: 'Failed', cause: 'other' },
        ...{ phaseTimesMs: {}, conditions: [], failureReason: 'target pod is unschedulable' },
      }
      objects.push(object(`hazard-migration-${i}`, facts, createdMs + 60_000))
    }
  }
  return objects
}

/** All clusters send these series; `withheld` ones do not. */
function runsOf(
  { profile }: ClusterHistory,
  others: readonly MetricRun[],
  { planted, withheld }: HazardPlan,
): readonly MetricRun[] {
  if (others.length === 0) return []
  const firstMs = others.reduce((first, run) => Math.min(first, run.firstMs), Infinity)
  const lastMs = others.reduce((last, run) => Math.max(last, run.lastMs), -Infinity)
  const run = (signal: MetricSignal, value: number, labels: MetricRun['labels'] = {}): MetricRun => {
    return { cluster: profile.name, signal, labels, value, firstMs, lastMs }
  }
  const has = (hazard: HazardId): boolean => planted.has(hazard)
  const isSent = (hazard: HazardId): boolean => !withheld.has(hazard)
  const rwx = String(!has('rwo_volumes'))
  // The count of nodes shows that KubeVirt's rules are sent at all.
  const rules = isSent('deprecated_apis') && isSent('few_nodes') && isSent('rollout_race')
  return [
    run('descheduler', Number(has('descheduler'))),
    ...(isSent('node_maintenance_operator') ? [run('nmo_in_use', Number(has('node_maintenance_operator')))] : []),
    ...(rules ? [run('kvm_nodes', has('few_nodes') ? 1 : Math.max(2, profile.nodes.length))] : []),
    ...(isSent('rwo_volumes') ? [run('storage_profile', 1, { default: 'true', rwx, storageclass: 'standard' })] : []),
    ...(isSent('non_evictable_vms') ? [run('non_evictable', hasFixedVms(planted) ? 2 : 0)] : []),
    ...(isSent('machine_types') ? [run('deprecated_machines', 0)] : []),
    ...(isSent('machine_types') && has('machine_types')
      ? [run('deprecated_machines', 3, { machine_type: 'pc-q35-rhel8.2.0' })]
      : []),
    ...(isSent('deprecated_apis') && has('deprecated_apis')
      ? [run('deprecated_api', 1, { group: 'kubevirt.io', resource: 'virtualmachines', version: 'v1alpha3' })]
      : []),
  ]
}
