/** Upgrades of HCO as its objects tell them: exact to the second, with why it is believed. */
import type { ClusterHistory } from './cluster-history.ts'
import { componentPaths, toComponent, type Span } from './component-upgrade.ts'
import { conditionChanges, featureGateChanges } from './condition-changes.ts'
import { csvProgress } from './csv-path.ts'
import { hcoAttempts, type Attempt } from './hco-attempts.ts'
import { hcoEvidence } from './hco-evidence.ts'
import { outcomeOf, type Outcome } from './hco-outcome.ts'
import { hcoPhases } from './hco-phases.ts'
import { ownMoment, type Moment } from './moment.ts'
import { subscriptionAt } from './olm-offer.ts'
import type { DetailDraft, UpgradeDraft } from './upgrade-draft.ts'
import { hasVirtHandler, toVirtHandler, virtHandlerRollout } from './virt-handler-rollout.ts'
import { workloadPhase, workloadsOf } from './workload-phase.ts'

export const HCO = 'kubevirt-hyperconverged'

/** In order of time. Drafts that nothing proves to be upgrades are among them. */
export function hcoUpgrades(history: ClusterHistory): readonly UpgradeDraft[] {
  const attempts = hcoAttempts(history)
  const lastSeenMs = history.newestObjectMs ?? 0
  return attempts.flatMap((attempt, i) => {
    const isOffer = attempt.csv === undefined && attempt.window === undefined
    const isLast = !attempts.slice(i + 1).some(({ csv, window }) => csv !== undefined || window !== undefined)
    // An offer that another attempt has overtaken is none.
    if (isOffer && !isLast) return []
    return [draftOf(attempt, outcomeOf(attempts, i, history), attempts[i - 1], history, lastSeenMs)]
  })
}

function draftOf(
  attempt: Attempt,
  outcome: Outcome,
  previous: Attempt | undefined,
  history: ClusterHistory,
  lastSeenMs: number,
): UpgradeDraft {
  const { csv, offer, window, steps, from, to, anchorMs, isProven } = attempt
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
    isHandlerReported: hasVirtHandler(history),
    isOvertaken: outcome.next !== undefined,
  })
  // What comes before a CSV is waiting: it has phases of its own, and the upgrade has not begun.
  const started = csvCreated ?? window?.started
  const subscription = subscriptionAt(history, started?.atMs ?? anchorMs)
  const approval =
    offer?.approval ??
    (subscription === undefined ? undefined : subscription.approval === 'Manual' ? 'Manual' : 'Automatic')
  const isOpenWork = typeof workloads === 'object' && workloads.ended === undefined && outcome.next === undefined
  return {
    ...{
      operator: HCO,
      source: 'objects',
      from,
      to,
      isProven,
      anchorMs,
      sinceMs: anchorMs,
      lastSeenMs,
      state: outcome.state,
    },
    ...{ started, ended: outcome.ended, phases },
    channel: offer?.channel ?? subscription?.channel,
    approval,
    evidence: hcoEvidence(attempt, outcome, components, rollout, typeof workloads === 'object' ? workloads : undefined),
    progressMs: [
      ...[
        started,
        offer?.plan?.approved,
        window?.started,
        outcome.state === 'succeeded' ? outcome.ended : undefined,
      ].flatMap(timeOf),
      ...csvProgress(steps),
      ...components.flatMap(({ started, ended }) => [started, ended].flatMap(timeOf)),
      ...(rollout?.progressMs ?? []),
      ...(typeof workloads === 'object' ? workloads.progressMs : []),
    ],
    detail: {
      ...identityOf(attempt),
      csvSteps: csvStepsOf(attempt),
      components: components.map(toComponent),
      hco: window === undefined ? undefined : hcoTimes(window.started, window.ended),
      virtHandler: rollout === undefined ? undefined : toVirtHandler(rollout),
      workloads: kubevirtEnd === undefined ? undefined : workloadsOf(history, workloads, kubevirtEnd.atMs, range.toMs),
      ...changesWithin(
        history,
        started?.atMs ?? anchorMs,
        isOver && !isOpenWork
          ? (lastTime(
              phases.map(({ ended }) => ended),
              outcome.ended,
            ) ?? lastSeenMs)
          : lastSeenMs,
        range.toMs,
      ),
    },
  }
}

function timeOf(moment: Moment | undefined): readonly number[] {
  return moment === undefined ? [] : [moment.atMs]
}

function lastTime(moments: readonly (Moment | undefined)[], ended: Moment | undefined): number | undefined {
  const times = [...moments, ended].flatMap(timeOf)
  return times.length === 0 ? undefined : Math.max(...times)
}

/** Where its operands' moves are looked for: from its beginning, or the end of the one before, to the beginning of the next. */
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

/** A CSV in a loop goes on for ever: its beginning and its latest rounds tell enough. */
const STEPS_MAX = 60
const FIRST_STEPS = 10

function csvStepsOf({ steps, csv }: Attempt): DetailDraft['csvSteps'] {
  const all = steps.map(({ phase, reason, started }, i) => {
    const endedMs = steps[i + 1]?.started.atMs ?? (csv?.gone === undefined ? undefined : csv.gone.atMs)
    return { phase, reason, startedMs: started.atMs, ...(endedMs !== undefined && { endedMs }) }
  })
  return all.length <= STEPS_MAX ? all : [...all.slice(0, FIRST_STEPS), ...all.slice(FIRST_STEPS - STEPS_MAX)]
}

function hcoTimes(started: Moment | undefined, ended: Moment | undefined): NonNullable<DetailDraft['hco']> {
  return {
    ...(started !== undefined && { startedMs: started.atMs }),
    ...(ended !== undefined && { endedMs: ended.atMs }),
  }
}

/** Newest of these are kept: an upgrade that hangs for weeks flips conditions without end. */
const CHANGES_MAX = 200

function changesWithin(history: ClusterHistory, fromMs: number, toMs: number, nextMs: number): DetailDraft {
  const range = { fromMs, toMs: Math.min(toMs, nextMs) }
  return {
    conditionChanges: conditionChanges(history, range).slice(-CHANGES_MAX),
    featureGateChanges: featureGateChanges(history, range).slice(-CHANGES_MAX),
  }
}
