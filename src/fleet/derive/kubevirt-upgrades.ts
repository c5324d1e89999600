/** Upgrades of KubeVirt without HCO, from its object or from the versions of its nodes. */
import type { UpgradeState } from '../../model/upgrade.ts'
import { type ClusterHistory, type ObjectHistory, hcoCsvs } from './cluster-history.ts'
import type { OperandFacts } from '../../model/object-facts.ts'
import { componentPath, toComponent } from './component-upgrade.ts'
import { conditionChanges } from './condition-changes.ts'
import { evidence } from './hco-evidence.ts'
import { phase, handlerPhases, workloadsPhase } from './hco-phases.ts'
import { metricRollout, metricWorkloads, rolloutEvidence } from './metric-rollout.ts'
import { knownMs, ownMoment } from './moment.ts'
import { bare, type UpgradeDraft } from './upgrade-draft.ts'
import { isHandlerObserved, toVirtHandler, virtHandlerRollout } from './virt-handler-rollout.ts'
import { workloadPhase } from './workload-phase.ts'

const KUBEVIRT = 'kubevirt'

/** Whether there is any sign of HCO in the cluster; then KubeVirt is one of its operands. */
export function hasHco(history: ClusterHistory): boolean {
  return (
    history.of('hyperconvergeds').length > 0 ||
    hcoCsvs(history).length > 0 ||
    history.runs('csv_succeeded').length > 0 ||
    history.runs('hco_health').length > 0
  )
}

export function kubevirtUpgradesByObjects(history: ClusterHistory): readonly UpgradeDraft[] {
  return history.of('kubevirts').flatMap((kubevirt) => {
    const starts = kubevirt.states.filter(({ facts }, i) => isTurn(facts, kubevirt.states[i - 1]?.facts))
    return starts.flatMap((start, i) =>
      start.isRestored ? [] : (draftOf(history, kubevirt, start.atMs, starts[i + 1]) ?? []),
    )
  })
}

/** The target changes, or the first known state is in progress. */
function isTurn(facts: OperandFacts, before: OperandFacts | undefined): boolean {
  if (facts.targetVersion === undefined) return false
  if (before === undefined) return facts.observedVersion !== undefined && facts.observedVersion !== facts.targetVersion
  return before.targetVersion !== undefined && before.targetVersion !== facts.targetVersion
}

function draftOf(
  history: ClusterHistory,
  kubevirt: ObjectHistory<OperandFacts>,
  fromMs: number,
  next: { readonly atMs: number; readonly facts: OperandFacts } | undefined,
): UpgradeDraft | undefined {
  const range = { fromMs, toMs: next?.atMs ?? Infinity }
  const path = componentPath(history, 'kubevirts', range, next !== undefined)
  const to = path?.to
  if (path === undefined || to === undefined || path.from === to) return undefined
  const lost: UpgradeState = next?.facts.targetVersion === path.from ? 'rolled_back' : 'superseded'
  const open: UpgradeState = kubevirt.gone === undefined ? 'in_progress' : 'unknown'
  const state: UpgradeState = path.ended !== undefined ? 'succeeded' : next === undefined ? open : lost
  const ended = path.ended ?? (next === undefined ? undefined : ownMoment(next.atMs))
  const rollout = virtHandlerRollout(history, range)
  const workloads = path.ended === undefined ? undefined : workloadPhase(history, path.ended, range.toMs)
  const inputs = { state, ended, components: [path], rollout, workloads, isOvertaken: next !== undefined }
  const lastSeenMs = history.newestObjectMs ?? 0
  return {
    ...{ operator: KUBEVIRT, source: 'objects', from: path.from, to, isProven: true, lastSeenMs },
    ...{ anchorMs: fromMs, sinceMs: fromMs, state, started: path.started, ended },
    phases: [
      phase('operands', state, path.started, path.ended),
      { name: 'operands.kubevirt', state: path.state, started: path.started, ended: path.ended },
      ...handlerPhases({ ...inputs, isHandlerObserved: isHandlerObserved(history, range) }),
      workloadsPhase(inputs),
    ],
    evidence: [
      ...evidence(path.started, `KubeVirt goes from ${path.from ?? '?'} to ${to}`, path.ref, 'operands.kubevirt'),
      ...evidence(path.ended, `KubeVirt is at ${to}`, path.ref, 'operands.kubevirt'),
    ],
    progressMs: [
      ...knownMs(path.started, path.ended),
      ...(rollout?.progressMs ?? []),
      ...(typeof workloads === 'object' ? workloads.progressMs : []),
    ],
    detail: {
      namespace: kubevirt.namespace,
      components: [toComponent(path)],
      virtHandler: rollout && toVirtHandler(rollout),
      conditionChanges: conditionChanges(history, { fromMs, toMs: Math.min(range.toMs, ended?.atMs ?? lastSeenMs) }),
    },
  }
}

/** From the nodes; each new version beside another one starts an upgrade. */
export function kubevirtUpgradesByMetrics(history: ClusterHistory): readonly UpgradeDraft[] {
  const runs = history.runs('kubevirt_nodes')
  const lastSeenMs = Math.max(0, ...runs.map(({ lastMs }) => lastMs))
  const drafts: UpgradeDraft[] = []
  let fromMs = -Infinity
  for (;;) {
    const rollout = metricRollout(history, { fromMs, toMs: Infinity })
    if (rollout?.canary === undefined) return drafts
    const { from, to, started, canary, ended, nodes } = rollout
    const next = metricRollout(history, { fromMs: canary.atMs + 1, toMs: Infinity })
    const untilMs = next?.canary?.atMs ?? Infinity
    const lost: UpgradeState = next?.to === from ? 'rolled_back' : 'superseded'
    const state = ended !== undefined ? 'succeeded' : next === undefined ? 'in_progress' : lost
    const workloads = ended === undefined ? undefined : metricWorkloads(history, ended, untilMs)
    const moved = typeof workloads === 'object' ? workloads : undefined
    drafts.push({
      ...{ operator: KUBEVIRT, source: 'metrics', from, to, isProven: true, lastSeenMs, state, started, ended },
      ...{ anchorMs: canary.atMs, sinceMs: canary.atMs - canary.resolutionSeconds * 1000 },
      phases: [
        bare('operands', 'unknown'),
        phase('virt_handler.canary', state, started, canary),
        nodes <= 1 ? bare('virt_handler.waves', 'skipped') : phase('virt_handler.waves', state, canary, ended),
        moved === undefined
          ? bare('workloads', 'unknown')
          : phase('workloads', 'in_progress', moved.started, moved.ended),
      ],
      evidence: rolloutEvidence(rollout),
      progressMs: [...rollout.progressMs, ...(moved?.progressMs ?? [])],
      detail: { virtHandler: toVirtHandler({ ...rollout, desired: nodes }) },
    })
    fromMs = canary.atMs + 1
  }
}
