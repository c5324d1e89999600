import { isWithin } from '../scenarios/window.ts'
import type { ClusterHistory } from './cluster-history.ts'
import { drainsOf, drainFailuresOf } from './objects/platform.ts'
import { finite } from './objects/sim-object.ts'
import type { SignalSeries } from './signal-series.ts'

/** What OpenShift and kube-state-metrics send of a platform that is updated: versions, machine-config, cordoned nodes. */
export function platformSeries(history: ClusterHistory): readonly SignalSeries[] {
  return history.platform === undefined
    ? []
    : [...versionSeries(history), ...machineConfigSeries(history), ...cordonSeries(history)]
}

/** `cluster_version`: its values are times, in seconds. */
function versionSeries({ platform, installedMs }: ClusterHistory): SignalSeries[] {
  if (platform === undefined) return []
  const first = { version: platform.firstVersion, fromMs: -Infinity, atMs: installedMs - 3_600_000 }
  const versions = [
    first,
    ...platform.upgrades.map(({ to, startMs, endMs }) => ({ version: to, fromMs: startMs, atMs: endMs })),
  ]
  return versions.flatMap(({ version, fromMs, atMs }, i): SignalSeries[] => {
    const untilMs = versions[i + 1]?.atMs ?? Infinity
    const momentsMs = finite([fromMs, atMs, untilMs])
    const add = (type: string, from: number, until: number, value: number): SignalSeries => ({
      signal: 'platform',
      labels: { type, version },
      momentsMs,
      valueAt: (timeMs) => (timeMs >= from && timeMs < until ? value : undefined),
    })
    return [
      add('current', atMs, untilMs, 1_700_000_000 + i),
      add('completed', atMs, untilMs, atMs / 1000),
      ...(i === 0 ? [] : [add('updating', fromMs, atMs, fromMs / 1000)]),
    ]
  })
}

/** `cluster_operator_conditions`: with another reason it is another series. */
function machineConfigSeries({ platform }: ClusterHistory): SignalSeries[] {
  const windows = (platform?.upgrades ?? []).flatMap(drainFailuresOf)
  const momentsMs = windows.flatMap(({ fromMs, untilMs }) => [fromMs, untilMs])
  const isFailing = (timeMs: number): boolean => windows.some((window) => isWithin(window, timeMs))
  const reasons = [...new Set(windows.map(({ reason }) => reason))]
  return [
    {
      ...{ signal: 'machine_config', labels: { condition: 'Degraded' }, momentsMs },
      valueAt: (timeMs) => (isFailing(timeMs) ? undefined : 0),
    },
    ...reasons.map((reason): SignalSeries => ({
      ...{ signal: 'machine_config', labels: { condition: 'Degraded', reason }, momentsMs },
      valueAt: (timeMs) => (isFailing(timeMs) ? 1 : undefined),
    })),
  ]
}

function cordonSeries(history: ClusterHistory): SignalSeries[] {
  return history.profile.nodes.map((node, i) => {
    const drains = drainsOf(history, i)
    return {
      ...{ signal: 'cordoned', labels: { node } },
      momentsMs: finite(drains.flatMap(({ fromMs, untilMs }) => [fromMs, untilMs])),
      valueAt: (timeMs) => Number(drains.some((window) => isWithin(window, timeMs))),
    }
  })
}
