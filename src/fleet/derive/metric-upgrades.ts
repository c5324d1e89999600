/**
 * Upgrades of HCO as metrics show them, exact to a scrape (facts 5.5, last paragraph): OLM's part by the CSVs, KubeVirt's
 * by the nodes, the end by HCO's health. Where nothing shows a time, it is unknown; nothing is put in its place.
 */
import { compareVersions } from '../version-order.ts'
import type { MetricRun } from '../../model/observation.ts'
import type { PhaseName, UpgradeState } from '../../model/upgrade.ts'
import type { ClusterHistory } from './cluster-history.ts'
import { hasFailedFinally } from './csv-path.ts'
import { csvSightings, succeededBefore } from './csv-sightings.ts'
import type { CsvSighting } from './csv-sightings.ts'
import { evidence } from './hco-evidence.ts'
import { phase } from './hco-phases.ts'
import { metricEnd } from './metric-end.ts'
import { metricRollout, metricWorkloads } from './metric-rollout.ts'
import type { MetricRollout, MetricWorkloads } from './metric-rollout.ts'
import { scrapeMoment } from './moment.ts'
import type { Moment } from './moment.ts'
import { bare } from './upgrade-draft.ts'
import type { PhaseDraft, UpgradeDraft } from './upgrade-draft.ts'
import { wavesOf } from './virt-handler-rollout.ts'

export function metricUpgrades(history: ClusterHistory): readonly UpgradeDraft[] {
  const sightings = csvSightings(history)
  const heardMs = Math.max(0, ...history.runs('csv_succeeded').map(({ lastMs }) => lastMs))
  return sightings.flatMap((sighting, i) => {
    const from = fromOf(sighting, sightings, history)
    if (from === undefined || from === sighting.version) return []
    return [draftOf(sighting, from, sightings.slice(i + 1), history, heardMs)]
  })
}

/** The version that ran when this one came. At the beginning of the history, the older of two that stand side by side. */
function fromOf(sighting: CsvSighting, sightings: readonly CsvSighting[], history: ClusterHistory): string | undefined {
  const { firstMs, beforeMs, version } = sighting
  if (beforeMs !== undefined) return succeededBefore(history, firstMs)
  const beside = sightings.filter((other) => other.firstMs === firstMs && other.version !== version)
  const isLeaving = (other: CsvSighting): boolean => other.phases.some(({ labels }) => labels['phase'] === 'Replacing')
  return beside.filter(isLeaving).sort((a, b) => compareVersions(a.version, b.version))[0]?.version
}

function draftOf(
  sighting: CsvSighting,
  from: string,
  later: readonly CsvSighting[],
  history: ClusterHistory,
  heardMs: number,
): UpgradeDraft {
  const { version: to, firstMs, beforeMs, succeeded, phases } = sighting
  const next = later.find((other) => other.succeeded !== undefined || other.phases.some(hasBegun))
  const range = { fromMs: firstMs, toMs: next?.firstMs ?? Infinity }
  const rollout = metricRollout(history, range)
  const end = metricEnd(history, sighting, rollout, range)
  const outcome = succeeded === undefined ? unfinished(sighting, from, next) : end
  const started = scrapeMoment(firstMs, beforeMs)
  const done = end.kubevirt ?? rollout?.ended
  const workloads = done === undefined ? undefined : metricWorkloads(history, done, range.toMs)
  const moved = typeof workloads === 'object' ? workloads : undefined
  const subscription = subscriptionAt(history, firstMs)
  const approval = subscription?.labels['approval']
  return {
    ...{ operator: 'kubevirt-hyperconverged', source: 'metrics', from, to, isProven: true, heardMs },
    ...{ anchorMs: firstMs, sinceMs: beforeMs ?? -Infinity, state: outcome.state, started, ended: outcome.ended },
    channel: subscription?.labels['channel'],
    approval: approval === 'Manual' || approval === 'Automatic' ? approval : undefined,
    phases: [
      ...[bare('offered', 'unknown'), bare('approval', 'unknown')],
      ...olmPhases(sighting, started, outcome.state),
      ...operandPhases(rollout, end.kubevirt, outcome.state),
      ...handlerPhases(history, rollout, outcome.state),
      { name: 'settle', state: 'unknown', ended: outcome.state === 'succeeded' ? outcome.ended : undefined },
      workloadsPhase(history, rollout, workloads, outcome.state),
    ],
    evidence: evidenceOf(
      sighting,
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
      csvSteps: [],
      components: rollout === undefined ? [] : [componentOf(rollout, end.kubevirt)],
      virtHandler: rollout === undefined ? undefined : handlerOf(rollout),
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
function unfinished({ phases, lastMs, afterMs }: CsvSighting, from: string, next: CsvSighting | undefined): Outcome {
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

function firstOf(phases: readonly MetricRun[], ...names: readonly string[]): MetricRun | undefined {
  return phases.find(({ labels }) => names.includes(labels['phase'] ?? ''))
}

function momentOf(run: MetricRun | undefined): Moment | undefined {
  return run === undefined ? undefined : scrapeMoment(run.firstMs, run.beforeMs)
}

function olmPhases(
  { phases, succeeded }: CsvSighting,
  started: Moment | undefined,
  state: UpgradeState,
): readonly PhaseDraft[] {
  const installing = firstOf(phases, 'Installing')
  const first = firstOf(phases, 'InstallReady', 'Installing', 'Failed')
  // In a loop it comes again; only what comes first is the step itself.
  const ready = first?.labels['phase'] === 'InstallReady' ? first : undefined
  const isPendingSeen = firstOf(phases, 'Pending') !== undefined
  const leftPending = isPendingSeen ? (momentOf(firstOf(phases, 'InstallReady', 'Installing')) ?? succeeded) : undefined
  const seen = (
    name: PhaseName,
    run: MetricRun | undefined,
    ended: Moment | undefined,
    isLater: boolean,
  ): PhaseDraft => {
    if (run !== undefined) return phase(name, state, momentOf(run), ended)
    return bare(name, isLater && state === 'in_progress' ? 'pending' : 'unknown')
  }
  const isOpen = succeeded === undefined
  return [
    phase('olm', state, started, succeeded),
    isPendingSeen ? phase('olm.pending', state, started, leftPending) : bare('olm.pending', 'unknown'),
    seen('olm.install_ready', ready, momentOf(installing) ?? succeeded, isOpen && installing === undefined),
    seen('olm.installing', installing, succeeded, isOpen),
  ]
}

/** What HCO does is not shown; KubeVirt's end is, by the health that its update spoils. */
function operandPhases(
  rollout: MetricRollout | undefined,
  kubevirt: Moment | undefined,
  state: UpgradeState,
): readonly PhaseDraft[] {
  if (rollout === undefined) return [bare('operands', 'unknown')]
  return [
    bare('operands', 'unknown'),
    kubevirt === undefined
      ? bare('operands.kubevirt', 'unknown')
      : phase('operands.kubevirt', state, undefined, kubevirt),
  ]
}

function handlerPhases(
  history: ClusterHistory,
  rollout: MetricRollout | undefined,
  state: UpgradeState,
): readonly PhaseDraft[] {
  const names = ['virt_handler.canary', 'virt_handler.waves'] as const
  if (rollout === undefined) {
    const isSkipped = state === 'succeeded' && history.runs('kubevirt_nodes').length > 0
    return names.map((name) => bare(name, isSkipped ? 'skipped' : 'unknown'))
  }
  const { started, canary, ended, nodes } = rollout
  const waves = nodes <= 1 ? bare(names[1], 'skipped') : phase(names[1], state, canary, ended)
  return [phase(names[0], state, started, canary), waves]
}

function workloadsPhase(
  history: ClusterHistory,
  rollout: MetricRollout | undefined,
  workloads: MetricWorkloads | 'none' | undefined,
  state: UpgradeState,
): PhaseDraft {
  if (workloads === 'none') return bare('workloads', state === 'succeeded' ? 'skipped' : 'unknown')
  if (workloads !== undefined) return phase('workloads', 'in_progress', workloads.started, workloads.ended)
  const isSkipped = rollout === undefined && state === 'succeeded' && history.runs('kubevirt_nodes').length > 0
  return bare('workloads', isSkipped ? 'skipped' : 'unknown')
}

function componentOf(
  { from, to }: MetricRollout,
  ended: Moment | undefined,
): NonNullable<UpgradeDraft['detail']['components']>[number] {
  return {
    name: 'kubevirt',
    ...(from !== undefined && { from }),
    to,
    ...(ended !== undefined && { endedMs: ended.atMs }),
    state: ended === undefined ? 'in_progress' : 'succeeded',
  }
}

function handlerOf({ nodes, updated, started, canary, ended }: MetricRollout): UpgradeDraft['detail']['virtHandler'] {
  return {
    ...{ desired: nodes, updated, ready: updated, waves: wavesOf(nodes) },
    ...(started !== undefined && { startedMs: started.atMs }),
    ...(canary !== undefined && { canaryMs: canary.atMs }),
    ...(ended !== undefined && { endedMs: ended.atMs }),
  }
}

function subscriptionAt(history: ClusterHistory, timeMs: number): MetricRun | undefined {
  const runs = history.runs('subscription')
  return runs.findLast(({ firstMs }) => firstMs <= timeMs) ?? runs[0]
}

function evidenceOf(
  { version, phases, succeeded }: CsvSighting,
  started: Moment | undefined,
  rollout: MetricRollout | undefined,
  workloads: MetricWorkloads | undefined,
  ended: Moment | undefined,
  endText: string,
): UpgradeDraft['evidence'] {
  const csv = `csv_succeeded{version="${version}"}`
  const told = phases.slice(0, 12)
  return [
    ...evidence(started, `CSV ${version} appears`, csv, 'olm'),
    ...told.flatMap((run) => {
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
