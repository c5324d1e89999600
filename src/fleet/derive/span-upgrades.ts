/** Upgrades from spans that operators send by the conventions of `../CONVENTIONS.md`: exact. */
import type { SpanEvidence } from '../../model/observation.ts'
import type { PhaseName, UpgradeOperator, UpgradeState } from '../../model/upgrade.ts'
import type { ClusterHistory } from './cluster-history.ts'
import { groupBy } from '../../base/group-by.ts'
import { earliest, knownMs, latest, spanMoment, timesOf, type Moment } from './moment.ts'
import type { PhaseDraft, UpgradeDraft } from './upgrade-draft.ts'

const OPERATORS: ReadonlyMap<string, UpgradeOperator> = new Map(
  Object.entries<UpgradeOperator>({
    'upgrade kubevirt-hyperconverged': 'kubevirt-hyperconverged',
    'upgrade kubevirt': 'kubevirt',
    'upgrade openshift': 'openshift',
  }),
)

const PHASE_SPANS: ReadonlyMap<string, PhaseName> = new Map(
  Object.entries<PhaseName>({
    'olm.approval': 'approval',
    'olm.csv.pending': 'olm.pending',
    'olm.csv.install_ready': 'olm.install_ready',
    'olm.csv.installing': 'olm.installing',
    'virt_handler.canary': 'virt_handler.canary',
    'virt_handler.waves': 'virt_handler.waves',
    'kubevirt.workload_update': 'workloads',
  }),
)

/** One for each upgrade whose spans contain its target version. */
export function spanUpgrades(history: ClusterHistory): readonly UpgradeDraft[] {
  return spansByUpgrade(history.spans)
    .flatMap((spans) => draftOf(spans) ?? [])
    .sort((a, b) => a.anchorMs - b.anchorMs)
}

/**
 * Spans by upgrade: a trace, and other traces of the same CSV, because a restarted operator continues in a new trace. Only the
 * root has the uid of the CSV; every span has its name, which is enough if only one uid has this name.
 */
function spansByUpgrade(all: readonly SpanEvidence[]): readonly (readonly SpanEvidence[])[] {
  const traces = [...groupBy(all, ({ traceId }) => traceId).values()]
  const uids = groupBy(
    [...new Set(all.map(({ attributes }) => attributes['deployment.id'] ?? ''))]
      .filter((uid) => uid !== '')
      .flatMap((uid) => {
        const spans = all.filter(({ attributes }) => attributes['deployment.id'] === uid)
        const name = csvNameOf(spans)
        return name === undefined ? [] : [{ uid, name }]
      }),
    ({ name }) => name,
  )
  const keyOf = (spans: readonly SpanEvidence[]): string => {
    const name = csvNameOf(spans)
    const named = name === undefined ? [] : (uids.get(name) ?? [])
    return textOf(spans, 'deployment.id') ?? (named.length === 1 ? named[0]!.uid : (name ?? spans[0]!.traceId))
  }
  return [...groupBy(traces, keyOf).values()].map((same) => same.flat())
}

function csvNameOf(spans: readonly SpanEvidence[]): string | undefined {
  return textOf(spans, 'olm.csv.name') ?? textOf(spans, 'deployment.name')
}

function draftOf(spans: readonly SpanEvidence[]): UpgradeDraft | undefined {
  const root = spans.find(({ name }) => OPERATORS.has(name))
  const to = textOf(spans, 'upgrade.to.version')
  if (to === undefined) return undefined
  const from = textOf(spans, 'upgrade.from.version')
  const hco = spans.find(({ name }) => name === 'hco.reconcile')
  const state = stateOf(root, hco)
  const ended = state === 'in_progress' ? undefined : (endOf(hco) ?? endOf(root))
  const csvMs = startOf(spans.filter(({ name }) => name.startsWith('olm.csv.')))
  // The root starts with the approval, which is before the start of the upgrade.
  const workMs = startOf(spans.filter((span) => span !== root && span.name !== 'olm.approval'))
  const hasApproval = spans.some(({ name }) => name === 'olm.approval')
  const startMs = csvMs ?? (hasApproval ? workMs : root?.startMs)
  const firstMs = startMs ?? startOf(spans)!
  const approval = textOf(spans, 'olm.install_plan.approval')
  const operator = OPERATORS.get(root?.name ?? '') ?? 'kubevirt-hyperconverged'
  return {
    ...{ operator, source: 'spans', from, to },
    ...{ isProven: from !== undefined && from !== to, anchorMs: firstMs, sinceMs: firstMs, state, ended },
    started: root === undefined || startMs === undefined ? undefined : spanMoment(startMs),
    isStartLate: csvMs === undefined && operator === 'kubevirt-hyperconverged',
    lastSeenMs: Math.max(...spans.map(({ endMs }) => endMs)),
    channel: textOf(spans, 'olm.channel'),
    nodes: nodesOf(spans),
    approval: approval === 'Manual' || approval === 'Automatic' ? approval : undefined,
    phases: phasesOf(spans, hco, state),
    evidence: spans.map(({ name, startMs, traceId, spanId, attributes }) => {
      const component = attributes['component.name']
      const text = component === undefined ? `span ${name}` : `span ${name} of ${component}`
      return { source: 'spans', atMs: startMs, text, ref: `${traceId}/${spanId}` }
    }),
    progressMs: spans.flatMap((span) => [span.startMs, ...knownMs(endOf(span))]),
    detail: {
      csvUid: textOf(spans, 'deployment.id'),
      csvName: csvNameOf(spans),
      subscription: textOf(spans, 'olm.subscription.name'),
      installPlan: textOf(spans, 'olm.install_plan.name'),
      components: componentsOf(spans),
      hco: hco && timesOf({ started: spanMoment(hco.startMs), ended: endOf(hco) }),
    },
  }
}

function nodesOf(spans: readonly SpanEvidence[]): number | undefined {
  const nodes = Number(textOf(spans, 'upgrade.nodes') ?? 0)
  return Number.isSafeInteger(nodes) && nodes > 0 ? nodes : undefined
}

function startOf(spans: readonly SpanEvidence[]): number | undefined {
  return spans.length === 0 ? undefined : Math.min(...spans.map(({ startMs }) => startMs))
}

function textOf(spans: readonly SpanEvidence[], key: string): string | undefined {
  return spans.map(({ attributes }) => attributes[key]).find((text = '') => text !== '')
}

/** `undefined`: a provisional span, which is still in progress. */
function endOf(span: SpanEvidence | undefined): Moment | undefined {
  return span === undefined || span.attributes['upgrade.provisional'] === 'true' ? undefined : spanMoment(span.endMs)
}

function stateOf(root: SpanEvidence | undefined, hco: SpanEvidence | undefined): UpgradeState {
  if (root?.isError === true && endOf(root) !== undefined) return 'failed'
  if (endOf(hco) !== undefined && hco?.isError === false) return 'succeeded'
  // Without its root a trace is incomplete.
  if (endOf(root) === undefined) return 'in_progress'
  return root?.attributes['deployment.status'] === 'failed' ? 'failed' : 'succeeded'
}

function phasesOf(
  spans: readonly SpanEvidence[],
  hco: SpanEvidence | undefined,
  state: UpgradeState,
): readonly PhaseDraft[] {
  const direct = spans.flatMap((span): readonly PhaseDraft[] => {
    const name = PHASE_SPANS.get(span.name)
    if (name === undefined) return []
    // OLM retries a CSV that is Failed.
    const isRetried = span.isError && span.name.startsWith('olm.csv.') && state === 'in_progress'
    return [isRetried ? { name, state, started: spanMoment(span.startMs) } : phaseOf(name, span)]
  })
  const unique = [...groupBy(direct, ({ name }) => name).values()].map(joined)
  const components = spans
    .filter(({ name }) => name === 'component.upgrade')
    .flatMap((span) => {
      const component = span.attributes['component.name']
      return component === undefined ? [] : [phaseOf(`operands.${component}`, span)]
    })
  return [...unique, ...olmPhase(unique), ...components, ...reconcilePhases(hco, components)]
}

function phaseOf(name: PhaseName, span: SpanEvidence): PhaseDraft {
  const ended = endOf(span)
  const state = ended === undefined ? 'in_progress' : span.isError ? 'failed' : 'succeeded'
  return { name, state, started: spanMoment(span.startMs), ended }
}

/** A repeated phase starts with its first span and ends with its last. */
function joined(phases: readonly PhaseDraft[]): PhaseDraft {
  const last = phases.at(-1)!
  return { ...last, started: earliest(...phases.map(({ started }) => started)) }
}

function olmPhase(phases: readonly PhaseDraft[]): readonly PhaseDraft[] {
  const first = phases.find(({ name }) => name === 'olm.pending')
  const last = phases.find(({ name }) => name === 'olm.installing')
  if (first === undefined || last === undefined) return []
  return [{ name: 'olm', state: last.state, started: first.started, ended: last.ended }]
}

function reconcilePhases(hco: SpanEvidence | undefined, components: readonly PhaseDraft[]): readonly PhaseDraft[] {
  if (hco === undefined) return []
  const isDone = components.every(({ ended }) => ended !== undefined)
  const started = spanMoment(hco.startMs)
  const [done, ended] = [latest(started, ...components.map(({ ended }) => ended)), endOf(hco)]
  const operands: PhaseDraft = {
    name: 'operands',
    state: isDone ? 'succeeded' : 'in_progress',
    started,
    ended: isDone ? done : undefined,
  }
  if (!isDone || ended === undefined) return [operands]
  return [operands, { name: 'settle', state: 'succeeded', started: done, ended }]
}

function componentsOf(spans: readonly SpanEvidence[]): NonNullable<UpgradeDraft['detail']['components']> {
  return spans.flatMap((span) => {
    const { attributes, startMs, endMs, isError, errorMessage } = span
    const name = attributes['component.name']
    if (span.name !== 'component.upgrade' || name === undefined) return []
    const { 'component.from.version': from, 'component.to.version': to } = attributes
    const isOver = endOf(span) !== undefined
    return [
      {
        name,
        ...(from !== undefined && { from }),
        ...(to !== undefined && { to }),
        startedMs: startMs,
        ...(isOver && { endedMs: endMs }),
        state: isOver ? (isError ? 'failed' : 'succeeded') : 'in_progress',
        ...(errorMessage !== '' && { message: errorMessage }),
      } as const,
    ]
  })
}
