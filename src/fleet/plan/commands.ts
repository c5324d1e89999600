/**
 * The commands of a plan, for a POSIX shell that is logged in to the cluster. Names that senders chose are quoted; one that
 * no quoting makes safe is a placeholder.
 */
import { quoteShellWord, whyNotBindable } from '../../base/quoting.ts'
import type { PlanCluster } from './plan-cluster.ts'

export interface PlanCommands {
  get(what: string, output?: string): string
  patchHyperConverged(methods: readonly string[], minor: number): string
  saveMethods(minor: number): string
  methods(minor: number): string
  hcoVersion(): string
  patchPool(pool: string, isPaused: boolean): string
  poolCounts(): string
  openshiftChannel(channel: string): string
  openshiftUpgrade(version: string | undefined): string
  openshiftState(): string
  approveInstallPlan(): string
  installPlans(): string
  switchChannel(channel: string): string
  outdatedVms(): string
  nonMigratableVms(): string
  stopVms(): readonly string[]
  startVms(): string
  restartOutdatedVms(): string
  runningVms(): string
}

/** HCO serves both layouts of its API from 1.18 on, and stores the newer one from 1.19 (OpenShift 4.23) on. */
const V1_FROM_MINOR = 23

const DEFAULT_NAMESPACES = { community: 'kubevirt-hyperconverged', openshift: 'openshift-cnv' } as const
const DEFAULT_SUBSCRIPTIONS = {
  community: 'community-kubevirt-hyperconverged',
  openshift: 'kubevirt-hyperconverged',
} as const
const DEFAULT_HYPERCONVERGED = 'kubevirt-hyperconverged'

/** False: the commands assume the default namespace and names. */
export function arePlacesKnown({ record }: PlanCluster): boolean {
  return record.hyperConverged !== undefined
}

export function commandsOf({ record, flavour, platform }: PlanCluster): PlanCommands {
  const cli = platform === 'openshift' ? 'oc' : 'kubectl'
  const { hyperConverged, hcoSubscription } = record
  const hco = word(hyperConverged?.name ?? DEFAULT_HYPERCONVERGED)
  const namespace = word(hyperConverged?.namespace ?? DEFAULT_NAMESPACES[flavour])
  const subscription = word(hcoSubscription?.name ?? DEFAULT_SUBSCRIPTIONS[flavour])
  const inSubscription = word(hcoSubscription?.namespace ?? hyperConverged?.namespace ?? DEFAULT_NAMESPACES[flavour])
  const file = (what: string): string => word(`${record.cluster.replaceAll('/', '_')}-${what}`)
  const resource = (minor: number): string =>
    `hyperconvergeds.${minor >= V1_FROM_MINOR ? 'v1' : 'v1beta1'}.hco.kubevirt.io ${hco} -n ${namespace}`
  const patch = (value: object): string => `--type merge --patch ${quoteShellWord(JSON.stringify(value))}`
  const jsonPath = (path: string): string => `-o jsonpath=${quoteShellWord(path)}`
  const layout = (minor: number, strategy: object): object =>
    minor >= V1_FROM_MINOR
      ? { spec: { virtualization: { workloadUpdateStrategy: strategy } } }
      : { spec: { workloadUpdateStrategy: strategy } }
  const methodsPath = (minor: number): string =>
    `{.spec.${minor >= V1_FROM_MINOR ? 'virtualization.' : ''}workloadUpdateStrategy.workloadUpdateMethods}`
  const runningFile = file('running-vms.txt')
  const virtctl = (verb: string): string =>
    `while read -r namespace name; do virtctl ${verb} -n "$namespace" "$name"; done`
  const listVms = `${cli} get virtualmachineinstances -A --no-headers -o custom-columns=NS:.metadata.namespace,NAME:.metadata.name`
  const methods = (minor: number): string => `${cli} get ${resource(minor)} ${jsonPath(methodsPath(minor))}`
  return {
    get: (what, output = '') => `${cli} get ${what}${output === '' ? '' : ` ${jsonPath(output)}`}`,
    patchHyperConverged: (methods, minor) =>
      `${cli} patch ${resource(minor)} ${patch(layout(minor, { workloadUpdateMethods: methods }))}`,
    saveMethods: (minor) => `${methods(minor)} > ${file('workload-update-methods.json')}`,
    methods,
    hcoVersion: () =>
      `${cli} get hyperconverged ${hco} -n ${namespace} ${jsonPath('{.status.versions[?(@.name=="operator")].version} {.status.conditions[?(@.type=="Progressing")].status} {.status.conditions[?(@.type=="Upgradeable")].status}')}`,
    patchPool: (pool, isPaused) =>
      `${cli} patch machineconfigpool ${word(pool)} ${patch({ spec: { paused: isPaused } })}`,
    poolCounts: () =>
      `${cli} get machineconfigpools -o custom-columns=NAME:.metadata.name,PAUSED:.spec.paused,TOTAL:.status.machineCount,UPDATED:.status.updatedMachineCount,DEGRADED:.status.degradedMachineCount`,
    openshiftChannel: (channel) => `oc adm upgrade channel ${word(channel)}`,
    openshiftUpgrade: (version) =>
      version === undefined ? 'oc adm upgrade --to-latest=true' : `oc adm upgrade --to=${word(version)}`,
    openshiftState: () => 'oc get clusterversion version',
    approveInstallPlan: () =>
      `${cli} patch installplan "$(${cli} get subscription ${subscription} -n ${inSubscription} ${jsonPath('{.status.installPlanRef.name}')})" -n ${inSubscription} ${patch({ spec: { approved: true } })}`,
    installPlans: () => `${cli} get installplans -n ${inSubscription}`,
    switchChannel: (channel) =>
      `${cli} patch subscription ${subscription} -n ${inSubscription} ${patch({ spec: { channel } })}`,
    outdatedVms: () =>
      `${cli} get kubevirts -A ${jsonPath('{.items[*].status.outdatedVirtualMachineInstanceWorkloads}')}`,
    nonMigratableVms: () =>
      `${cli} get virtualmachineinstances -A ${jsonPath('{range .items[?(@.status.conditions[?(@.type=="LiveMigratable")].status=="False")]}{.metadata.namespace}/{.metadata.name} {.spec.evictionStrategy}{"\\n"}{end}')}`,
    stopVms: () => [`${listVms} > ${runningFile}`, `${virtctl('stop')} < ${runningFile}`],
    startVms: () => `${virtctl('start')} < ${runningFile}`,
    restartOutdatedVms: () => `${listVms} -l kubevirt.io/outdatedLauncherImage | ${virtctl('restart')}`,
    runningVms: () => `${cli} get virtualmachineinstances -A`,
  }
}

const PLACEHOLDER = '<name>'

function word(value: string): string {
  return quoteShellWord(whyNotBindable(value) === undefined ? value : PLACEHOLDER)
}
