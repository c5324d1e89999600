/**
 * What is wrong with the operator, whether or not an upgrade is open: the installed CSV has left Succeeded, HyperConverged
 * reports Degraded or is not Available, virt-handler is not rolled out to all nodes, or OLM cannot plan the next version
 * (facts 5.4, 5.10, 5.11). A cluster with a problem is not steady. Pure, without a clock: how long a problem has to last is decided where states are
 * computed.
 */
import type { ClusterProblem } from '../../model/cluster-record.ts'
import type { Condition } from '../../model/object-facts.ts'
import type { Evidence } from '../../model/upgrade.ts'
import { conditionText } from './block-evidence.ts'
import { type ClusterHistory, hcoCsvs, versionOf } from './cluster-history.ts'
import { csvPath, isBeingReplaced } from './csv-path.ts'
import { conditionOf } from './hco-window.ts'
import { planningProblem } from './olm-planning.ts'
import { rolloutNow } from './virt-handler-rollout.ts'

export function operatorProblems(history: ClusterHistory): readonly ClusterProblem[] {
  const isCsvReported = history.of('clusterserviceversions').length > 0
  return [
    ...(isCsvReported ? csvProblems(history) : csvProblemsOfMetrics(history)),
    ...hyperConvergedProblems(history),
    ...virtHandlerProblems(history),
    ...planningProblems(history),
  ]
}

const CSV_ACTION = 'Check the Deployments that the CSV reports; OLM installs the CSV again until they are available.'

function csvProblems(history: ClusterHistory): readonly ClusterProblem[] {
  return hcoCsvs(history).flatMap((csv) => {
    const steps = csvPath(csv)
    const last = steps.at(-1)
    const wasInstalled = steps.findLastIndex(({ phase }) => phase === 'Succeeded')
    const first = steps[wasInstalled + 1]
    if (csv.gone !== undefined || wasInstalled === -1 || first === undefined || last === undefined) return []
    if (isBeingReplaced(last.phase)) return []
    const ref = `clusterserviceversions/${csv.namespace}/${csv.name}`
    const since = steps.slice(wasInstalled + 1)
    const shown = since.length === 1 ? since : [since[0]!, since.findLast(({ phase }) => phase === 'Failed') ?? last]
    return [
      {
        cause: 'csv_unhealthy' as const,
        text: `CSV ${versionOf(csv)} was installed and is now ${last.phase} (${last.reason})${timesFailed(since)}. ${CSV_ACTION}`,
        sinceMs: first.started.atMs,
        evidence: [...new Set(shown)].map(({ phase, reason, message, started }): Evidence => {
          const why = message === '' || message === reason ? reason : `${reason}: ${message}`
          return { source: 'objects', atMs: started.atMs, text: `CSV is ${phase} (${why})`, ref }
        }),
      },
    ]
  })
}

function timesFailed(steps: readonly { readonly phase: string }[]): string {
  const count = steps.filter(({ phase }) => phase === 'Failed').length
  return count < 2 ? '' : `, after ${count} failures`
}

/** The same CSV was Succeeded one scrape earlier; OLM exports `csv_abnormal` while it is not. */
function csvProblemsOfMetrics(history: ClusterHistory): readonly ClusterProblem[] {
  const runs = history.runs('csv_succeeded')
  return runs.flatMap(({ labels, value, firstMs, beforeMs = Infinity, afterMs }) => {
    const { version = '' } = labels
    if (value !== 0 || afterMs !== undefined) return []
    const before = runs.find((run) => run.value === 1 && run.labels['version'] === version && run.lastMs >= beforeMs)
    const abnormal = history.runs('csv_abnormal').filter((run) => run.labels['version'] === version)
    const last = abnormal.findLast((run) => run.afterMs === undefined) ?? abnormal.at(-1)
    const { phase = '', reason = '' } = last?.labels ?? {}
    if (before === undefined || last === undefined || isBeingReplaced(phase)) return []
    const ref = `csv_abnormal{version="${version}",phase="${phase}",reason="${reason}"}`
    return [
      {
        cause: 'csv_unhealthy' as const,
        text: `CSV ${version} was installed and is now ${phase} (${reason}). ${CSV_ACTION}`,
        sinceMs: firstMs,
        evidence: [{ source: 'metrics', atMs: last.firstMs, text: `CSV ${version} is ${phase} (${reason})`, ref }],
      },
    ]
  })
}

/** While HCO upgrades, its operands are Degraded as a rule; the verdict on the upgrade covers that time. */
function hyperConvergedProblems(history: ClusterHistory): readonly ClusterProblem[] {
  const hco = history.of('hyperconvergeds').findLast(({ gone }) => gone === undefined)
  const state = hco?.states.at(-1)
  if (hco === undefined || state === undefined) return []
  const { conditions } = state.facts
  if (conditionOf(conditions, 'Progressing')?.reason === 'HCOUpgrading') return []
  const bad = [unmet(conditions, 'Degraded', 'True'), unmet(conditions, 'Available', 'False')].flatMap((c) => c ?? [])
  const [first] = bad
  if (first === undefined) return []
  const ref = `hyperconvergeds/${hco.namespace}/${hco.name}`
  const sinceMs = Math.min(...bad.map(({ lastTransitionMs }) => lastTransitionMs ?? state.atMs))
  return [
    {
      cause: 'hyperconverged_unhealthy',
      text: `HyperConverged reports ${first.type}=${first.status} (${first.reason}). Read the message of the condition.`,
      sinceMs,
      evidence: bad.map((condition) => ({
        source: 'objects',
        atMs: condition.lastTransitionMs ?? state.atMs,
        text: conditionText(condition),
        ref,
      })),
    },
  ]
}

function unmet(conditions: readonly Condition[], type: string, status: string): Condition | undefined {
  const condition = conditionOf(conditions, type)
  return condition?.status === status ? condition : undefined
}

function planningProblems(history: ClusterHistory): readonly ClusterProblem[] {
  const problem = planningProblem(history)
  if (problem === undefined) return []
  const { type, text, sinceMs, evidence } = problem
  return [{ cause: 'cannot_plan', reason: type, text, sinceMs, evidence }]
}

/** Since the last node got its new virt-handler. */
function virtHandlerProblems(history: ClusterHistory): readonly ClusterProblem[] {
  const rollout = rolloutNow(history)
  if (rollout === undefined || rollout.ended !== undefined) return []
  const { desired, updated, ready, started, progressMs, ref } = rollout
  if (updated >= desired) return []
  const sinceMs = progressMs.at(-1) ?? started.atMs
  const text = `virt-handler is updated on ${updated} of ${desired} nodes, ${ready} are ready`
  return [
    {
      cause: 'virt_handler_outdated',
      text: `${text}. Check the pods of virt-handler that are not ready, and their nodes.`,
      sinceMs,
      evidence: [{ source: 'objects', atMs: sinceMs, text, ref }],
    },
  ]
}
