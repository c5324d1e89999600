/** The observations of an upgrade of HCO as sentences, each with its source. */
import type { Evidence, PhaseName } from '../../model/upgrade.ts'
import type { ComponentPath } from './component-upgrade.ts'
import type { Attempt } from './hco-attempts.ts'
import type { Outcome } from './hco-outcome.ts'
import { ownMoment, type Moment } from './moment.ts'
import type { Plan } from './olm-offer.ts'
import type { Rollout } from './virt-handler-rollout.ts'
import type { WorkloadPhase } from './workload-phase.ts'

export function hcoEvidence(
  attempt: Attempt,
  outcome: Outcome,
  components: readonly ComponentPath[],
  rollout: Rollout | undefined,
  workloads: WorkloadPhase | undefined,
): readonly Evidence[] {
  return [
    ...offerEvidence(attempt),
    ...csvEvidence(attempt),
    ...windowEvidence(attempt),
    ...components.flatMap(componentEvidence),
    ...(rollout === undefined ? [] : rolloutEvidence(rollout)),
    ...(workloads === undefined ? [] : workloadEvidence(workloads)),
    ...outcomeEvidence(attempt, outcome),
  ]
}

/** Empty when the time is unknown. */
export function evidence(at: Moment | undefined, text: string, ref: string, phase?: PhaseName): readonly Evidence[] {
  if (at === undefined) return []
  return [{ source: at.source, atMs: at.atMs, text, ref, ...(phase !== undefined && { phase }) }]
}

/** What the next report replaces, while the upgrade goes on. */
function newest(...args: Parameters<typeof evidence>): readonly Evidence[] {
  return evidence(...args).map((one) => ({ ...one, isReplaced: true }))
}

function offerEvidence({ offer }: Attempt): readonly Evidence[] {
  if (offer === undefined) return []
  const { subscription, plan, csvName } = offer
  const ref = `subscriptions/${subscription?.namespace ?? ''}/${subscription?.name ?? ''}`
  return [
    ...evidence(offer.offered, `Subscription offers ${csvName}`, ref, 'offered'),
    ...(plan === undefined ? [] : planEvidence(plan)),
  ]
}

function planEvidence({ name, namespace, created, approved, isManual }: Plan): readonly Evidence[] {
  const ref = `installplans/${namespace}/${name}`
  if (!isManual) return evidence(created, `InstallPlan ${name} is made`, ref, 'offered')
  return [
    ...evidence(created, `InstallPlan ${name} waits for approval`, ref, 'approval'),
    ...evidence(approved, `InstallPlan ${name} is approved`, ref, 'approval'),
  ]
}

const STEP_PHASES: ReadonlyMap<string, PhaseName> = new Map(
  Object.entries<PhaseName>({
    Pending: 'olm.pending',
    InstallReady: 'olm.install_ready',
    Installing: 'olm.installing',
    Succeeded: 'olm',
    Failed: 'olm.installing',
  }),
)

/** The first and the last steps: a loop repeats forever. */
const STEPS_MAX = 24

function csvEvidence({ csv, steps }: Attempt): readonly Evidence[] {
  if (csv === undefined) return []
  const ref = `clusterserviceversions/${csv.namespace}/${csv.name}`
  const reported =
    steps.length <= STEPS_MAX ? steps : [...steps.slice(0, STEPS_MAX / 2), ...steps.slice(-STEPS_MAX / 2)]
  const created = csv.createdMs === undefined ? undefined : ownMoment(csv.createdMs)
  return [
    ...evidence(created, `CSV ${csv.name} is created`, ref, 'olm'),
    ...reported.flatMap(({ phase, reason, started }) => {
      const text = `CSV ${csv.name} is ${reason === '' ? phase : `${phase} (${reason})`}`
      return evidence(started, text, ref, STEP_PHASES.get(phase))
    }),
  ]
}

function windowEvidence({ window, to }: Attempt): readonly Evidence[] {
  if (window === undefined) return []
  return [
    ...evidence(window.started, `HyperConverged is upgrading to ${to}`, window.ref, 'operands'),
    ...evidence(window.ended, `HyperConverged is at ${to}`, window.ref, 'settle'),
  ]
}

function componentEvidence(path: ComponentPath): readonly Evidence[] {
  const { name, ref, from, to, started, ended, message, complained } = path
  const versions = from === undefined || from === to ? (to ?? '') : `from ${from} to ${to ?? '?'}`
  return [
    ...evidence(started, `${name} goes ${versions}`, ref, `operands.${name}`),
    ...newest(complained, `${name}: ${message ?? ''}`, ref, `operands.${name}`),
    ...evidence(ended, `${name} is at ${to ?? '?'}`, ref, `operands.${name}`),
  ]
}

function rolloutEvidence(rollout: Rollout): readonly Evidence[] {
  const { started, canary, ended, counted, desired, updated, ready, ref } = rollout
  const counts = `virt-handler is new on ${updated} of ${desired} nodes, ${ready} are ready`
  return [
    ...evidence(started, 'virt-handler rolls over the nodes', ref, 'virt_handler.canary'),
    ...evidence(canary, 'the virt-handler canary is ready', ref, 'virt_handler.canary'),
    ...(ended === undefined
      ? newest(counted, counts, ref, 'virt_handler.waves')
      : evidence(ended, `virt-handler is new on all ${desired} nodes`, ref, 'virt_handler.waves')),
  ]
}

function workloadEvidence(phase: WorkloadPhase): readonly Evidence[] {
  const { started, ended, counted, outdatedAtStart, outdatedNow, ref } = phase
  const left = ended === undefined && outdatedNow !== outdatedAtStart ? counted : undefined
  return [
    ...evidence(started, `${outdatedAtStart} VMs run an outdated virt-launcher`, ref, 'workloads'),
    ...newest(left, `${outdatedNow} VMs still run an outdated virt-launcher`, ref, 'workloads'),
    ...evidence(ended, 'no VM runs an outdated virt-launcher', ref, 'workloads'),
  ]
}

const OUTCOME_TEXTS: Readonly<Record<string, string>> = {
  rolled_back: 'went back to',
  failed: 'had failed when it was replaced by',
  superseded: 'was not complete when it was replaced by',
}

function outcomeEvidence({ to, csv }: Attempt, { state, ended, next }: Outcome): readonly Evidence[] {
  const text = OUTCOME_TEXTS[state]
  if (text === undefined) return []
  const ref = csv === undefined ? '' : `clusterserviceversions/${csv.namespace}/${csv.name}`
  return evidence(ended, next === undefined ? `${to} is ${state.replace('_', ' ')}` : `${to} ${text} ${next.to}`, ref)
}
