import type { DaemonSetFacts } from '../../../src/model/object-facts.ts'
import type { ClusterHistory, HandlerRollout } from '../cluster-history.ts'
import { uidOf } from '../uid.ts'
import { finite, type SimObject } from './sim-object.ts'

/** The DaemonSet virt-handler: one node first, then a tenth at a time. It has no times of its own. */
export function handlerObject(history: ClusterHistory): SimObject {
  const { profile, installedMs, upgrades } = history
  const rollouts = upgrades.flatMap(({ rollout }) =>
    rollout === undefined || rollout.startMs === Infinity ? [] : [rollout],
  )
  return {
    uid: uidOf(profile.seed, 'virt-handler'),
    name: 'virt-handler',
    namespace: profile.installNamespace,
    createdMs: installedMs,
    goneMs: Infinity,
    momentsMs: finite(
      rollouts.flatMap((rollout) => [
        rollout.startMs,
        ...rollout.nodes.flatMap((node) => [node.updatedMs, node.readyMs]),
      ]),
    ),
    factsAt(timeMs): DaemonSetFacts {
      const generation = 1 + rollouts.filter(({ startMs }) => startMs <= timeMs).length
      const current = rollouts.findLast(({ startMs }) => startMs <= timeMs)
      const desired = profile.nodes.length
      const { updated, unready, isDone, isCanaryReady } = current === undefined ? STILL : progressAt(current, timeMs)
      return {
        kind: 'daemonsets',
        createdMs: installedMs,
        desired,
        current: desired,
        updated: current === undefined ? desired : updated,
        ready: desired - unready,
        available: desired - unready,
        generation,
        observedGeneration: generation,
        maxUnavailable: current !== undefined && isCanaryReady && !isDone ? '10%' : '1',
      }
    },
  }
}

const STILL = { updated: 0, unready: 0, isDone: true, isCanaryReady: true }

export function progressAt(rollout: HandlerRollout, timeMs: number) {
  const updated = rollout.nodes.filter(({ updatedMs }) => updatedMs <= timeMs).length
  const ready = rollout.nodes.filter(({ readyMs }) => readyMs <= timeMs).length
  return {
    updated,
    ready,
    unready: updated - ready,
    isDone: ready === rollout.nodes.length,
    isCanaryReady: ready > 0,
  }
}
