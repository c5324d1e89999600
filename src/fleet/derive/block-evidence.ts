/** What the block signatures share: their type and their evidence. */
import type { Condition } from '../../model/object-facts.ts'
import type { MetricRun } from '../../model/observation.ts'
import type { Evidence, PhaseName, UpgradeBlock, UpgradePhase, UpgradeRecord } from '../../model/upgrade.ts'
import type { ClusterHistory } from './cluster-history.ts'

export type BlockSignature = (history: ClusterHistory, record: UpgradeRecord) => UpgradeBlock | undefined

export function phaseOf({ upgrade }: UpgradeRecord, name: PhaseName): UpgradePhase | undefined {
  return upgrade.phases.find((phase) => phase.name === name)
}

export function isOpen(record: UpgradeRecord, name: PhaseName): boolean {
  return phaseOf(record, name)?.state === 'in_progress'
}

export function objectEvidence(atMs: number, text: string, ref: string, phase: PhaseName): Evidence {
  return { source: 'objects', atMs, text, ref, phase }
}

/** The value of a series, from its first sample on. */
export function metricEvidence(run: MetricRun, text: string, ref: string, phase: PhaseName): Evidence {
  return { source: 'metrics', atMs: run.firstMs, text, ref, phase }
}

export function conditionText({ type, status, reason, message }: Condition): string {
  const why = [reason, message].filter((part) => part !== '').join(': ')
  return why === '' ? `${type} is ${status}` : `${type} is ${status} (${why})`
}

/** A reported text as a sentence of its own. */
export function endSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`
}
