/** Upgrades of HCO from its objects, exact to the second, with their evidence. */
import type { ClusterHistory } from './cluster-history.ts'
import { componentPaths, toComponent } from './component-upgrade.ts'
import { conditionChanges, featureGateChanges } from './condition-changes.ts'
import { csvProgress } from './csv-path.ts'
import { ATTEMPTS_MAX, hcoAttempts, type Attempt } from './hco-attempts.ts'
import { hcoEvidence } from './hco-evidence.ts'
import { hasBegun, outcomeOf, type Outcome } from './hco-outcome.ts'
import { hcoPhases } from './hco-phases.ts'
import { knownMs, latest, ownMoment, timesOf } from './moment.ts'
import { subscriptionAt } from './olm-offer.ts'
import type { Span } from './states-in-time.ts'
import type { DetailDraft, UpgradeDraft } from './upgrade-draft.ts'
import { isHandlerObserved, toVirtHandler, virtHandlerRollout } from './virt-handler-rollout.ts'
import { workloadPhase, workloadsOf } from './workload-phase.ts'

export const HCO = 'kubevirt-hyperconverged'

/** In order of time, including drafts that are not proven to be upgrades; of the newest `ATTEMPTS_MAX` attempts. */
export function hcoUpgrades(history: ClusterHistory): readonly UpgradeDraft[] {
  const attempts = hcoAttempts(history).slice(-ATTEMPTS_MAX)
  const lastSeenMs = history.newestObjectMs ?? 0
  const last = attempts.findLastIndex(({ csv, window }) => csv !== undefined || window !== undefined)
  const drafts: UpgradeDraft[] = []
  let next: Attempt | undefined
  for (const [i, attempt] of [...attempts.entries()].reverse()) {
    const isOffer = attempt.csv === undefined && attempt.window === undefined
    // An offer before a later attempt is obsolete.
    if (!isOffer || i > last) {
      drafts.push(draftOf(attempt, outcomeOf(attempt, next, history), attempts[i - 1], history, lastSeenMs))
    }
    if (hasBegun(attempt)) next = attempt
  }
  return drafts.reverse()
}

function draftOf(
  attempt: Attempt,
  outcome: Outcome,
  previous: Attempt | undefined,
  history: ClusterHistory,
  lastSeenMs: number,
): UpgradeDraft {
  const { csv, offer, window, steps, from, to, anchorMs, isProven, isInstallation } = attempt
  const range = operandRange(attempt, previous, outcome.next)
  const isOver = outcome.state !== 'in_progress'
  const components = componentPaths(history, range, isOver)
  const kubevirt = components.find(({ name }) => name === 'kubevirt')
  const rollout = virtHandlerRollout(history, range)
  const kubevirtEnd = kubevirt?.state === 'succeeded' ? kubevirt.ended : undefined
  const workloads = kubevirtEnd === undefined ? undefined : workloadPhase(history, kubevirtEnd, range.toMs)
  const csvCreated = csv === undefined ? undefined : ownMoment(csv.createdMs ?? anchorMs)
  const phases = hcoPhases({
    ...{ state: outcome.state, ended: outcome.ended, offer, csvCreated, steps, window, components, rollout, workloads },
    isHandlerObserved: isHandlerObserved(history, range),
    isOvertaken: outcome.next !== undefined,
  })
  // Before the CSV there are only phases: the upgrade has not started. Without OLM it starts with HCO.
  const started = csvCreated ?? window?.started
  const subscription = subscriptionAt(history, started?.atMs ?? anchorMs)
  const approval =
    offer?.approval ??
    (subscription === undefined ? undefined : subscription.approval === 'Manual' ? 'Manual' : 'Automatic')
  const moved = typeof workloads === 'object' ? workloads : undefined
  const isOpen = !isOver || (moved !== undefined && moved.ended === undefined && outcome.next === undefined)
  const lastEnd = latest(...phases.map(({ ended }) => ended), outcome.ended)
  const changesUntilMs = isOpen ? lastSeenMs : (lastEnd?.atMs ?? lastSeenMs)
  const reached = outcome.state === 'succeeded' ? outcome.ended : undefined
  return {
    ...{
      operator: HCO,
      source: 'objects',
      from,
      to,
      isProven,
      isInstallation,
      anchorMs,
      sinceMs: anchorMs,
      lastSeenMs,
    },
    ...{
      state: outcome.state,
      started,
      isStartLate: csvCreated === undefined && started !== undefined,
      ended: outcome.ended,
      phases,
    },
    channel: offer?.channel ?? subscription?.channel,
    approval,
    evidence: hcoEvidence(attempt, outcome, components, rollout, moved),
    progressMs: [
      ...knownMs(started, offer?.plan?.approved, window?.started, reached),
      ...csvProgress(steps),
      ...components.flatMap(({ started, ended }) => knownMs(started, ended)),
      ...(rollout?.progressMs ?? []),
      ...(moved?.progressMs ?? []),
    ],
    detail: {
      ...identityOf(attempt),
      csvSteps: csvStepsOf(attempt),
      components: components.map(toComponent),
      hco: window && timesOf(window),
      virtHandler: rollout && toVirtHandler(rollout),
      workloads: kubevirtEnd && workloadsOf(history, workloads, kubevirtEnd.atMs, range.toMs),
      ...changesWithin(history, { fromMs: started?.atMs ?? anchorMs, toMs: Math.min(changesUntilMs, range.toMs) }),
    },
  }
}

/** The range of its operands: from its start, or the end of the previous attempt, to the start of the next one. */
function operandRange(attempt: Attempt, previous: Attempt | undefined, next: Attempt | undefined): Span {
  const previousEndMs = previous?.window?.ended?.atMs ?? -Infinity
  const installing = next?.steps.find(({ phase }) => phase === 'Installing')?.started.atMs
  const toMs = next === undefined ? Infinity : Math.max(installing ?? next.anchorMs, next.anchorMs)
  return { fromMs: Math.max(attempt.anchorMs, previousEndMs), toMs }
}

function identityOf({ csv, offer }: Attempt): DetailDraft {
  const namespace = csv?.namespace ?? offer?.plan?.namespace ?? offer?.subscription?.namespace
  return {
    csvName: csv?.name ?? offer?.csvName,
    csvUid: csv?.uid,
    namespace,
    subscription: offer?.subscription?.name,
    installPlan: offer?.plan?.name,
    replaces: csv?.states.at(-1)!.facts.replaces,
  }
}

/** A CSV may loop forever: the first and the latest steps are enough. */
const STEPS_MAX = 60
const FIRST_STEPS = 10

function csvStepsOf({ steps, csv }: Attempt): DetailDraft['csvSteps'] {
  const all = steps.map(({ phase, reason, started }, i) => {
    const endedMs = steps[i + 1]?.started.atMs ?? csv?.gone?.atMs
    return { phase, reason, startedMs: started.atMs, ...(endedMs !== undefined && { endedMs }) }
  })
  return all.length <= STEPS_MAX ? all : [...all.slice(0, FIRST_STEPS), ...all.slice(FIRST_STEPS - STEPS_MAX)]
}

/** The newest ones: an upgrade that hangs for weeks changes conditions all the time. */
const CHANGES_MAX = 200

function changesWithin(history: ClusterHistory, range: Span): DetailDraft {
  return {
    conditionChanges: conditionChanges(history, range).slice(-CHANGES_MAX),
    featureGateChanges: featureGateChanges(history, range).slice(-CHANGES_MAX),
  }
}
