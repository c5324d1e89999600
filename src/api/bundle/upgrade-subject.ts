import { opaque, type BundleFact, type BundleSubject } from '../../bundle/content.ts'
import { FleetError } from '../../base/errors.ts'
import { upgradeTraceId } from '../../fleet/trace/trace-ids.ts'
import type { StuckVerdict } from '../../model/stuck.ts'
import type { TimeRange } from '../../model/time-range.ts'
import type { UpgradeRecord } from '../../model/upgrade.ts'
import { timeOf } from '../fleet/items.ts'
import { detailItem } from '../fleet/upgrades.ts'
import { alertParts } from './content-parts.ts'
import { panelQueries } from './panel-queries.ts'
import { clusterNames, MARGIN_MS, type SubjectDeps, type SubjectPorts } from './subject-ports.ts'

/** Rejects with `not_found`. */
export async function upgradeSubject(ports: SubjectPorts, deps: SubjectDeps, id: string): Promise<BundleSubject> {
  const { nowMs, externalUrl, catalog, language } = deps
  const view = ports.fleet({ nowMs })
  const record = await view.upgrade(id)
  if (record === undefined) throw new FleetError('not_found', `no upgrade has the id ${JSON.stringify(id)}`)
  const { upgrade } = record
  const [clusters, verdict] = await Promise.all([clusterNames(view, upgrade.cluster), view.judge(id)])
  const window = upgradeWindow(record, verdict !== undefined, nowMs)
  const asOfMs = window.toMs
  const parts = await alertParts(ports, deps, { clusters, window })
  const at = `/api/fleet/v1/upgrades/${encodeURIComponent(id)}`
  const cluster = encodeURIComponent(upgrade.cluster)
  const range = `from=${timeOf(window.fromMs)}&to=${timeOf(window.toMs)}`
  return {
    kind: 'upgrade',
    id,
    title: `Upgrade of ${upgrade.operator} from ${upgrade.from ?? 'an unknown version'} to ${upgrade.to} on ${upgrade.cluster}`,
    ...{ clusters, window, asOfMs },
    record: opaque(detailItem(record, verdict, asOfMs)),
    facts: factsOf(record, verdict),
    phases: upgrade.phases.map(({ name, state, startedMs, endedMs }) => ({
      ...{ name, state },
      ...(startedMs === undefined ? {} : { fromMs: startedMs }),
      ...(endedMs === undefined ? {} : { toMs: endedMs }),
    })),
    queries: panelQueries(catalog, clusters, window, language),
    traceIds: upgrade.startedMs === undefined ? [] : [upgradeTraceId(record)],
    ...parts,
    requests: [
      { title: 'Page of the upgrade', url: `${externalUrl}/fleet/upgrades/${encodeURIComponent(id)}` },
      { title: 'Record', url: `${externalUrl}${at}/detail` },
      { title: 'Objects', url: `${externalUrl}/api/fleet/v1/clusters/${cluster}/changes?${range}&states=true` },
      { title: 'Log records', url: `${externalUrl}/api/fleet/v1/logs?cluster=${cluster}&${range}` },
      { title: 'Trace', url: `${externalUrl}/api/v3/traces/${upgradeTraceId(record)}` },
    ],
  }
}

/** From the first to the last known time of the upgrade, with margins; to now while it is open. */
export function upgradeWindow({ upgrade, detail }: UpgradeRecord, isOpen: boolean, nowMs: number): TimeRange {
  const times = [upgrade, ...upgrade.phases, ...(detail.workloads === undefined ? [] : [detail.workloads])]
    .flatMap(({ startedMs, endedMs }) => [startedMs, endedMs])
    .filter((ms) => ms !== undefined)
  const first = times.length === 0 ? detail.observedUntilMs : Math.min(...times)
  const last = times.length === 0 ? detail.observedUntilMs : Math.max(...times)
  const fromMs = Math.min(first, nowMs) - MARGIN_MS
  return { fromMs, toMs: isOpen ? nowMs : Math.min(nowMs, last + MARGIN_MS) }
}

function factsOf({ upgrade, detail }: UpgradeRecord, verdict: StuckVerdict | undefined): readonly BundleFact[] {
  const { cluster, operator, from, to, state, startedMs, endedMs, nodes, channel, approval, blockedBy } = upgrade
  const causes = verdict?.causes ?? (blockedBy === undefined ? [] : [blockedBy])
  const known = (name: string, value: string | number | undefined): readonly BundleFact[] =>
    value === undefined ? [] : [{ name, value: String(value) }]
  return [
    { name: 'Cluster', value: cluster },
    { name: 'Operator', value: operator },
    { name: 'From', value: from ?? 'unknown' },
    { name: 'To', value: to },
    { name: 'State', value: `${state.replaceAll('_', ' ')}${verdict?.isStuck === true ? ', stuck' : ''}` },
    { name: 'Started', value: timeOf(startedMs) ?? 'unknown' },
    { name: 'Ended', value: timeOf(endedMs) ?? (state === 'in_progress' ? 'not ended' : 'unknown') },
    { name: 'Resolution', value: `exact to ±${upgrade.resolutionSeconds} s` },
    ...known('Nodes', nodes),
    ...known('Channel', channel),
    ...known('Approval', approval),
    ...known('CSV', detail.csvName),
    ...causes.map(({ cause, text }) => ({ name: 'Blocked by', value: `${cause.replaceAll('_', ' ')}: ${text}` })),
  ]
}
