/**
 * Upgrades of HCO from metrics, exact to a scrape (facts 5.5, last paragraph): OLM's phases by the CSVs, KubeVirt's by the
 * nodes, the end by HCO's health. Times that are not observed are unknown.
 */
import { compareVersions } from '../version-order.ts'
import type { MetricRun } from '../../model/observation.ts'
import type { ComponentUpgrade, Evidence } from '../../model/upgrade.ts'
import type { ClusterHistory } from './cluster-history.ts'
import { toComponent } from './component-upgrade.ts'
import { hasFailedFinally } from './csv-path.ts'
import { csvPresences, isPending, succeededBefore, type CsvPresence } from './csv-presences.ts'
import { evidence } from './hco-evidence.ts'
import { metricEnd, type MetricEnd } from './metric-end.ts'
import { firstOf, metricPhases } from './metric-phases.ts'
import {
  metricRollout,
  metricRolloutBegun,
  metricWorkloads,
  nextRolloutMs,
  rolloutEvidence,
  type MetricRollout,
  type MetricWorkloads,
} from './metric-rollout.ts'
import { knownMs, runMoment, scrapeMoment, type Moment } from './moment.ts'
import { bare, type UpgradeDraft } from './upgrade-draft.ts'
import { toVirtHandler } from './virt-handler-rollout.ts'
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

/** The previous version; at the beginning of the history, the older of two that exist at the same time. */
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
  const next = later.find((other) => other.begunMs !== undefined)
  const range = { fromMs: changesFromMs(presence), toMs: next?.begunMs ?? Infinity }
  const begun = succeeded === undefined ? undefined : metricRolloutBegun(history, { ...range, fromMs: succeeded.atMs })
  const rollout = metricRollout(history, range) ?? begun
  const end = metricEnd(history, presence, rollout, range)
  const outcome = succeeded === undefined ? unfinished(presence, from, next) : end
  const started = scrapeMoment(firstMs, beforeMs)
  const done = end.kubevirt ?? rollout?.ended
  const updatesToMs = done === undefined ? Infinity : nextRolloutMs(history, done.atMs)
  const workloads = done === undefined ? undefined : metricWorkloads(history, done, updatesToMs)
  const moved = typeof workloads === 'object' ? workloads : undefined
  const reached = outcome.state === 'succeeded' ? outcome.ended : undefined
  const subscription = subscriptionAt(history, firstMs)
  const approval = subscription?.labels['approval']
  return {
    ...{ operator: 'kubevirt-hyperconverged', source: 'metrics', from, to, isProven: true, lastSeenMs },
    ...{ anchorMs: firstMs, sinceMs: beforeMs ?? -Infinity, state: outcome.state, started, ended: outcome.ended },
    channel: subscription?.labels['channel'],
    approval: approval === 'Manual' || approval === 'Automatic' ? approval : undefined,
    phases: [
      ...[bare('offered', 'unknown'), bare('approval', 'unknown')],
      ...metricPhases(history, { presence, rollout, workloads, started, end, state: outcome.state }),
    ],
    evidence: evidenceOf(presence, started, rollout, moved, reached, end.text),
    progressMs: [
      ...knownMs(started, succeeded, reached),
      ...['InstallReady', 'Installing'].flatMap((name) => firstOf(phases, name)?.firstMs ?? []),
      ...(rollout?.progressMs ?? []),
      ...(moved?.progressMs ?? []),
    ],
    detail: {
      csvSteps: csvStepsOf(presence),
      components: rollout === undefined ? [] : [componentOf(rollout, end.kubevirt)],
      virtHandler: rollout && toVirtHandler({ ...rollout, desired: rollout.nodes }),
      workloads: moved && workloadsOf(history, moved, moved.started.atMs, updatesToMs),
    },
  }
}

/** While its CSV is Pending, the changes of nodes and health belong to the previous upgrade. */
function changesFromMs({ begunMs, firstMs, phases }: CsvPresence): number {
  return begunMs ?? (phases.some(isPending) ? Infinity : firstMs)
}

type Outcome = Pick<MetricEnd, 'state' | 'ended'>

function unfinished({ phases, lastMs, afterMs }: CsvPresence, from: string, next: CsvPresence | undefined): Outcome {
  const last = phases.findLast(({ labels }) => labels['phase'] !== 'Replacing' && labels['phase'] !== 'Deleting')
  const hasFailed = last?.labels['phase'] === 'Failed'
  const failed = runMoment(last)
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

function componentOf({ from, to }: MetricRollout, ended: Moment | undefined): ComponentUpgrade {
  const state = ended === undefined ? 'in_progress' : 'succeeded'
  return toComponent({ name: 'kubevirt', from, to, started: undefined, ended, state, message: undefined })
}

/** A CSV may loop forever: its latest steps are enough. */
const STEPS_MAX = 60

/** Phases shorter than a scrape interval are missing. */
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
  return [
    ...evidence(started, `CSV ${version} appears`, csv, 'olm'),
    ...phases.slice(0, 12).flatMap((run) => {
      const { phase: name = '', reason = '' } = run.labels
      const text = `CSV ${version} is ${name}${reason === '' ? '' : ` (${reason})`}`
      return evidence(runMoment(run), text, `csv_abnormal{version="${version}"}`, 'olm')
    }),
    ...evidence(succeeded, `CSV ${version} is Succeeded`, csv, 'olm'),
    ...(rollout === undefined ? [] : rolloutEvidence(rollout)),
    ...(workloads === undefined ? [] : workloadEvidence(workloads)),
    ...evidence(ended, endText, 'kubevirt_hco_system_health_status', 'settle'),
  ]
}

const OUTDATED = 'kubevirt_vmi_number_of_outdated'

function workloadEvidence({ started, ended, outdatedAtStart }: MetricWorkloads): readonly Evidence[] {
  return [
    ...evidence(started, `${outdatedAtStart} VMs run an outdated virt-launcher`, OUTDATED, 'workloads'),
    ...evidence(ended, 'no VM runs an outdated virt-launcher', OUTDATED, 'workloads'),
  ]
}
