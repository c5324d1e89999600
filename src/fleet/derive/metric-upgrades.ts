/**
 * Upgrades of HCO as metrics show them, exact to a scrape (facts 5.5, last paragraph): OLM's part by the CSVs, KubeVirt's
 * by the nodes, the end by HCO's health. Where nothing shows a time, it is unknown; nothing is put in its place.
 */
import { compareVersions } from '../version-order.ts'
import type { MetricRun } from '../../model/observation.ts'
import type { UpgradeState } from '../../model/upgrade.ts'
import type { ClusterHistory } from './cluster-history.ts'
import { hasFailedFinally } from './csv-path.ts'
import { csvPresences, succeededBefore, type CsvPresence } from './csv-presences.ts'
import { evidence } from './hco-evidence.ts'
import { metricEnd } from './metric-end.ts'
import { firstOf, metricPhases, momentOf } from './metric-phases.ts'
import {
  metricRollout,
  metricRolloutBegun,
  metricWorkloads,
  type MetricRollout,
  type MetricWorkloads,
} from './metric-rollout.ts'
import { scrapeMoment, type Moment } from './moment.ts'
import { bare, type UpgradeDraft } from './upgrade-draft.ts'
import { wavesOf } from './virt-handler-rollout.ts'
import { workloadsOf } from './workload-phase.ts'

export function metricUpgrades(history: ClusterHistory): readonly UpgradeDraft[] {
  const presences = csvPresences(history)
  const lastSeenMs = Math.max(0, ...history.runs('csv_succeeded').map(({ lastMs }) => lastMs))
  return presences.flatMap((presence, i) => {
    const from = fromOf(presence, presences, history)
    if (from === undefined || from === presence.version) return []
    return [draftOf(presence, from, presences.slice(i + 1), history, lastSeenMs)]
  })
}

/** The version that ran when this one came. At the beginning of the history, the older of two that stand side by side. */
function fromOf(presence: CsvPresence, presences: readonly CsvPresence[], history: ClusterHistory): string | undefined {
  const { firstMs, beforeMs, version } = presence
  if (beforeMs !== undefined) return succeededBefore(history, firstMs)
  const beside = presences.filter((other) => other.firstMs === firstMs && other.version !== version)
  const isLeaving = (other: CsvPresence): boolean => other.phases.some(({ labels }) => labels['phase'] === 'Replacing')
  return beside.filter(isLeaving).sort((a, b) => compareVersions(a.version, b.version))[0]?.version
}

function draftOf(
  presence: CsvPresence,
  from: string,
  later: readonly CsvPresence[],
  history: ClusterHistory,
  lastSeenMs: number,
): UpgradeDraft {
  const { version: to, firstMs, beforeMs, succeeded, phases } = presence
  const next = later.find((other) => other.succeeded !== undefined || other.phases.some(hasBegun))
  const range = { fromMs: firstMs, toMs: next?.firstMs ?? Infinity }
  const begun = succeeded === undefined ? undefined : metricRolloutBegun(history, { ...range, fromMs: succeeded.atMs })
  const rollout = metricRollout(history, range) ?? begun
  const end = metricEnd(history, presence, rollout, range)
  const outcome = succeeded === undefined ? unfinished(presence, from, next) : end
  const started = scrapeMoment(firstMs, beforeMs)
  const done = end.kubevirt ?? rollout?.ended
  const workloads = done === undefined ? undefined : metricWorkloads(history, done, range.toMs)
  const moved = typeof workloads === 'object' ? workloads : undefined
  const subscription = subscriptionAt(history, firstMs)
  const approval = subscription?.labels['approval']
  return {
    ...{ operator: 'kubevirt-hyperconverged', source: 'metrics', from, to, isProven: true, lastSeenMs },
    ...{ anchorMs: firstMs, sinceMs: beforeMs ?? -Infinity, state: outcome.state, started, ended: outcome.ended },
    channel: subscription?.labels['channel'],
    approval: approval === 'Manual' || approval === 'Automatic' ? approval : undefined,
    phases: [
      ...[bare('offered', 'unknown'), bare('approval', 'unknown')],
      ...metricPhases(history, { presence, rollout, workloads, kubevirt: end.kubevirt, started, ...outcome }),
    ],
    evidence: evidenceOf(
      presence,
      started,
      rollout,
      moved,
      outcome.state === 'succeeded' ? outcome.ended : undefined,
      end.text,
    ),
    progressMs: [
      ...[started, succeeded, outcome.state === 'succeeded' ? outcome.ended : undefined].flatMap(
        (moment) => moment?.atMs ?? [],
      ),
      ...['InstallReady', 'Installing'].flatMap((name) => firstOf(phases, name)?.firstMs ?? []),
      ...(rollout?.progressMs ?? []),
      ...(moved?.progressMs ?? []),
    ],
    detail: {
      csvSteps: csvStepsOf(presence),
      components: rollout === undefined ? [] : [componentOf(rollout, end.kubevirt)],
      virtHandler: rollout === undefined ? undefined : handlerOf(rollout),
      workloads: moved === undefined ? undefined : workloadsOf(history, moved, moved.started.atMs, range.toMs),
    },
  }
}

function hasBegun({ labels }: MetricRun): boolean {
  return labels['phase'] === 'InstallReady' || labels['phase'] === 'Installing'
}

interface Outcome {
  readonly state: UpgradeState
  readonly ended: Moment | undefined
}

/** Of a CSV that never succeeded. */
function unfinished({ phases, lastMs, afterMs }: CsvPresence, from: string, next: CsvPresence | undefined): Outcome {
  const last = phases.findLast(({ labels }) => labels['phase'] !== 'Replacing')
  const hasFailed = last?.labels['phase'] === 'Failed'
  const failed = last === undefined ? undefined : scrapeMoment(last.firstMs, last.beforeMs)
  const gone = afterMs === undefined ? undefined : scrapeMoment(afterMs, lastMs)
  if (next !== undefined) {
    const replaced = gone !== undefined && gone.atMs < next.firstMs ? gone : scrapeMoment(next.firstMs, next.beforeMs)
    if (next.version === from) return { state: 'rolled_back', ended: replaced }
    return hasFailed ? { state: 'failed', ended: failed } : { state: 'superseded', ended: replaced }
  }
  if (gone !== undefined) return { state: 'unknown', ended: undefined }
  const isFinal =
    last !== undefined && hasFailedFinally({ phase: last.labels['phase'] ?? '', reason: last.labels['reason'] ?? '' })
  return isFinal ? { state: 'failed', ended: failed } : { state: 'in_progress', ended: undefined }
}

function componentOf(
  { from, to }: MetricRollout,
  ended: Moment | undefined,
): NonNullable<UpgradeDraft['detail']['components']>[number] {
  return {
    name: 'kubevirt',
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(ended !== undefined && { endedMs: ended.atMs }),
    state: ended === undefined ? 'in_progress' : 'succeeded',
  }
}

function handlerOf({
  nodes,
  updated,
  ready,
  started,
  canary,
  ended,
}: MetricRollout): UpgradeDraft['detail']['virtHandler'] {
  return {
    ...{ desired: nodes, updated, ready, waves: wavesOf(nodes) },
    ...(started !== undefined && { startedMs: started.atMs }),
    ...(canary !== undefined && { canaryMs: canary.atMs }),
    ...(ended !== undefined && { endedMs: ended.atMs }),
  }
}

/** A CSV in a loop goes on for ever: its latest rounds tell enough. */
const STEPS_MAX = 60

/** As scrapes saw them: phases shorter than a scrape are missing. */
function csvStepsOf({ phases }: CsvPresence): NonNullable<UpgradeDraft['detail']['csvSteps']> {
  return phases.slice(-STEPS_MAX).map(({ labels, firstMs, afterMs }) => ({
    ...{ phase: labels['phase'] ?? '', reason: labels['reason'] ?? '', startedMs: firstMs },
    ...(afterMs !== undefined && { endedMs: afterMs }),
  }))
}

function subscriptionAt(history: ClusterHistory, timeMs: number): MetricRun | undefined {
  const runs = history.runs('subscription')
  return runs.findLast(({ firstMs }) => firstMs <= timeMs) ?? runs[0]
}

function evidenceOf(
  { version, phases, succeeded }: CsvPresence,
  started: Moment | undefined,
  rollout: MetricRollout | undefined,
  workloads: MetricWorkloads | undefined,
  ended: Moment | undefined,
  endText: string,
): UpgradeDraft['evidence'] {
  const csv = `csv_succeeded{version="${version}"}`
  const reported = phases.slice(0, 12)
  return [
    ...evidence(started, `CSV ${version} appears`, csv, 'olm'),
    ...reported.flatMap((run) => {
      const { phase: name = '', reason = '' } = run.labels
      return evidence(
        momentOf(run),
        `CSV ${version} is ${name}${reason === '' ? '' : ` (${reason})`}`,
        `csv_abnormal{version="${version}"}`,
        'olm',
      )
    }),
    ...evidence(succeeded, `CSV ${version} is Succeeded`, csv, 'olm'),
    ...evidence(
      rollout?.canary,
      `the first node runs KubeVirt ${rollout?.to ?? ''}`,
      'kubevirt_info',
      'virt_handler.canary',
    ),
    ...evidence(
      rollout?.ended,
      `all ${rollout?.nodes ?? 0} nodes run KubeVirt ${rollout?.to ?? ''}`,
      'kubevirt_info',
      'virt_handler.waves',
    ),
    ...evidence(
      workloads?.started,
      `${workloads?.outdatedAtStart ?? 0} virtual machines run an outdated launcher`,
      'kubevirt_vmi_number_of_outdated',
      'workloads',
    ),
    ...evidence(
      workloads?.ended,
      'no virtual machine runs an outdated launcher',
      'kubevirt_vmi_number_of_outdated',
      'workloads',
    ),
    ...evidence(ended, endText, 'kubevirt_hco_system_health_status', 'settle'),
  ]
}
