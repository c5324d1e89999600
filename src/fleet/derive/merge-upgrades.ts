/**
 * Drafts of several sources about one upgrade become one. Objects count over spans over metrics, phase by phase and time
 * by time: a worse source fills in what the better ones leave unknown and never overrules them.
 */
import type { PhaseName } from '../../model/upgrade.ts'
import type { Moment } from './moment.ts'
import type { DetailDraft, PhaseDraft, UpgradeDraft } from './upgrade-draft.ts'

/** Clocks differ, and a scrape is later than what it shows. */
const NEAR_MS = 5 * 60_000

/** Those that something proves, in the order of the better sources. @param sources the better ones first */
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
  return merged.filter(({ isProven }) => isProven)
}

/** The newest attempt of a better source at the same version that this one is about. */
function ownerOf(draft: UpgradeDraft, merged: readonly UpgradeDraft[], known: number): number {
  return merged.findLastIndex((other, i) => {
    if (i >= known || other.operator !== draft.operator || other.to !== draft.to) return false
    const [csvUid, otherUid] = [draft.detail.csvUid, other.detail.csvUid]
    if (csvUid !== undefined && otherUid !== undefined) return csvUid === otherUid
    const endMs = Math.max(other.ended?.atMs ?? other.heardMs, other.anchorMs)
    return other.anchorMs - NEAR_MS <= draft.anchorMs && draft.sinceMs <= endMs + NEAR_MS
  })
}

/** @param better of the source that counts more */
export function merge(better: UpgradeDraft, worse: UpgradeDraft): UpgradeDraft {
  // Where the better source fell silent in the middle, the other one says how it went on.
  const isOutlived = better.state === 'in_progress' && worse.state !== 'in_progress' && worse.state !== 'unknown'
  const takesOver = better.state === 'unknown' || (isOutlived && (worse.ended?.atMs ?? worse.heardMs) > better.heardMs)
  const outcome = takesOver && worse.state !== 'unknown' ? worse : better
  const operandsOf = phaseNames(better.phases, worse.phases)
  return {
    ...better,
    from: better.from ?? worse.from,
    isProven: better.isProven || worse.isProven,
    state: outcome.state,
    started: better.started ?? worse.started,
    ended: better.ended ?? (outcome.state === 'in_progress' ? undefined : worse.ended),
    channel: better.channel ?? worse.channel,
    nodes: better.nodes ?? worse.nodes,
    approval: better.approval ?? worse.approval,
    phases: operandsOf.map((name) => mergePhase(phaseOf(better, name), phaseOf(worse, name))),
    evidence: [...better.evidence, ...worse.evidence],
    progressMs:
      takesOver || better.source === worse.source
        ? [...better.progressMs, ...worse.progressMs]
        : progressOf(better, worse),
    heardMs: Math.max(better.heardMs, worse.heardMs),
    detail: mergeDetail(better.detail, worse.detail),
  }
}

/** A scrape shows late what an object said: it is no progress of its own, unless it tells of more. */
function progressOf(better: UpgradeDraft, worse: UpgradeDraft): readonly number[] {
  const own = worse.progressMs.filter((ms) => ms > better.heardMs)
  return better.progressMs.length === 0 ? worse.progressMs : [...better.progressMs, ...own]
}

function phaseNames(better: readonly PhaseDraft[], worse: readonly PhaseDraft[]): readonly PhaseName[] {
  return [...new Set([...better, ...worse].map(({ name }) => name))]
}

function phaseOf(draft: UpgradeDraft, name: PhaseName): PhaseDraft | undefined {
  return draft.phases.find((phase) => phase.name === name)
}

function mergePhase(better: PhaseDraft | undefined, worse: PhaseDraft | undefined): PhaseDraft {
  if (better === undefined || worse === undefined) return (better ?? worse)!
  if (better.state === 'unknown') {
    const started = better.started ?? worse.started
    return { name: better.name, state: worse.state, started, ended: better.ended ?? worse.ended }
  }
  const isFurther = better.state === 'in_progress' || better.state === 'pending'
  // The better source says that it runs; that it ended is only believed of one that speaks later.
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
