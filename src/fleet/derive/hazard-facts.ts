/** What upgrade hazards read of a cluster besides its record (model/hazard-facts.ts): from its objects, else from its metrics. */
import type { HazardFacts, Observed } from '../../model/hazard-facts.ts'
import type { ObjectFacts, ObjectKind } from '../../model/object-facts.ts'
import type { MetricRun, MetricSignal } from '../../model/observation.ts'
import { compareVersions } from '../version-order.ts'
import { type ClusterHistory, type FactsOf, HCO_PACKAGES, type ObjectHistory, hcoCsvs } from './cluster-history.ts'
import { hyperConvergedHistoryOf, sortedByName } from './inventory.ts'
import { retriedMigrationsOf } from './retried-migrations.ts'

/** `undefined`: nothing of it is reported. */
export function hazardFactsOf(history: ClusterHistory): HazardFacts | undefined {
  const facts: { readonly [Name in keyof HazardFacts]-?: HazardFacts[Name] | undefined } = {
    kubernetesVersion: kubernetesVersionOf(history),
    operatorGroupStrategy: operatorGroupOf(history),
    isHighlyAvailable: ofHyperConverged(history, (facts) => facts.isInfrastructureHighlyAvailable),
    kvmNodes: kvmNodesOf(history),
    platformUpgradeable: platformUpgradeableOf(history),
    maxOpenShiftVersion: maxOpenShiftVersionOf(history),
    nodeMaintenances: ofRuns(history, 'nmo_in_use', sumOf),
    nmstateCondition: nmstateOf(history),
    nonEvictable: nonEvictableOf(history),
    notMigratable: notMigratableOf(history),
    rwoClasses: rwoClassesOf(history),
    deprecatedMachineTypes: deprecatedMachinesOf(history),
    deprecatedApis: deprecatedApisOf(history),
    isDeschedulerMisconfigured: ofRuns(history, 'descheduler', (runs) => sumOf(runs) > 0),
    retriedMigrations: retriedMigrationsOf(history),
    hyperConvergedWriter: writerOf(history),
    workloadUpdateMethods: ofHyperConverged(history, (facts) => facts.workloadUpdateMethods),
    pausedPools: pausedPoolsOf(history),
  }
  const known = Object.entries(facts).filter(([, value]) => value !== undefined)
  return known.length === 0 ? undefined : Object.fromEntries(known)
}

/** The objects of a kind that exist. */
function present<K extends ObjectKind>(history: ClusterHistory, kind: K): readonly ObjectHistory<FactsOf<K>>[] {
  return history.of(kind).filter(({ gone }) => gone === undefined)
}

/** @param ref the object that shows the value */
function observed<T>(value: T, sinceMs: number, ref: string): Observed<T> {
  return { value, sinceMs, source: 'objects', ref }
}

const refOf = (kind: ObjectKind, { namespace, name }: ObjectHistory): string =>
  [kind, ...(namespace === '' ? [] : [namespace]), name].join('/')

/** When the value of the newest state began: the start of the oldest state since which it did not change. */
function sinceSame<F extends ObjectFacts>({ states }: ObjectHistory<F>, valueOf: (facts: F) => unknown): number {
  const text = JSON.stringify(valueOf(states.at(-1)!.facts))
  let first = states.length - 1
  while (first > 0 && JSON.stringify(valueOf(states[first - 1]!.facts)) === text) first--
  return states[first]!.atMs
}

type HyperConverged = FactsOf<'hyperconvergeds'>

function ofHyperConverged<T>(
  history: ClusterHistory,
  valueOf: (facts: HyperConverged) => T | undefined,
): Observed<T> | undefined {
  const found = hyperConvergedHistoryOf(history)
  const value = found === undefined ? undefined : valueOf(found.states.at(-1)!.facts)
  if (found === undefined || value === undefined) return undefined
  return observed(value, sinceSame(found, valueOf), refOf('hyperconvergeds', found))
}

function newestStart(histories: readonly ObjectHistory[]): number {
  return histories.reduce((newest, { states }) => Math.max(newest, states[0]!.atMs), -Infinity)
}

/** The oldest kubelet decides what a node can run. */
function kubernetesVersionOf(history: ClusterHistory): HazardFacts['kubernetesVersion'] {
  const nodes = present(history, 'nodes').filter(({ states }) => states.at(-1)!.facts.kubeletVersion !== '')
  const versionOf = (node: (typeof nodes)[number]): string => node.states.at(-1)!.facts.kubeletVersion
  const oldest = nodes.toSorted((a, b) => compareVersions(versionOf(a), versionOf(b)))[0]
  if (oldest === undefined) return undefined
  return observed(
    versionOf(oldest).replace(/^v/, ''),
    sinceSame(oldest, ({ kubeletVersion }) => kubeletVersion),
    refOf('nodes', oldest),
  )
}

/** OLM allows one OperatorGroup in a namespace: the one beside HCO's Subscription. */
function operatorGroupOf(history: ClusterHistory): HazardFacts['operatorGroupStrategy'] {
  const namespaces = new Set(
    present(history, 'subscriptions')
      .filter(({ states }) => HCO_PACKAGES.has(states.at(-1)!.facts.package))
      .map(({ namespace }) => namespace),
  )
  const groups = present(history, 'operatorgroups')
  const group = groups.find(({ namespace }) => namespaces.has(namespace)) ?? groups[0]
  if (group === undefined) return undefined
  const strategyOf = ({ upgradeStrategy }: FactsOf<'operatorgroups'>): string => upgradeStrategy
  return observed(strategyOf(group.states.at(-1)!.facts), sinceSame(group, strategyOf), refOf('operatorgroups', group))
}

function kvmNodesOf(history: ClusterHistory): HazardFacts['kvmNodes'] {
  const nodes = present(history, 'nodes')
  const told = nodes.filter(({ states }) => states.at(-1)!.facts.hasKvm !== undefined)
  if (told.length > 0) {
    const able = told.filter(({ states }) => states.at(-1)!.facts.hasKvm === true)
    return observed(able.length, newestStart(told), 'nodes')
  }
  return ofRuns(history, 'kvm_nodes', (runs) => Math.max(...runs.map(({ value }) => value)))
}

/** CVO removes the condition while everything is upgradeable. */
function platformUpgradeableOf(history: ClusterHistory): HazardFacts['platformUpgradeable'] {
  const version = present(history, 'clusterversions').at(-1)
  if (version === undefined) return undefined
  const conditionOf = ({ conditions }: FactsOf<'clusterversions'>) => {
    const found = conditions.find(({ type }) => type === 'Upgradeable')
    return { status: found?.status ?? 'True', reason: found?.reason ?? '', message: found?.message ?? '' }
  }
  const since = sinceSame(version, (facts) => conditionOf(facts).status)
  return observed(conditionOf(version.states.at(-1)!.facts), since, refOf('clusterversions', version))
}

function maxOpenShiftVersionOf(history: ClusterHistory): HazardFacts['maxOpenShiftVersion'] {
  const csvs = hcoCsvs(history).filter(({ gone }) => gone === undefined)
  const installed = csvs.findLast(({ states }) => states.at(-1)!.facts.phase === 'Succeeded') ?? csvs.at(-1)
  if (installed === undefined) return undefined
  const { facts } = installed.states.at(-1)!
  return observed(
    facts.maxOpenShiftVersion ?? '',
    installed.states[0]!.atMs,
    refOf('clusterserviceversions', installed),
  )
}

/** CNAO reports it in one of its conditions; it removed its own NMState with 1.7. */
function nmstateOf(history: ClusterHistory): HazardFacts['nmstateCondition'] {
  const config = present(history, 'networkaddonsconfigs').at(-1)
  if (config === undefined) return undefined
  const textOf = ({ conditions }: FactsOf<'networkaddonsconfigs'>): string => {
    const found = conditions.find(({ type, status, reason, message }) => {
      const isTrouble = (type === 'Degraded' && status === 'True') || (type === 'Upgradeable' && status === 'False')
      return isTrouble && /nmstate/i.test(`${reason} ${message}`)
    })
    return found === undefined ? '' : `${found.reason}: ${found.message}`
  }
  return observed(textOf(config.states.at(-1)!.facts), sinceSame(config, textOf), refOf('networkaddonsconfigs', config))
}

function nonEvictableOf(history: ClusterHistory): HazardFacts['nonEvictable'] {
  const vms = running(history)
  if (vms.length === 0) return ofRuns(history, 'non_evictable', sumOf)
  const blocked = vms.filter(({ states }) => {
    const { isMigratable, evictionStrategy } = states.at(-1)!.facts
    return isMigratable === false && evictionStrategy === 'LiveMigrate'
  })
  return observed(blocked.length, oldestState(blocked.length > 0 ? blocked : vms), 'virtualmachineinstances')
}

function notMigratableOf(history: ClusterHistory): HazardFacts['notMigratable'] {
  const vms = running(history)
  if (vms.length === 0) return undefined
  const blocked = vms.filter(({ states }) => states.at(-1)!.facts.isMigratable === false)
  const counts = countsOf(blocked.map(({ states }) => states.at(-1)!.facts.notMigratableReason ?? 'NotMigratable'))
  return observed(counts, oldestState(blocked.length > 0 ? blocked : vms), 'virtualmachineinstances')
}

function running(history: ClusterHistory): readonly ObjectHistory<FactsOf<'virtualmachineinstances'>>[] {
  return present(history, 'virtualmachineinstances').filter(({ states }) => states.at(-1)!.facts.phase === 'Running')
}

function oldestState(histories: readonly ObjectHistory[]): number {
  return histories.reduce((oldest, { states }) => Math.min(oldest, states.at(-1)!.atMs), Infinity)
}

function countsOf(names: readonly string[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return sortedByName(Object.fromEntries(counts))
}

/** The default for VMs where there is one, else the default of the cluster. */
function rwoClassesOf(history: ClusterHistory): HazardFacts['rwoClasses'] {
  return ofRuns(history, 'storage_profile', (runs) => {
    const forVms = runs.filter(({ labels }) => labels['virtdefault'] === 'true')
    const chosen = forVms.length > 0 ? forVms : runs.filter(({ labels }) => labels['default'] === 'true')
    return chosen.filter(({ labels }) => labels['rwx'] === 'false').map(({ labels }) => labels['storageclass'] ?? '')
  })
}

/** The series without a type counts no VM: it shows that the others are complete. */
function deprecatedMachinesOf(history: ClusterHistory): HazardFacts['deprecatedMachineTypes'] {
  return ofRuns(history, 'deprecated_machines', (runs) =>
    sortedByName(
      Object.fromEntries(
        runs.flatMap(({ labels, value }) => (value > 0 ? [[labels['machine_type'] ?? '', value] as const] : [])),
      ),
    ),
  )
}

/** KubeVirt's rules record it beside the number of nodes: without the latter nothing is known. */
function deprecatedApisOf(history: ClusterHistory): HazardFacts['deprecatedApis'] {
  const apis = history.currentRuns('deprecated_api')
  const rules = history.currentRuns('kvm_nodes')
  if (apis.length === 0 && rules.length === 0) return undefined
  const named = apis.map(({ labels }) => `${labels['group']}/${labels['version']} ${labels['resource']}`)
  return {
    value: [...new Set(named)].sort(),
    sinceMs: Math.min(...(apis.length > 0 ? apis : rules).map(({ firstMs }) => firstMs)),
    source: 'metrics',
    ref: SERIES.deprecated_api,
  }
}

const SERIES = {
  descheduler: 'kubevirt_hco_misconfigured_descheduler',
  nmo_in_use: 'kubevirt_hco_nmo_in_use',
  kvm_nodes: 'cluster:kubevirt_nodes_with_kvm:count',
  storage_profile: 'kubevirt_cdi_storageprofile_info',
  deprecated_api: 'cluster:kubevirt_api_request_deprecated_total:sum',
  non_evictable: 'kubevirt_vmi_non_evictable',
  deprecated_machines: 'kubevirt_vm_info',
} as const satisfies Partial<Record<MetricSignal, string>>

/** Of the current runs of a signal; `undefined`: there is none. */
function ofRuns<T>(
  history: ClusterHistory,
  signal: keyof typeof SERIES,
  valueOf: (runs: readonly MetricRun[]) => T,
): Observed<T> | undefined {
  const runs = history.currentRuns(signal)
  if (runs.length === 0) return undefined
  const newestMs = runs.reduce((newest, { firstMs }) => Math.max(newest, firstMs), -Infinity)
  return { value: valueOf(runs), sinceMs: newestMs, source: 'metrics', ref: SERIES[signal] }
}

function sumOf(runs: readonly MetricRun[]): number {
  return runs.reduce((sum, { value }) => sum + value, 0)
}

/** Field managers of the operators themselves. */
const OPERATORS = /^(hyperconverged-cluster-operator|hco|virt-|olm$|catalog$|manager$)/

function writerOf(history: ClusterHistory): HazardFacts['hyperConvergedWriter'] {
  const found = hyperConvergedHistoryOf(history)
  const write = found?.states.findLast(({ manager }) => manager !== undefined && !OPERATORS.test(manager))
  if (found === undefined) return undefined
  const { apiVersion } = found.states.at(-1)!.facts
  const value = { manager: write?.manager ?? '', apiVersion }
  return observed(value, (write ?? found.states[0]!).atMs, refOf('hyperconvergeds', found))
}

function pausedPoolsOf(history: ClusterHistory): HazardFacts['pausedPools'] {
  const pools = present(history, 'machineconfigpools')
  if (pools.length === 0) return undefined
  const paused = pools.filter(({ states }) => states.at(-1)!.facts.isPaused && states.at(-1)!.facts.machines > 0)
  const sinceMs = (paused.length > 0 ? paused : pools).reduce(
    (oldest, pool) =>
      Math.min(
        oldest,
        sinceSame(pool, ({ isPaused }) => isPaused),
      ),
    Infinity,
  )
  return observed(paused.map(({ name }) => name).sort(), sinceMs, 'machineconfigpools')
}
