/**
 * The longest time without progress of a finished upgrade, by phase: its successors may take as long. A phase with parts
 * progresses whenever a part starts or ends, so its longest gap counts and not its length; virt-handler's waves count one
 * by one, because a large cluster has more nodes in a wave and not more waves.
 */
import type { PhaseName, UpgradePhase, UpgradeRecord } from '../../model/upgrade.ts'

/** The durations of these phases depend on people, VMs and nodes, not on the edge: they have thresholds of their own. */
const UNBOUNDED: readonly string[] = ['approval', 'workloads', 'platform']

export function isUnbounded(phase: PhaseName): boolean {
  return UNBOUNDED.some((name) => phase === name || phase.startsWith(`${name}.`))
}

export interface PhaseSilence {
  readonly phase: PhaseName
  readonly seconds: number
}

/** Empty unless the upgrade succeeded. */
export function silencesOf(record: UpgradeRecord): readonly PhaseSilence[] {
  if (record.upgrade.state !== 'succeeded') return []
  return record.upgrade.phases.flatMap((phase) => {
    const { name, endedMs, state } = phase
    if (isUnbounded(name)) return []
    if (name === 'operands' && phase.startedMs === undefined) return operandsSilence(record)
    const startedMs = phase.startedMs ?? lastMarkMs(record, endedMs)
    if (startedMs === undefined || endedMs === undefined || (state !== 'succeeded' && phase.startedMs !== undefined)) {
      return []
    }
    return [{ phase: name, seconds: longestGapMs(record, name, startedMs, endedMs) / 1000 }]
  })
}

/**
 * The start of a phase whose start was not observed, as of most phases of clusters that send only metrics: the last event
 * that was observed before. An open upgrade in this phase is silent from the same event on.
 */
function lastMarkMs({ upgrade }: UpgradeRecord, beforeMs: number | undefined): number | undefined {
  const marks = upgrade.phases
    .filter(({ name }) => !isUnbounded(name))
    .flatMap(({ startedMs, endedMs }) => [startedMs, endedMs])
    .filter((ms) => ms !== undefined && beforeMs !== undefined && ms < beforeMs)
  return marks.length === 0 ? undefined : Math.max(...(marks as number[]))
}

/** The operands phase when its start was not observed: from OLM's end to the last observation. */
function operandsSilence(record: UpgradeRecord): readonly PhaseSilence[] {
  const { phases, endedMs } = record.upgrade
  const startedMs = phases.find(({ name }) => name === 'olm')?.endedMs
  const ends = phases.filter(({ name }) => isPartOf(name, 'operands')).flatMap((part) => part.endedMs ?? [])
  const lastMs = endedMs ?? Math.max(-Infinity, ...ends)
  if (startedMs === undefined || lastMs <= startedMs) return []
  return [{ phase: 'operands', seconds: longestGapMs(record, 'operands', startedMs, lastMs) / 1000 }]
}

export function isPartOf(part: PhaseName, whole: PhaseName): boolean {
  if (part === whole) return false
  if (part.startsWith(`${whole}.`)) return true
  return part.startsWith('virt_handler.') && (whole === 'operands' || whole === 'operands.kubevirt')
}

function longestGapMs(record: UpgradeRecord, name: PhaseName, startedMs: number, endedMs: number): number {
  if (name === 'virt_handler.waves') return waveMs(record, startedMs, endedMs)
  const parts = record.upgrade.phases.filter((part) => isPartOf(part.name, name))
  const stretches = parts.flatMap((part) => stretchOf(record, part))
  const seenMs = parts.flatMap((part) => [part.startedMs ?? startedMs, part.endedMs ?? endedMs])
  const marks = [startedMs, ...seenMs, endedMs].filter((ms) => ms >= startedMs && ms <= endedMs).sort((a, b) => a - b)
  let longestMs = 0
  for (let i = 1; i < marks.length; i++) {
    const [fromMs, untilMs] = [marks[i - 1]!, marks[i]!]
    const within = stretches.filter((stretch) => stretch.fromMs <= fromMs && stretch.untilMs >= untilMs)
    const gapMs = Math.min(untilMs - fromMs, ...within.map(({ gapMs }) => gapMs))
    longestMs = Math.max(longestMs, gapMs)
  }
  return longestMs
}

interface Stretch {
  readonly fromMs: number
  readonly untilMs: number
  /** It progresses at least this often. */
  readonly gapMs: number
}

function stretchOf(record: UpgradeRecord, { name, startedMs, endedMs }: UpgradePhase): Stretch[] {
  if (startedMs === undefined || endedMs === undefined) return []
  const gapMs = name === 'virt_handler.waves' ? waveMs(record, startedMs, endedMs) : endedMs - startedMs
  return [{ fromMs: startedMs, untilMs: endedMs, gapMs }]
}

function waveMs({ detail }: UpgradeRecord, startedMs: number, endedMs: number): number {
  // The canary is the first wave and has a phase of its own.
  const waves = Math.max(1, (detail.virtHandler?.waves ?? 2) - 1)
  return (endedMs - startedMs) / waves
}
