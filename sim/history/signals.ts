import type { SignalSeries } from './signal-series.ts'
import { csvName, productVersion } from '../cluster-profile.ts'
import { isWithin } from '../scenarios/window.ts'
import { upperBound } from './bounds.ts'
import { COMPONENTS, type ClusterHistory, type CsvLife } from './cluster-history.ts'
import { hcoProcesses, isHcoAway, RESTART_MS, type HcoProcess } from './hco-processes.ts'
import { csvLives } from './objects/csv-lives.ts'
import { failingOperandOf } from './failing-operand.ts'
import { progressAt } from './objects/handler.ts'
import { finite } from './objects/sim-object.ts'
import { operandSeries } from './operand-signals.ts'
import { platformSeries } from './platform-signals.ts'
import { outdatedAt, outdatedMoments } from './workloads.ts'

export function signalSeries(history: ClusterHistory): readonly SignalSeries[] {
  return [
    ...csvLives(history).flatMap((life) => csvSeries(history, life)),
    ...subscriptionSeries(history),
    ...nodeSeries(history),
    whileThere(history, healthSeries(history)),
    {
      signal: 'outdated_vmis',
      labels: {},
      momentsMs: outdatedMoments(history),
      valueAt: (atMs) => outdatedAt(history, atMs),
    },
    ...migrationSeries(history),
    ...platformSeries(history),
    ...operandSeries(history),
    ...editSeries(history),
    ...patchSeries(history).map((series) => whileThere(history, series)),
    ...handlerSeries(history),
  ]
}

function csvSeries(history: ClusterHistory, life: CsvLife): SignalSeries[] {
  const version = productVersion(history.profile, life.release)
  const momentsMs = finite([life.createdMs, life.goneMs, ...life.steps.map(({ atMs }) => atMs)])
  const stepAt = (timeMs: number) =>
    timeMs < life.createdMs || timeMs >= life.goneMs ? undefined : life.steps.findLast(({ atMs }) => atMs <= timeMs)
  const abnormal = new Map(
    life.steps
      .filter(({ phase }) => phase !== 'Succeeded')
      .map(({ phase, reason }) => [`${phase}/${reason}`, { phase, reason }]),
  )
  return [
    {
      signal: 'csv_succeeded',
      labels: { version },
      momentsMs,
      valueAt(timeMs) {
        const step = stepAt(timeMs)
        return step === undefined ? undefined : Number(step.phase === 'Succeeded')
      },
    },
    ...[...abnormal.values()].map(({ phase, reason }): SignalSeries => ({
      signal: 'csv_abnormal',
      labels: { phase, reason, version },
      momentsMs,
      valueAt(timeMs) {
        const step = stepAt(timeMs)
        return step?.phase === phase && step.reason === reason ? 1 : undefined
      },
    })),
  ]
}

/** One for each version that OLM ever called installed. */
function subscriptionSeries(history: ClusterHistory): SignalSeries[] {
  const { profile, upgrades } = history
  const moves = [
    { atMs: history.installedMs, release: history.firstCsv.release },
    ...upgrades.flatMap(({ csvSucceededMs, to }) =>
      csvSucceededMs < Infinity ? [{ atMs: csvSucceededMs, release: to }] : [],
    ),
  ]
  const momentsMs = moves.map(({ atMs }) => atMs)
  return [...new Set(moves.map(({ release }) => release))].map((release) => ({
    signal: 'subscription',
    labels: { approval: profile.approval, channel: profile.channel, installed: csvName(profile, release) },
    momentsMs,
    valueAt: (timeMs) => (moves.findLast(({ atMs }) => atMs <= timeMs)?.release === release ? 1 : undefined),
  }))
}

/** How many nodes run which KubeVirt: a new virt-handler is counted when it is ready, an old one until it is replaced. */
function nodeSeries(history: ClusterHistory): SignalSeries[] {
  const rolls = history.upgrades.flatMap(({ rollout, from, to }) =>
    rollout === undefined ? [] : [{ rollout, from: from.kubevirt, to: to.kubevirt }],
  )
  const momentsMs = finite(
    rolls.flatMap(({ rollout }) => rollout.nodes.flatMap(({ updatedMs, readyMs }) => [updatedMs, readyMs])),
  )
  const versions = [...new Set([history.firstCsv.release.kubevirt, ...rolls.map(({ to }) => to)])]
  const nodes = history.profile.nodes.length
  return versions.map((kubeversion) => ({
    signal: 'kubevirt_nodes',
    labels: { kubeversion },
    momentsMs,
    valueAt(timeMs) {
      const roll = rolls.findLast(({ rollout }) => rollout.startMs <= timeMs)
      const standing = roll?.from ?? history.firstCsv.release.kubevirt
      const { updated, ready } = roll === undefined ? { updated: 0, ready: 0 } : progressAt(roll.rollout, timeMs)
      const count = (standing === kubeversion ? nodes - updated : 0) + (roll?.to === kubeversion ? ready : 0)
      return count > 0 ? count : undefined
    },
  }))
}

/** Degraded while KubeVirt rolls, which is no fault, or while an operand is; progressing is a warning before 1.16. */
function healthSeries(history: ClusterHistory): SignalSeries {
  const { upgrades } = history
  const rolls = upgrades.flatMap(({ rollout, components }) => {
    const kubevirt = components.find(({ name }) => name === 'kubevirt')
    return rollout === undefined || kubevirt === undefined ? [] : [{ fromMs: rollout.startMs, untilMs: kubevirt.endMs }]
  })
  const modes = upgrades.map(({ hcoStartMs, endMs, to }) => ({ fromMs: hcoStartMs, untilMs: endMs, to }))
  const failing = upgrades.flatMap(({ stall }) => (stall?.kind === 'reconcile' ? [stall] : []))
  const degraded = [
    ...rolls,
    ...upgrades.flatMap((upgrade) => failingOperandOf(upgrade) ?? []),
    ...(history.unwell ?? []),
  ]
  return {
    signal: 'hco_health',
    labels: {},
    momentsMs: finite([...degraded, ...modes, ...failing].flatMap(({ fromMs, untilMs }) => [fromMs, untilMs])),
    valueAt(timeMs) {
      if (degraded.some((window) => isWithin(window, timeMs))) return 2
      if (failing.some((stall) => isWithin(stall, timeMs))) return 1
      return Number(modes.some((mode) => mode.to.minor < 16 && isWithin(mode, timeMs)))
    },
  }
}

function migrationSeries(history: ClusterHistory): SignalSeries[] {
  const all = history.upgrades.flatMap(({ workloads }) => workloads?.migrations ?? [])
  const momentsMs = finite(
    all.flatMap(({ createdMs, schedulingMs, runningMs, endMs }) => [createdMs, schedulingMs, runningMs, endMs]),
  )
  const rising = (times: readonly number[]): readonly number[] => finite(times).toSorted((a, b) => a - b)
  const created = rising(all.map(({ createdMs }) => createdMs))
  const scheduling = rising(all.map(({ schedulingMs }) => schedulingMs))
  const begun = rising(all.map(({ runningMs, endMs }) => Math.min(runningMs, endMs)))
  const running = rising(all.map(({ runningMs }) => runningMs))
  const over = rising(all.flatMap(({ runningMs, endMs }) => (runningMs < Infinity ? [endMs] : [])))
  const between = (from: readonly number[], until: readonly number[]) => (timeMs: number) =>
    upperBound(from, timeMs) - upperBound(until, timeMs)
  return [
    { signal: 'migrations_pending', labels: {}, momentsMs, valueAt: between(created, scheduling) },
    { signal: 'migrations_scheduling', labels: {}, momentsMs, valueAt: between(scheduling, begun) },
    { signal: 'migrations_running', labels: {}, momentsMs, valueAt: between(running, over) },
  ]
}

/**
 * Counted by each process of HCO from 0: with its first edit the series is born. Most senders name the pod that counts,
 * some only its address, and some neither.
 */
function editSeries(history: ClusterHistory): SignalSeries[] {
  const { edits, profile } = history
  const processes = hcoProcesses(history)
  const ways = [({ pod }: HcoProcess) => ({ pod: podName(pod) }), addressOf, () => ({})] as const
  const nameOf = ways[Math.max(0, (profile.index % 6) - 3)]!
  const series = new Map<string, SignalSeries>()
  for (const process of processes) {
    for (const component of COMPONENTS) {
      const own = edits.filter((edit) => edit.component === component && isWithin(process, edit.atMs))
      if (own.length === 0) continue
      const labels = { component_name: COMPONENT_NAMES[component], ...nameOf(process) }
      const key = JSON.stringify(labels)
      const others = series.get(key)
      const counted = (timeMs: number): number | undefined =>
        own.filter(({ atMs }) => atMs <= timeMs).length || undefined
      series.set(key, {
        ...{ signal: 'out_of_band', labels },
        momentsMs: [...(others?.momentsMs ?? []), ...own.map(({ atMs }) => atMs), ...finite([process.untilMs])],
        valueAt: (timeMs) => (isWithin(process, timeMs) ? counted(timeMs) : others?.valueAt(timeMs)),
      })
    }
  }
  return [...series.values()]
}

export function podName(pod: number): string {
  return `hco-operator-${pod}`
}

function addressOf({ pod }: HcoProcess): Readonly<Record<string, string>> {
  return { instance: `10.128.${pod}.7:8443` }
}

/** What HCO itself reports, while it is there. */
function whileThere(history: ClusterHistory, series: SignalSeries): SignalSeries {
  const moments = (history.hcoRestarts ?? []).flatMap(({ atMs }) => [atMs, atMs + RESTART_MS])
  return {
    ...series,
    momentsMs: [...series.momentsMs, ...moments],
    valueAt: (timeMs) => (isHcoAway(history, timeMs) ? undefined : series.valueAt(timeMs)),
  }
}

export const COMPONENT_NAMES = {
  kubevirt: 'kubevirt/kubevirt-kubevirt-hyperconverged',
  cdi: 'cdi/cdi-kubevirt-hyperconverged',
  'network-addons': 'networkaddonsconfig/cluster',
  ssp: 'ssp/ssp-kubevirt-hyperconverged',
} as const

/** The four annotations are always there; only the patched one says more than 0. */
function patchSeries({ patches }: ClusterHistory): SignalSeries[] {
  return [
    {
      signal: 'unsafe_modifications',
      labels: { annotation_name: 'kubevirt.kubevirt.io/jsonpatch' },
      momentsMs: patches.flatMap(({ fromMs, untilMs }) => [fromMs, untilMs]),
      valueAt: (timeMs) => patches.find((patch) => isWithin(patch, timeMs))?.operations ?? 0,
    },
  ]
}

/** The DaemonSet as kube-state-metrics tells it; not everybody sends that. */
function handlerSeries(history: ClusterHistory): SignalSeries[] {
  if (history.profile.index % 2 === 1) return []
  const rollouts = history.upgrades.flatMap(({ rollout }) => (rollout === undefined ? [] : [rollout]))
  const nodes = history.profile.nodes.length
  const momentsMs = finite(
    rollouts.flatMap((rollout) => [
      rollout.startMs,
      ...rollout.nodes.flatMap(({ updatedMs, readyMs }) => [updatedMs, readyMs]),
    ]),
  )
  const at = (timeMs: number) => {
    const rollout = rollouts.findLast(({ startMs }) => startMs <= timeMs)
    return rollout === undefined ? { updated: nodes, unready: 0 } : progressAt(rollout, timeMs)
  }
  const add = (state: string, valueAt: (timeMs: number) => number): SignalSeries => ({
    ...{ signal: 'virt_handler', labels: { state }, momentsMs, valueAt },
  })
  return [
    add('desired', () => nodes),
    add('updated', (timeMs) => at(timeMs).updated),
    add('ready', (timeMs) => nodes - at(timeMs).unready),
    add('available', (timeMs) => nodes - at(timeMs).unready),
  ]
}
