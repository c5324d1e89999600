/** Merges the drafts of upgrades from several sources, and converts them to records with phases and evidence in order. */
import {
  type PhaseName,
  PHASES,
  type Evidence,
  type UpgradeDetail,
  type UpgradePhase,
  type UpgradeRecord,
} from '../../model/upgrade.ts'
import { idOf } from './id.ts'
import { latest, timesOf, type Moment } from './moment.ts'
import { bare, type DetailDraft, type PhaseDraft, type UpgradeDraft } from './upgrade-draft.ts'
import { type ClusterHistory } from './cluster-history.ts'
import { compareTexts } from '../version-order.ts'
import { nodesAtStart } from './nodes-at-start.ts'

export function toRecord(draft: UpgradeDraft, history: ClusterHistory): UpgradeRecord {
  const { operator, from, to, state, started, ended, channel, approval } = draft
  const { csvUid } = draft.detail
  const nodes = started === undefined ? undefined : (nodesAtStart(history, operator, started.atMs) ?? draft.nodes)
  // The id does not depend on when the upgrade was observed. With a CSV it is the id of the trace (facts wire 8.2).
  const identity = csvUid === undefined ? [operator, from ?? '', to, started?.atMs ?? ''] : [csvUid]
  const id = idOf('upgrade', history.cluster, ...identity)
  const phases = draft.phases
    .map((phase) => toPhase(phase, history))
    .sort((a, b) => rankOf(a.name) - rankOf(b.name) || compareTexts(a.name, b.name))
  return {
    upgrade: {
      ...{ id, cluster: history.cluster, operator },
      ...(from !== undefined && { from }),
      to,
      ...(channel !== undefined && { channel }),
      ...(approval !== undefined && { approval }),
      state,
      ...timesOf(draft),
      ...(nodes !== undefined && { nodes }),
      phases,
      evidence: evidenceOf(draft.evidence),
      resolutionSeconds: resolutionOf(history, started, ended),
    },
    detail: detailOf(draft, history),
  }
}

function toPhase({ name, state, started, ended }: PhaseDraft, history: ClusterHistory): UpgradePhase {
  return {
    name,
    ...timesOf({ started, ended }),
    state,
    resolutionSeconds: resolutionOf(history, started, ended),
    isReconstructed: (started?.isReconstructed ?? false) || (ended?.isReconstructed ?? false),
  }
}

function resolutionOf(history: ClusterHistory, ...moments: readonly (Moment | undefined)[]): number {
  const seconds = moments.map((moment) => {
    if (moment === undefined) return 1
    const { source, resolutionSeconds, atMs } = moment
    return source === 'objects' ? Math.max(resolutionSeconds, history.clockDoubtSeconds(atMs)) : resolutionSeconds
  })
  return Math.max(1, ...seconds)
}

/** `operands.<component>` follows `operands`, `platform.<pool>` follows `platform`. */
function rankOf(name: PhaseName): number {
  const exact = PHASES.indexOf(name as (typeof PHASES)[number])
  if (exact !== -1) return exact
  return PHASES.indexOf(name.startsWith('operands.') ? 'operands' : 'platform') + 0.5
}

/** Of more evidence, the first and the last observations. */
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
    ...(draft.progressMs.length > 0 && { lastProgressMs: Math.max(...draft.progressMs) }),
    observedUntilMs: observedUntil(draft, history),
    conditionChanges: draft.detail.conditionChanges ?? [],
    featureGateChanges: draft.detail.featureGateChanges ?? [],
  }
}

/** An upgrade that is over was observed until its last time; an open one until the last report of the cluster. */
function observedUntil(draft: UpgradeDraft, { newestMs }: ClusterHistory): number {
  if (isOpen(draft)) return newestMs ?? draft.lastSeenMs
  const moments = [draft, ...draft.phases].flatMap(({ started, ended }) => [started, ended])
  return latest(...moments)?.atMs ?? draft.lastSeenMs
}

export function isOpen({ state, phases }: Pick<UpgradeDraft, 'state' | 'phases'>): boolean {
  return state === 'in_progress' || phases.some((phase) => phase.state === 'in_progress')
}

/** Clocks differ, and a scrape is later than what it shows. */
const NEAR_MS = 5 * 60_000

/** The proven drafts, in the order of the better sources. @param sources the better ones first */
export function mergeDrafts(sources: readonly (readonly UpgradeDraft[])[]): readonly UpgradeDraft[] {
  const merged: UpgradeDraft[] = []
  for (const drafts of sources) {
    const known = merged.length
    for (const draft of drafts) {
      const i = drafts === sources[0] ? -1 : ownerOf(draft, merged, known)
      if (i === -1) merged.push(draft)
      else merged[i] = merge(merged[i]!, draft)
    }
  }
  return merged.filter(({ isProven, isInstallation }) => isProven && isInstallation !== true)
}

/** The newest attempt of a better source that is the same upgrade. */
function ownerOf(draft: UpgradeDraft, merged: readonly UpgradeDraft[], known: number): number {
  return merged.findLastIndex((other, i) => {
    if (i >= known || other.operator !== draft.operator || other.to !== draft.to) return false
    const [csvUid, otherUid] = [draft.detail.csvUid, other.detail.csvUid]
    if (csvUid !== undefined && otherUid !== undefined) return csvUid === otherUid
    const endMs = Math.max(other.ended?.atMs ?? other.lastSeenMs, other.anchorMs)
    // OLM may have installed the CSV long before HCO started.
    const reachedMs = other.isStartLate === true ? (draft.ended?.atMs ?? draft.lastSeenMs) : draft.anchorMs
    return other.anchorMs - NEAR_MS <= reachedMs && draft.sinceMs <= endMs + NEAR_MS
  })
}

/**
 * Objects are reported when they change and are listed every half hour, and their heartbeat is rounded down to the hour: an
 * upgrade that they report in progress continues until then, whatever another source reports.
 */
const OBJECTS_SILENT_MS = 2 * 60 * 60_000

export function merge(better: UpgradeDraft, worse: UpgradeDraft): UpgradeDraft {
  // If the better source stopped reporting during the upgrade, the other one has its outcome.
  const silentMs = better.source === 'objects' ? OBJECTS_SILENT_MS : 0
  const hasStopped = worse.lastSeenMs > better.lastSeenMs + silentMs
  const isDone = worse.state !== 'in_progress' && worse.state !== 'unknown'
  const isOutlived = better.state === 'in_progress' && isDone && hasStopped
  const takesOver =
    better.state === 'unknown' || (isOutlived && (worse.ended?.atMs ?? worse.lastSeenMs) > better.lastSeenMs)
  const outcome = takesOver && worse.state !== 'unknown' ? worse : better
  const isStartWorse = better.started === undefined || (better.isStartLate === true && worse.isStartLate !== true)
  const start = isStartWorse && worse.started !== undefined ? worse : better
  const own = hasStopped || isDone || !isCanaryUnproven(worse) ? worse.phases : withoutCanaryEnd(worse.phases)
  const phases = new Set([...better.phases, ...own].map(({ name }) => name))
  return {
    ...better,
    from: better.from ?? worse.from,
    isProven: better.isProven || worse.isProven,
    state: outcome.state,
    started: start.started,
    isStartLate: start.isStartLate === true,
    ended: better.ended ?? (outcome.state === 'in_progress' ? undefined : worse.ended),
    channel: better.channel ?? worse.channel,
    nodes: better.nodes ?? worse.nodes,
    approval: better.approval ?? worse.approval,
    phases: [...phases].map((name) => mergePhase(phaseOf(better.phases, name), phaseOf(own, name))),
    evidence: [...better.evidence, ...worse.evidence],
    progressMs:
      takesOver || better.source === worse.source
        ? [...better.progressMs, ...worse.progressMs]
        : progressOf(better, worse),
    lastSeenMs: Math.max(better.lastSeenMs, worse.lastSeenMs),
    detail: mergeDetail(better.detail, worse.detail),
  }
}

/** A scrape shows the progress of objects later: it counts only after the last report of the better source. */
function progressOf(better: UpgradeDraft, worse: UpgradeDraft): readonly number[] {
  const own = worse.progressMs.filter((ms) => ms > better.lastSeenMs)
  return better.progressMs.length === 0 ? worse.progressMs : [...better.progressMs, ...own]
}

function phaseOf(phases: readonly PhaseDraft[], name: PhaseName): PhaseDraft | undefined {
  return phases.find((phase) => phase.name === name)
}

/** A scraped virt-handler need not be ready; virt-operator updates a second node only after the first one is. */
function isCanaryUnproven({ source, detail }: UpgradeDraft): boolean {
  return source === 'metrics' && (detail.virtHandler?.updated ?? 0) <= 1
}

function withoutCanaryEnd(phases: readonly PhaseDraft[]): readonly PhaseDraft[] {
  return phases.map((phase) => {
    if (phase.name === 'virt_handler.canary') return { ...phase, state: 'unknown', ended: undefined }
    return phase.name === 'virt_handler.waves' ? bare(phase.name, 'unknown') : phase
  })
}

function mergePhase(better: PhaseDraft | undefined, worse: PhaseDraft | undefined): PhaseDraft {
  if (better === undefined || worse === undefined) return (better ?? worse)!
  if (better.state === 'unknown') {
    const started = better.started ?? worse.started
    return { name: better.name, state: worse.state, started, ended: better.ended ?? worse.ended }
  }
  const isFurther = better.state === 'in_progress' || better.state === 'pending'
  // The better source reports it in progress: a later end of the other source counts.
  if (isFurther && worse.state === 'succeeded' && isAfter(worse.ended, better.started)) {
    return { name: better.name, state: 'succeeded', started: better.started ?? worse.started, ended: worse.ended }
  }
  return { ...better, started: better.started ?? (better.state === 'skipped' ? undefined : worse.started) }
}

function isAfter(moment: Moment | undefined, other: Moment | undefined): boolean {
  return moment !== undefined && (other === undefined || moment.atMs >= other.atMs)
}

function mergeDetail(better: DetailDraft, worse: DetailDraft): DetailDraft {
  const known = Object.entries(better).filter(
    ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
  )
  return { ...worse, ...Object.fromEntries(known) }
}
