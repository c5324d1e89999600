/** The present state of the work on one occurrence of an alert, from its entries. Pure; the last entry of each subject counts. */
import type { Correction, WorkEntry } from '../../model/runbook-work.ts'

/** Who recorded something, and when. */
export interface Recorded {
  readonly by: string
  readonly atMs: number
}

export interface StepState {
  /** Absent: the step is not ticked. */
  readonly ticked?: Recorded
  /** The step fixed the problem or, in Diagnosis, found the cause. */
  readonly helped?: Recorded
}

export interface NoteState extends Recorded {
  readonly number: number
  readonly text: string
}

export interface CorrectionState extends Recorded {
  readonly cause: Exclude<Correction, 'derived'>
  readonly step?: string
}

export interface WorkState {
  /** By key; steps that are neither ticked nor marked are absent. */
  readonly steps: ReadonlyMap<string, StepState>
  /** Oldest first. */
  readonly notes: readonly NoteState[]
  readonly correction?: CorrectionState
  /** The first entry. */
  readonly started?: Recorded
  /** The number of the newest entry; 0 without one. */
  readonly seen: number
}

/** @param entries of one occurrence, in their order */
export function workStateOf(entries: readonly WorkEntry[]): WorkState {
  const steps = new Map<string, StepState>()
  const notes: NoteState[] = []
  let correction: CorrectionState | undefined
  for (const { kind, step = '', text = '', by, atMs, number } of entries) {
    const { ticked, helped } = steps.get(step) ?? {}
    switch (kind) {
      case 'tick':
        steps.set(step, { ticked: { by, atMs }, ...(helped && { helped }) })
        break
      case 'untick':
        steps.set(step, { ...(helped && { helped }) })
        break
      case 'helped':
        steps.set(step, { ...(ticked && { ticked }), helped: { by, atMs } })
        break
      case 'not_helped':
        steps.set(step, { ...(ticked && { ticked }) })
        break
      case 'note':
        notes.push({ number, text, by, atMs })
        break
      case 'end':
        correction =
          text === 'derived'
            ? undefined
            : { cause: text as CorrectionState['cause'], by, atMs, ...(step === '' ? {} : { step }) }
        break
    }
  }
  for (const [key, { ticked, helped }] of steps) if (ticked === undefined && helped === undefined) steps.delete(key)
  const [first] = entries
  return {
    ...{ steps, notes },
    ...(correction && { correction }),
    ...(first && { started: { by: first.by, atMs: first.atMs } }),
    seen: entries.at(-1)?.number ?? 0,
  }
}
