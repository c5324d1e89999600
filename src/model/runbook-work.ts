/** What people record while they work through a runbook for one occurrence of an alert, and what follows from it. */
import type { AlertRunKey } from './alert-run.ts'
import type { StepSection } from './runbook-steps.ts'

/** A step of a revision of a runbook. */
export interface RunbookStep {
  /** Hash of section and text: a step with an unchanged text has the same key in other revisions. */
  readonly key: string
  readonly section: StepSection
  /** Plain text, shortened; placeholders as `<name>`. */
  readonly text: string
}

/** The steps of a runbook as of one text of it. */
export interface RunbookRevision {
  readonly runbook: string
  /** Hash of the text without front matter. */
  readonly revision: string
  /** In use from then on, until the next revision of the runbook. */
  readonly fromMs: number
  readonly steps: readonly RunbookStep[]
}

/** `helped`: the step fixed the problem or, in Diagnosis, found the cause. `end`: a correction of what ended the alert. */
export const WORK_KINDS = ['tick', 'untick', 'helped', 'not_helped', 'note', 'end'] as const
export type WorkKind = (typeof WORK_KINDS)[number]

/** One entry; entries are added and never changed, so what two people record at the same time is all kept. */
export interface WorkEntry extends AlertRunKey {
  /** Rises from 1 in each occurrence. */
  readonly number: number
  readonly cluster: string
  readonly alertname: string
  readonly runbook: string
  readonly revision: string
  readonly atMs: number
  readonly by: string
  readonly kind: WorkKind
  /** Key of the step of `tick`, `untick`, `helped` and `not_helped`; of `end`: the step that ended the alert, if any. */
  readonly step?: string
  /** The note; of `end`: one of `CORRECTIONS`. */
  readonly text?: string
}

export type NewWorkEntry = Omit<WorkEntry, 'number'>

/** What ended an occurrence of an alert. */
export const END_CAUSES = ['fix', 'upgrade_ended', 'by_itself', 'unknown'] as const
export type EndCause = (typeof END_CAUSES)[number]

/** `derived`: an earlier correction is withdrawn. */
export const CORRECTIONS = [...END_CAUSES, 'derived'] as const
export type Correction = (typeof CORRECTIONS)[number]

/** Characters of one note. */
export const NOTE_CHARS_MAX = 2000
/** Entries of one occurrence, and characters of their notes together. */
export const RUN_ENTRIES_MAX = 500
export const RUN_TEXT_CHARS_MAX = 50_000
/** Entries of all occurrences. */
export const ENTRIES_MAX = 500_000

/** Entries with one subject contradict each other, and the last counts. Notes never do. */
export function subjectOf({ kind, step = '', number }: Pick<WorkEntry, 'kind' | 'step' | 'number'>): string {
  switch (kind) {
    case 'tick':
    case 'untick':
      return `tick ${step}`
    case 'helped':
    case 'not_helped':
      return `helped ${step}`
    case 'end':
      return 'end'
    case 'note':
      return `note ${number}`
  }
}

/**
 * `same`: it was recorded already. `conflict`: another user recorded the opposite after what the client had read.
 * `run_full`, `full`: a limit is reached.
 */
export type WorkAdded =
  | { readonly kind: 'added' | 'same'; readonly number: number }
  | { readonly kind: 'conflict'; readonly by: string; readonly atMs: number }
  | { readonly kind: 'run_full' | 'full' }

/** Reads what is recorded. Implemented by `store`. */
export interface RunbookWorkReader {
  /** Of some occurrences; of each in the order in which they were recorded. */
  entries(runs: readonly AlertRunKey[]): Promise<readonly WorkEntry[]>
  /** Oldest first; absent: of all runbooks. They name no cluster. */
  revisions(runbook?: string): Promise<readonly RunbookRevision[]>
}
