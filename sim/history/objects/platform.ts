import type {
  ClusterOperatorFacts,
  ClusterVersionFacts,
  MachineConfigPoolFacts,
  NodeFacts,
} from '../../../src/model/object-facts.ts'
import { isWithin, type Window } from '../../scenarios/window.ts'
import type { ClusterHistory, PlatformHistory, PlatformUpgrade } from '../cluster-history.ts'
import { uidOf } from '../uid.ts'
import { conditionAt, finite, type SimObject, type Spell } from './sim-object.ts'

/** What OpenShift tells of its own upgrades; plain Kubernetes has nodes only. */
export function platformObjects(history: ClusterHistory): readonly SimObject[] {
  const nodes = history.profile.nodes.map((name, i) => nodeObject(history, name, i))
  if (history.platform === undefined) return nodes
  return [
    ...nodes,
    clusterVersion(history, history.platform),
    machineConfigPool(history, history.platform, 'master'),
    machineConfigPool(history, history.platform, 'worker'),
    clusterOperator(history, history.platform),
  ]
}

function clusterVersion(history: ClusterHistory, platform: PlatformHistory): SimObject {
  const { profile, installedMs } = history
  const createdMs = installedMs - 3_600_000
  const moving = platform.upgrades.map(({ startMs, endMs, to }): Spell => ({
    ...{ fromMs: startMs, untilMs: endMs, status: 'True', reason: 'ClusterOperatorsUpdating' },
    message: `Working towards ${to}`,
  }))
  return {
    ...{ uid: uidOf(profile.seed, 'clusterversion'), name: 'version', namespace: '', createdMs, goneMs: Infinity },
    momentsMs: platform.upgrades.flatMap(({ startMs, endMs }) => [startMs, endMs]),
    factsAt(timeMs): ClusterVersionFacts {
      const begun = platform.upgrades.filter(({ startMs }) => startMs <= timeMs)
      const entries = begun.map(({ to, startMs, endMs }) => ({
        ...{ state: timeMs >= endMs ? 'Completed' : 'Partial', version: to, startedMs: startMs },
        ...(timeMs >= endMs ? { completedMs: endMs } : {}),
      }))
      const first = {
        state: 'Completed',
        version: platform.firstVersion,
        startedMs: createdMs,
        completedMs: createdMs + 2_400_000,
      }
      const desired = begun.at(-1)?.to ?? platform.firstVersion
      return {
        kind: 'clusterversions',
        createdMs,
        clusterId: uidOf(profile.seed, 'openshift'),
        channel: `stable-4.${desired.split('.')[1]!}`,
        desiredVersion: desired,
        history: [...entries.toReversed(), first],
        conditions: [
          conditionAt('Available', { status: 'True', reason: '', message: '' }, [], timeMs, createdMs),
          conditionAt(
            'Progressing',
            { status: 'False', reason: '', message: `Cluster version is ${desired}` },
            moving,
            timeMs,
            createdMs,
          ),
        ],
        availableUpdates: [],
      }
    },
  }
}

function machineConfigPool(history: ClusterHistory, platform: PlatformHistory, name: 'master' | 'worker'): SimObject {
  const createdMs = history.installedMs - 3_600_000
  const rounds = platform.upgrades.flatMap(({ pools, stall }) =>
    pools
      .filter((pool) => pool.name === name)
      .map((pool) => ({ ...pool, stall: name === 'worker' ? stall : undefined })),
  )
  const degraded = rounds.flatMap(({ stall }) =>
    stall?.kind === 'pool' ? [{ fromMs: stall.fromMs + DEGRADED_MS, untilMs: stall.untilMs, ...POOL_FAULT }] : [],
  )
  const machines = name === 'master' ? 3 : history.profile.nodes.length
  const moving = rounds.map(({ startMs, doneMs }): Spell => ({
    ...{ fromMs: startMs, untilMs: doneMs.at(-1)!, status: 'True', reason: '' },
    message: `All nodes are updating`,
  }))
  const still = { status: 'False', reason: '', message: '' }
  return {
    ...{ uid: uidOf(history.profile.seed, 'pool', name), name, namespace: '', createdMs, goneMs: Infinity },
    momentsMs: [
      ...rounds.flatMap(({ startMs, doneMs }) => [startMs, ...doneMs]),
      ...degraded.flatMap(({ fromMs, untilMs }) => [fromMs, untilMs]),
    ],
    factsAt(timeMs): MachineConfigPoolFacts {
      const round = rounds.findLast(({ startMs }) => startMs <= timeMs)
      const isMoving = round !== undefined && timeMs < round.doneMs.at(-1)!
      const updated = isMoving ? round.doneMs.filter((doneMs) => doneMs <= timeMs).length : machines
      return {
        kind: 'machineconfigpools',
        createdMs,
        isPaused: false,
        machines,
        updated,
        ready: isMoving ? updated : machines,
        degraded: Number(degraded.some((spell) => isWithin(spell, timeMs))),
        conditions: [
          conditionAt(
            'Updated',
            { ...still, status: 'True' },
            moving.map((spell) => ({ ...spell, status: 'False' })),
            timeMs,
            createdMs,
          ),
          conditionAt('Updating', still, moving, timeMs, createdMs),
          conditionAt('NodeDegraded', still, degraded, timeMs, createdMs),
          conditionAt(
            'Degraded',
            still,
            degraded.map((spell) => ({ ...spell, reason: '', message: '' })),
            timeMs,
            createdMs,
          ),
        ],
      }
    },
  }
}

const DEGRADED_MS = 180_000
const POOL_FAULT = {
  status: 'True',
  reason: '1 nodes are reporting degraded status on sync',
  message:
    'Node worker-1 is reporting: "unexpected on-disk state validating against rendered-worker-7c1f: content mismatch for file /etc/chrony.conf"',
}

/** machine-config: the one that says a node could not be drained. */
function clusterOperator(history: ClusterHistory, platform: PlatformHistory): SimObject {
  const createdMs = history.installedMs - 3_600_000
  const updating = platform.upgrades.map(({ startMs, endMs, to }): Spell => ({
    ...{ fromMs: startMs, untilMs: endMs, status: 'True', reason: '' },
    message: `Working towards ${to}`,
  }))
  const blocked = platform.upgrades.flatMap(drainFailuresOf).map(({ fromMs, untilMs, reason }): Spell => ({
    ...{ fromMs, untilMs, status: 'True', reason },
    message:
      reason === POOLS_FAILED
        ? 'Failed to resync because: error required MachineConfigPool worker is not ready, retrying. Status: (pool degraded: true)'
        : `failed to drain node: ${history.profile.nodes[0]!} after 1 hour: error when evicting pod virt-launcher: Cannot evict pod as it would violate the pod's disruption budget`,
  }))
  const still = { status: 'False', reason: '', message: '' }
  return {
    ...{
      uid: uidOf(history.profile.seed, 'clusteroperator'),
      name: 'machine-config',
      namespace: '',
      createdMs,
      goneMs: Infinity,
    },
    momentsMs: finite([...updating, ...blocked].flatMap(({ fromMs, untilMs }) => [fromMs, untilMs])),
    factsAt(timeMs): ClusterOperatorFacts {
      const reached = platform.upgrades.findLast(({ endMs }) => endMs <= timeMs)?.to ?? platform.firstVersion
      return {
        kind: 'clusteroperators',
        createdMs,
        operatorVersion: reached,
        conditions: [
          conditionAt('Available', { ...still, status: 'True' }, [], timeMs, createdMs),
          conditionAt('Progressing', still, updating, timeMs, createdMs),
          conditionAt('Degraded', still, blocked, timeMs, createdMs),
        ],
      }
    },
  }
}

/** From when to when machine-config says that it cannot drain a node, or that a pool is degraded. */
export function drainFailuresOf({ stall }: PlatformUpgrade): readonly (Window & { readonly reason: string })[] {
  if (stall === undefined) return []
  const reason = stall.kind === 'drain' ? 'MachineConfigDaemonFailed' : POOLS_FAILED
  return [{ fromMs: stall.fromMs + DEGRADED_MS, untilMs: stall.untilMs, reason }]
}

const POOLS_FAILED = 'RequiredPoolsFailed'

/** When a node takes no new pods, because it is updated. */
export function drainsOf({ platform }: ClusterHistory, index: number): readonly Window[] {
  return (platform?.upgrades ?? []).flatMap(({ pools, stall }) => {
    const doneMs = pools.find((pool) => pool.name === 'worker')?.doneMs
    if (doneMs === undefined) return []
    const [startMs, untilMs] = [index === 0 ? doneMs[0]! - 240_000 : doneMs[index - 1]!, doneMs[index]!]
    // What is wrong with its configuration is found before anything is moved away from it.
    const isWrong = stall?.kind === 'pool' && stall.fromMs >= startMs && stall.fromMs < untilMs
    return [{ fromMs: isWrong ? stall.untilMs : startMs, untilMs }]
  })
}

function nodeObject(history: ClusterHistory, name: string, index: number): SimObject {
  const { platform, installedMs, profile, upgrades } = history
  const createdMs = installedMs - 3_000_000
  const drains = drainsOf(history, index)
  // A roll-out that stops half way does so at a node that is not ready.
  const lost = upgrades.flatMap(({ stall }) =>
    stall?.kind === 'wave' && index === profile.nodes.length - 1 ? [stall] : [],
  )
  // Each node has the new kubelet when it itself is done.
  const minorAt = (timeMs: number): string => {
    const version =
      platform?.upgrades.findLast(({ pools, endMs }) => {
        const doneMs = pools.find((pool) => pool.name === 'worker')?.doneMs[index]
        return (doneMs ?? endMs) <= timeMs
      })?.to ??
      platform?.firstVersion ??
      '4.18.0'
    return `v1.${Number(version.split('.')[1]) + 13}.4`
  }
  return {
    ...{ uid: uidOf(profile.seed, 'node', index), name, namespace: '', createdMs, goneMs: Infinity },
    momentsMs: finite([...drains, ...lost].flatMap(({ fromMs, untilMs }) => [fromMs, untilMs])),
    factsAt(timeMs): NodeFacts {
      return {
        kind: 'nodes',
        createdMs,
        isReady: !lost.some((window) => isWithin(window, timeMs)),
        readyChangedMs: Math.max(
          createdMs,
          ...lost.flatMap(({ fromMs, untilMs }) => [fromMs, untilMs].filter((ms) => ms <= timeMs)),
        ),
        isSchedulable: !drains.some((window) => isWithin(window, timeMs)),
        roles: ['worker'],
        kubeletVersion: minorAt(timeMs),
        hasKvm: true,
      }
    },
  }
}
