import type { ComponentUpgrade, PhaseName, UpgradePhase, UpgradeRecord } from '../../model/upgrade.ts'
import { CSV_SPANS } from '../../model/upgrade-convention.ts'
import { attributesOf, conditionEvent, inOrder, type SpanDraft } from './trace-draft.ts'
import { spanPath } from './trace-ids.ts'

/** The spans below an upgrade's root whose start is known. */
export function stepsOf(record: UpgradeRecord): readonly SpanDraft[] {
  const csv = attributesOf({ 'olm.csv.name': record.detail.csvName })
  return [approvalOf, csvStepsOf, reconcileOf, componentsOf, handlersOf, workloadsOf, poolsOf]
    .flatMap((steps) => steps(record))
    .map((step) => ({ ...step, attributes: [...csv, ...step.attributes] }))
}

function approvalOf({ upgrade, detail }: UpgradeRecord): readonly SpanDraft[] {
  const phase = phaseOf(upgrade.phases, 'approval')
  if (phase?.startedMs === undefined || upgrade.approval === undefined) return []
  return [
    {
      ...fromPhase(phase, phase.startedMs, 'olm.approval'),
      attributes: attributesOf({
        'olm.install_plan.approval': upgrade.approval,
        'olm.install_plan.name': detail.installPlan,
      }),
    },
  ]
}

/** Phases of OLM by the phases of the CSV, for records without CSV steps. */
const CSV_PHASES: readonly (readonly [PhaseName, string])[] = [
  ['olm.pending', 'Pending'],
  ['olm.install_ready', 'InstallReady'],
  ['olm.installing', 'Installing'],
]

/** `error`: the reason of the Failed that followed. */
type CsvStep = UpgradeRecord['detail']['csvSteps'][number] & { readonly error?: string }

/** Each occurrence of a phase is a span; a change of the reason within it is not. */
function csvStepsOf(record: UpgradeRecord): readonly SpanDraft[] {
  if (record.detail.csvName === undefined) return []
  const counts = new Map<string, number>()
  return csvPath(record).flatMap((step) => {
    const spanName = CSV_SPANS.get(step.phase)
    if (spanName === undefined) return []
    const count = (counts.get(spanName) ?? 0) + 1
    counts.set(spanName, count)
    return [
      {
        path: spanPath(spanName, count === 1 ? undefined : count),
        name: spanName,
        startMs: step.startedMs,
        ...(step.endedMs !== undefined && { endMs: step.endedMs }),
        attributes: attributesOf({ 'olm.csv.phase': step.phase, 'olm.csv.reason': step.reason }),
        events: [],
        ...(step.error !== undefined && { error: step.error }),
      },
    ]
  })
}

function csvPath({ upgrade, detail }: UpgradeRecord): readonly CsvStep[] {
  if (detail.csvSteps.length > 0) return joined(detail.csvSteps)
  return CSV_PHASES.flatMap(([name, phase]): readonly CsvStep[] => {
    const known = phaseOf(upgrade.phases, name)
    if (known?.startedMs === undefined) return []
    return [
      {
        phase,
        reason: '',
        startedMs: known.startedMs,
        ...(known.endedMs !== undefined && { endedMs: known.endedMs }),
        ...(known.state === 'failed' && { error: '' }),
      },
    ]
  })
}

/** Merges adjacent steps of one phase, with the newest reason. A step ends at the latest when the next one starts. */
function joined(steps: readonly CsvStep[]): readonly CsvStep[] {
  const path: CsvStep[] = []
  for (const step of steps) {
    const last = path.at(-1)
    if (last?.phase === step.phase) {
      path[path.length - 1] = { ...step, startedMs: last.startedMs }
      continue
    }
    if (last !== undefined) {
      const error = step.phase === 'Failed' ? { error: step.reason } : {}
      path[path.length - 1] = { ...last, endedMs: last.endedMs ?? step.startedMs, ...error }
    }
    path.push(step)
  }
  return path
}

const RECONCILE = 'hco.reconcile'

/** From the HyperConverged object if it was observed, else from the phases. */
function reconcileOf({ upgrade, detail }: UpgradeRecord): readonly SpanDraft[] {
  const operands = phaseOf(upgrade.phases, 'operands')
  const settle = phaseOf(upgrade.phases, 'settle')
  const startMs = detail.hco?.startedMs ?? operands?.startedMs
  if (upgrade.operator !== 'kubevirt-hyperconverged' || startMs === undefined) return []
  const endMs = detail.hco?.startedMs === undefined ? settle?.endedMs : detail.hco.endedMs
  const condition = { 'k8s.condition.type': 'Progressing', 'k8s.condition.reason': 'HCOUpgrading' }
  return [
    {
      path: RECONCILE,
      name: RECONCILE,
      startMs,
      ...(endMs !== undefined && { endMs }),
      attributes: attributesOf({
        ...(detail.hco?.startedMs === undefined ? {} : condition),
      }),
      events: changesOf(detail.conditionChanges, (component) => !hasSpan(detail.components, component)),
      ...(operands?.state === 'failed' && { error: upgrade.blockedBy?.text ?? '' }),
    },
  ]
}

const KUBEVIRT = 'kubevirt'

function componentPath(name: string): string {
  return spanPath('component.upgrade', name === KUBEVIRT ? undefined : name)
}

function componentsOf(record: UpgradeRecord): readonly SpanDraft[] {
  const { detail } = record
  return detail.components.flatMap((component) => {
    const { name, from, to, startedMs, endedMs, state, message } = component
    if (startedMs === undefined) return []
    return [
      {
        path: componentPath(name),
        ...underReconcile(record),
        name: 'component.upgrade',
        startMs: startedMs,
        ...(endedMs !== undefined && { endMs: endedMs }),
        attributes: attributesOf({
          'component.name': name,
          'component.from.version': from,
          'component.to.version': to,
        }),
        events: changesOf(detail.conditionChanges, (of) => of === name),
        ...(state === 'failed' && { error: message ?? '' }),
      },
    ]
  })
}

function handlersOf(record: UpgradeRecord): readonly SpanDraft[] {
  const { upgrade, detail } = record
  const counts = detail.virtHandler
  return (['virt_handler.canary', 'virt_handler.waves'] as const).flatMap((name) => {
    const phase = phaseOf(upgrade.phases, name)
    if (phase?.startedMs === undefined) return []
    return [
      {
        ...fromPhase(phase, phase.startedMs, name),
        ...(hasSpan(detail.components, KUBEVIRT) ? { parentPath: componentPath(KUBEVIRT) } : underReconcile(record)),
        attributes: attributesOf({
          'virt_handler.desired': counts?.desired,
          'virt_handler.updated': counts?.updated,
          'virt_handler.waves': counts?.waves,
        }),
      },
    ]
  })
}

function workloadsOf({ upgrade, detail }: UpgradeRecord): readonly SpanDraft[] {
  const phase = phaseOf(upgrade.phases, 'workloads')
  const startMs = detail.workloads?.startedMs ?? phase?.startedMs
  if (startMs === undefined) return []
  const endMs = detail.workloads?.endedMs ?? phase?.endedMs
  return [
    {
      path: 'kubevirt.workload_update',
      name: 'kubevirt.workload_update',
      startMs,
      ...(endMs !== undefined && { endMs }),
      outlives: upgrade.state === 'succeeded',
      attributes: attributesOf({
        'kubevirt.outdated_vmi.start': detail.workloads?.outdatedAtStart,
        'kubevirt.outdated_vmi.end': detail.workloads?.outdatedNow,
      }),
      events: [],
      ...(phase?.state === 'failed' && { error: '' }),
    },
  ]
}

const POOL_PREFIX = 'platform.'

function poolsOf({ upgrade }: UpgradeRecord): readonly SpanDraft[] {
  return upgrade.phases.flatMap((phase) => {
    if (!phase.name.startsWith(POOL_PREFIX) || phase.startedMs === undefined) return []
    const pool = phase.name.slice(POOL_PREFIX.length)
    return [
      {
        ...fromPhase(phase, phase.startedMs, 'platform.pool'),
        path: spanPath('platform.pool', pool),
        attributes: attributesOf({ 'k8s.machine_config_pool.name': pool }),
      },
    ]
  })
}

function phaseOf(phases: readonly UpgradePhase[], name: PhaseName): UpgradePhase | undefined {
  return phases.find((phase) => phase.name === name)
}

function fromPhase(phase: UpgradePhase, startMs: number, name: string): Omit<SpanDraft, 'attributes'> {
  return {
    path: name,
    name,
    startMs,
    ...(phase.endedMs !== undefined && { endMs: phase.endedMs }),
    events: [],
    ...(phase.state === 'failed' && { error: '' }),
  }
}

function underReconcile(record: UpgradeRecord): { readonly parentPath?: string } {
  return reconcileOf(record).length === 0 ? {} : { parentPath: RECONCILE }
}

function hasSpan(components: readonly ComponentUpgrade[], name: string): boolean {
  return components.some((component) => component.name === name && component.startedMs !== undefined)
}

function changesOf(
  changes: UpgradeRecord['detail']['conditionChanges'],
  isOurs: (component: string) => boolean,
): SpanDraft['events'] {
  return inOrder(changes.filter(({ component }) => isOurs(component)).map(conditionEvent))
}
