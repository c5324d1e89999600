/** A draft becomes the record: times without where they came from, phases in their order, evidence in its. */
import { PHASES } from '../../model/upgrade.ts'
import type { Evidence, PhaseName, UpgradeDetail, UpgradePhase, UpgradeRecord } from '../../model/upgrade.ts'
import { compareTexts } from './cluster-history.ts'
import type { ClusterHistory } from './cluster-history.ts'
import { nodesAtStart } from './nodes-at-start.ts'
import { csvUpgradeId, edgeUpgradeId } from './upgrade-id.ts'
import type { PhaseDraft, UpgradeDraft } from './upgrade-draft.ts'

export function toRecord(draft: UpgradeDraft, history: ClusterHistory): UpgradeRecord {
  const { operator, from, to, state, started, ended, channel, approval } = draft
  const { csvUid } = draft.detail
  const nodes = started === undefined ? undefined : (nodesAtStart(history, operator, started.atMs) ?? draft.nodes)
  const id =
    csvUid === undefined
      ? edgeUpgradeId(history.cluster, operator, from, to, started?.atMs)
      : csvUpgradeId(history.cluster, csvUid)
  const phases = draft.phases
    .map(toPhase)
    .sort((a, b) => rankOf(a.name) - rankOf(b.name) || compareTexts(a.name, b.name))
  return {
    upgrade: {
      ...{ id, cluster: history.cluster, operator },
      ...(from !== undefined && { from }),
      to,
      ...(channel !== undefined && { channel }),
      ...(approval !== undefined && { approval }),
      state,
      ...(started !== undefined && { startedMs: started.atMs }),
      ...(ended !== undefined && { endedMs: ended.atMs }),
      ...(nodes !== undefined && { nodes }),
      phases,
      evidence: evidenceOf(draft.evidence),
      resolutionSeconds: Math.max(1, started?.resolutionSeconds ?? 1, ended?.resolutionSeconds ?? 1),
    },
    detail: detailOf(draft, history),
  }
}

function toPhase({ name, state, started, ended }: PhaseDraft): UpgradePhase {
  return {
    name,
    ...(started !== undefined && { startedMs: started.atMs }),
    ...(ended !== undefined && { endedMs: ended.atMs }),
    state,
    resolutionSeconds: Math.max(1, started?.resolutionSeconds ?? 1, ended?.resolutionSeconds ?? 1),
    isReconstructed: (started?.isReconstructed ?? false) || (ended?.isReconstructed ?? false),
  }
}

/** `operands.<component>` stands after `operands`, `platform.<pool>` after `platform`. */
function rankOf(name: PhaseName): number {
  const exact = PHASES.indexOf(name as (typeof PHASES)[number])
  if (exact !== -1) return exact
  return PHASES.indexOf(name.startsWith('operands.') ? 'operands' : 'platform') + 0.5
}

/** More is noise to a reader: the first and the last ones tell it. */
const EVIDENCE_MAX = 120

function evidenceOf(evidence: readonly Evidence[]): readonly Evidence[] {
  const byText = new Map(evidence.map((item) => [JSON.stringify(item), item]))
  const sorted = [...byText.values()].sort(
    (a, b) =>
      a.atMs - b.atMs || compareTexts(a.source, b.source) || compareTexts(a.text, b.text) || compareTexts(a.ref, b.ref),
  )
  if (sorted.length <= EVIDENCE_MAX) return sorted
  return [...sorted.slice(0, EVIDENCE_MAX / 2), ...sorted.slice(-EVIDENCE_MAX / 2)]
}

function detailOf(draft: UpgradeDraft, history: ClusterHistory): UpgradeDetail {
  const { csvName, csvUid, namespace, subscription, installPlan, replaces, hco, virtHandler, workloads } = draft.detail
  const progressMs = draft.progressMs.length === 0 ? undefined : Math.max(...draft.progressMs)
  return {
    ...(csvName !== undefined && { csvName }),
    ...(csvUid !== undefined && { csvUid }),
    ...(namespace !== undefined && { namespace }),
    ...(subscription !== undefined && { subscription }),
    ...(installPlan !== undefined && { installPlan }),
    ...(replaces !== undefined && { replaces }),
    csvSteps: draft.detail.csvSteps ?? [],
    components: draft.detail.components ?? [],
    ...(hco !== undefined && { hco }),
    ...(virtHandler !== undefined && { virtHandler }),
    ...(workloads !== undefined && { workloads }),
    ...(progressMs !== undefined && { lastProgressMs: progressMs }),
    observedUntilMs: observedUntil(draft, history),
    conditionChanges: draft.detail.conditionChanges ?? [],
    featureGateChanges: draft.detail.featureGateChanges ?? [],
  }
}

/** An upgrade that is over was observed until its last time; an open one until the cluster was last heard. */
function observedUntil(draft: UpgradeDraft, { newestMs }: ClusterHistory): number {
  if (isOpen(draft)) return newestMs ?? draft.heardMs
  const moments = [draft.started, draft.ended, ...draft.phases.flatMap(({ started, ended }) => [started, ended])]
  const times = moments.flatMap((moment) => (moment === undefined ? [] : [moment.atMs]))
  return times.length === 0 ? draft.heardMs : Math.max(...times)
}

export function isOpen({ state, phases }: Pick<UpgradeDraft, 'state' | 'phases'>): boolean {
  return state === 'in_progress' || phases.some((phase) => phase.state === 'in_progress')
}
