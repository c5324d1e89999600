/** The texts and commands of each kind of step. The order of the steps is in `step-specs.ts`. */
import type { PlanStep, StepKind } from '../../model/plan.ts'
import { commandsOf, type PlanCommands } from './commands.ts'
import { hcoMinorText, isEven, openshiftMinorText } from '../platform-minor.ts'
import { DEFAULT_METHODS, type PlanCluster } from './plan-cluster.ts'
import { isManual, TWO_NODES, type StepSpec } from './step-specs.ts'

type StepTexts = Omit<PlanStep, 'kind' | 'state' | 'window'>

interface TextContext {
  readonly cluster: PlanCluster
  readonly spec: StepSpec
  readonly commands: PlanCommands
  /** `HCO` or `OpenShift Virtualization`. */
  readonly product: string
}

export function stepTextsOf(cluster: PlanCluster, spec: StepSpec): StepTexts {
  const product = cluster.flavour === 'openshift' ? 'OpenShift Virtualization' : 'HCO'
  return TEXTS[spec.kind]({ cluster, spec, commands: commandsOf(cluster), product })
}

const TEXTS: Readonly<Record<StepKind, (context: TextContext) => StepTexts>> = {
  make_evictable: ({ cluster, commands }) => ({
    title: `Make ${cluster.nonMigratableVms ?? 0} VMs evictable`,
    precondition: 'The owners of the VMs agree to a shutdown, or to storage with ReadWriteMany.',
    commands: [commands.nonMigratableVms()],
    check: {
      command: commands.nonMigratableVms(),
      expected: 'no VM with the eviction strategy LiveMigrate, and each listed VM may be shut down',
    },
    onFailure:
      'A VM that stays blocks the drain of its node: shut the VM down, or set its evictionStrategy to LiveMigrateIfPossible or None.',
  }),
  stop_vms: ({ commands }) => ({
    title: 'Stop the VMs: the node restarts, and no other node can take them',
    precondition: 'A downtime is agreed with the owners of all VMs.',
    commands: commands.stopVms(),
    check: { command: commands.runningVms(), expected: 'No resources found' },
    onFailure:
      'A VM that does not stop is killed with the restart of the node: stop it inside the guest, or start the others and postpone.',
  }),
  pause_pools: ({ cluster, commands }) => {
    const { workers, paused, areKnown } = cluster.pools
    const left = workers.filter((pool) => !paused.includes(pool))
    const pools = areKnown ? left : ['worker']
    return {
      title: areKnown ? `Pause the worker pools ${workers.join(', ')}` : 'Pause the worker pools',
      precondition:
        'All nodes have the configuration of their pools, and none is degraded. Pausing also stops certificate renewals of the kubelets, so a pause has an end.',
      commands: [...(areKnown ? [] : [commands.poolCounts()]), ...pools.map((pool) => commands.patchPool(pool, true))],
      check: { command: commands.poolCounts(), expected: 'PAUSED true for each pool except master' },
      onFailure: `Go back: ${pools.map((pool) => commands.patchPool(pool, false)).join('; ')}`,
    }
  },
  disable_workload_updates: ({ cluster, spec, commands }) => ({
    title: 'Save the workload update methods and set them to []',
    precondition: `Saved value: ${methodsText(cluster.updateMethods)}. VMs are updated once, after the last version.`,
    commands: [commands.saveMethods(spec.hcoMinor), commands.patchHyperConverged([], spec.hcoMinor)],
    check: { command: commands.methods(spec.hcoMinor), expected: '[]' },
    onFailure: `Go back: ${commands.patchHyperConverged(savedMethods(cluster), spec.hcoMinor)}`,
  }),
  approve_install_plan: ({ spec, commands, product }) => ({
    title: `Approve the InstallPlan for ${versionOf(spec, product)}`,
    ...versionsOf(spec),
    precondition: 'The Subscription is UpgradePending, and its InstallPlan names the version of this step.',
    commands: [commands.installPlans(), commands.approveInstallPlan()],
    check: { command: commands.installPlans(), expected: 'APPROVED true for the InstallPlan of this version' },
    onFailure:
      'No InstallPlan is offered: the catalog lacks the version, or OLM cannot resolve it. See the conditions of the Subscription.',
  }),
  upgrade_hco: hcoTexts,
  upgrade_openshift: openshiftTexts,
  restore_workload_updates: ({ cluster, spec, commands }) => {
    const methods = savedMethods(cluster)
    return {
      title: `Restore the workload update methods: ${JSON.stringify(methods)}`,
      precondition:
        cluster.updateMethods === undefined || cluster.updateMethods.length === 0
          ? 'The value before is not known: use the saved file. LiveMigrate is the default of HCO.'
          : 'The target version is installed.',
      commands: [commands.patchHyperConverged(methods, spec.hcoMinor)],
      check: { command: commands.methods(spec.hcoMinor), expected: JSON.stringify(methods) },
      onFailure:
        'With an empty list no VM is ever updated. Repeat the command; the admission webhook names an invalid value.',
    }
  },
  unpause_pools: ({ cluster, commands }) => {
    const { workers, paused, areKnown } = cluster.pools
    const pools = areKnown ? [...new Set([...workers, ...paused])] : ['worker']
    return {
      title: areKnown ? `Unpause the worker pools ${pools.join(', ')}` : 'Unpause the worker pools',
      precondition: `${drainPrecondition(cluster)} Each node is drained and restarted once.`,
      commands: pools.map((pool) => commands.patchPool(pool, false)),
      check: {
        command: commands.poolCounts(),
        expected: 'PAUSED false, UPDATED equal to TOTAL, DEGRADED 0 for each pool',
      },
      onFailure: `A node that is not drained holds a VM that cannot be evicted: ${commands.nonMigratableVms()}. Pausing the pool again stops before the next node.`,
    }
  },
  start_vms: ({ commands }) => ({
    title: 'Start the VMs',
    precondition: 'The node is Ready, and HyperConverged is Available.',
    commands: [commands.startVms()],
    check: { command: commands.runningVms(), expected: 'each VM of the saved list is Running' },
    onFailure: 'See the events of a VM that does not start: a machine type may have been removed.',
  }),
  update_vms: vmTexts,
}

function hcoTexts({ cluster, spec, commands, product }: TextContext): StepTexts {
  const { move } = spec
  const { subscription } = cluster.record
  const channel = subscription === undefined ? undefined : nextChannel(subscription.channel, cluster, spec)
  const expected = move?.to ?? `the newest ${hcoMinorText(move?.minor ?? 0, cluster.flavour)}`
  return {
    title: `Upgrade ${product} ${fromText(spec)}to ${versionOf(spec, '').trim()}`,
    ...versionsOf(spec),
    precondition: [
      'HyperConverged reports Upgradeable=True and Progressing=False.',
      ...(move?.isMinor === true && cluster.platform === 'openshift'
        ? [`OpenShift ${openshiftMinorText(move.minor)} or newer is installed.`]
        : []),
      ...(channel === undefined
        ? []
        : [`The Subscription follows channel ${subscription?.channel ?? ''}, which is of one minor.`]),
      isManual(cluster)
        ? 'The InstallPlan is approved.'
        : 'OLM installs the version automatically when the catalog offers it.',
    ].join(' '),
    commands: channel === undefined ? [] : [commands.switchChannel(channel)],
    check: { command: commands.hcoVersion(), expected: `${expected} False True` },
    onFailure:
      'A downgrade is not supported. Read the conditions of HyperConverged and the CSV; the page of the upgrade names the known cause.',
  }
}

function openshiftTexts({ cluster, spec, commands }: TextContext): StepTexts {
  const { move, arePoolsPaused, untilMinor } = spec
  const minor = move?.minor ?? 0
  const channel = `${arePoolsPaused && isEven(untilMinor) ? 'eus' : 'stable'}-${openshiftMinorText(arePoolsPaused ? untilMinor : minor)}`
  return {
    title: `Upgrade OpenShift ${fromText(spec)}to ${versionOf(spec, '').trim()}`,
    ...versionsOf(spec),
    precondition: [
      'ClusterVersion does not report Upgradeable=False, and all ClusterOperators are Available.',
      'HCO has the newest z-stream of its minor.',
      arePoolsPaused ? 'The worker pools are paused: only control plane nodes restart.' : drainPrecondition(cluster),
    ].join(' '),
    commands: [commands.openshiftChannel(channel), commands.openshiftUpgrade(move?.to)],
    check: {
      command: commands.openshiftState(),
      expected: `VERSION ${move?.to ?? `${openshiftMinorText(minor)}.z`}, AVAILABLE True, PROGRESSING False${arePoolsPaused ? '' : '; UPDATED equal to TOTAL in all pools'}`,
    },
    onFailure:
      'A downgrade is not supported. `oc adm upgrade` names the failing ClusterOperator; the update continues when it is repaired.',
  }
}

function vmTexts({ cluster, spec, commands }: TextContext): StepTexts {
  const { vms, nonMigratableVms = 0 } = cluster
  const count = vms === undefined ? 'the VMs' : `${vms} VMs`
  const byHand =
    nonMigratableVms === 0 ? '' : ` ${nonMigratableVms} VMs cannot be migrated: restart each of them, or add Evict.`
  if (spec.isSingleNode) {
    return {
      title: `Restart ${count}: no other node can take them`,
      precondition: 'A downtime of each VM is agreed with its owner.',
      commands: [commands.restartOutdatedVms()],
      check: { command: commands.outdatedVms(), expected: '0' },
      onFailure: 'A VM that is not restarted continues with the old virt-launcher: restart it later.',
    }
  }
  return {
    title: `Wait until ${count} run the new virt-launcher`,
    precondition: `KubeVirt has update methods, and nodes have room for migrations.${byHand}`,
    commands: nonMigratableVms > 0 ? [commands.nonMigratableVms()] : [],
    check: { command: commands.outdatedVms(), expected: '0' },
    onFailure:
      'VMs continue with the old virt-launcher, which is supported for a while. Migrations that stay Pending have no node: see capacity, node selectors and CPU models.',
  }
}

function drainPrecondition({ vmNodes, nonMigratableVms = 0 }: PlanCluster): string {
  const evictable =
    nonMigratableVms > 0 ? 'VMs that cannot be migrated are shut down or evictable.' : 'Each VM can be evicted.'
  return vmNodes === TWO_NODES
    ? `${evictable} Two nodes run VMs: one of them has room for all VMs, or VMs are shut down.`
    : `${evictable} The other nodes have room for the VMs of a drained node.`
}

function methodsText(methods: readonly string[] | undefined): string {
  return methods === undefined ? 'not reported' : JSON.stringify(methods)
}

/** What to restore: what is set, or the default where nothing is set or known. */
function savedMethods({ updateMethods = [] }: PlanCluster): readonly string[] {
  return updateMethods.length === 0 ? DEFAULT_METHODS : updateMethods
}

/** A channel of one minor, such as `stable-v1.17`, offers no other: the channel of the step's minor. */
function nextChannel(channel: string, { flavour, hcoMinor = 0 }: PlanCluster, { move }: StepSpec): string | undefined {
  const own = hcoMinorText(hcoMinor, flavour)
  if (move?.isMinor !== true || !channel.endsWith(own)) return undefined
  return `${channel.slice(0, -own.length)}${hcoMinorText(move.minor, flavour)}`
}

function versionsOf({ move }: StepSpec): Pick<StepTexts, 'from' | 'to'> {
  return {
    ...(move?.from === undefined ? {} : { from: move.from }),
    ...(move?.to === undefined ? {} : { to: move.to }),
  }
}

function fromText({ move }: StepSpec): string {
  return move?.from === undefined ? '' : `${move.from} `
}

function versionOf({ move }: StepSpec, product: string): string {
  const minor = move?.minor ?? 0
  return `${product} ${move?.to ?? `${openshiftMinorText(minor)}.z`}`
}
