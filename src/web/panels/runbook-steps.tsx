import type { ReactNode } from 'react'
import type { WorkAnswer } from '../../contract/runbook-work.ts'
import type { StepPlace } from '../../model/runbook-steps.ts'
import { asSentence } from '../lib/failure-text.ts'
import { toFailure, type ApiFailure } from '../query/fetch-json.ts'
import { useMoment } from '../query/use-moment.ts'
import { useRecordWork, useRunbookWork, type Occurrence } from '../query/use-runbook-work.ts'
import { Button } from '../ui/button.tsx'
import type { StepSlots } from '../ui/markdown.tsx'
import { Since } from '../ui/time.tsx'
import { sayFailed } from '../ui/toasts.ts'
import styles from './runbook-steps.module.css'

interface WorkSteps {
  readonly renderStep: ((part: object) => StepSlots | undefined) | undefined
  /** Above the text: how far the work is, or why there are no check boxes. */
  readonly line: ReactNode
}

const NONE: WorkSteps = { renderStep: undefined, line: null }

/** The check boxes of a runbook that is open for an alert. @param run absent: there are none */
export function useWorkSteps(run: Occurrence | undefined, places: readonly StepPlace[]): WorkSteps {
  const isPast = useMoment() !== undefined
  const { data } = useRunbookWork(isPast ? undefined : run)
  if (run === undefined || isPast || data === undefined) return NONE
  const steps = data.steps.filter(({ isCurrent }) => isCurrent)
  if (steps.length === 0) return NONE
  const isSame = steps.length === places.length && steps.every(({ section }, i) => section === places[i]!.section)
  if (!isSame) {
    return {
      renderStep: undefined,
      line: <p className="quiet">The runbook has changed: reload the page to tick its steps.</p>,
    }
  }
  const byPart = new Map(places.map(({ part }, i) => [part, steps[i]!]))
  return {
    renderStep: (part) => {
      const step = byPart.get(part)
      if (step === undefined) return undefined
      return { before: <StepTick run={run} step={step} />, below: <StepState run={run} step={step} /> }
    },
    line: (
      <p className="quiet nums" role="status">
        {progressText(data)}
      </p>
    ),
  }
}

export function progressText({ steps }: Pick<WorkAnswer, 'steps'>): string {
  const current = steps.filter(({ isCurrent }) => isCurrent)
  const done = current.filter(({ ticked }) => ticked !== null).length
  return `${done} of ${current.length} steps done.`
}

/** What a failed write says; a role that may not write is named. */
export function sayWorkFailed(thrown: unknown): void {
  const failure: ApiFailure = toFailure(thrown)
  sayFailed(
    failure.isRefusal
      ? 'Not recorded: recording work needs the role responder. Sign in with this role.'
      : `Not recorded: ${asSentence(failure.message)} ${failure.hint ?? ''}`.trim(),
  )
}

interface StepProps {
  readonly run: Occurrence
  readonly step: WorkAnswer['steps'][number]
}

function StepTick({ run, step: { key, text, ticked } }: StepProps): ReactNode {
  const record = useRecordWork(run)
  return (
    <label className={styles.tick}>
      <input
        type="checkbox"
        aria-label={`Done: ${text}`}
        checked={ticked !== null}
        disabled={record.isPending}
        onChange={() => {
          record.mutate({ kind: ticked === null ? 'tick' : 'untick', step: key }, { onError: sayWorkFailed })
        }}
      />
    </label>
  )
}

/** Who ticked the step, and whether it helped. Nothing until it is ticked or marked. */
function StepState({ run, step: { key, section, text, ticked, helped } }: StepProps): ReactNode {
  const record = useRecordWork(run)
  if (ticked === null && helped === null) return null
  const what = section === 'diagnosis' ? 'This found the cause' : 'This fixed it'
  return (
    <div className={`row row-text text-small ${styles.state}`}>
      {ticked === null ? null : (
        <span className="quiet">
          {ticked.by}, <Since atMs={ticked.atMs} suffix=" ago" />
        </span>
      )}
      <Button
        size="sm"
        className="screen-only"
        aria-pressed={helped !== null}
        aria-label={`${what}: ${text}`}
        isAriaDisabled={record.isPending}
        onClick={() => {
          record.mutate({ kind: helped === null ? 'helped' : 'not_helped', step: key }, { onError: sayWorkFailed })
        }}
      >
        {helped === null ? what : `✓ ${what}`}
      </Button>
      {helped === null || helped.by === ticked?.by ? null : <span className="quiet">marked by {helped.by}</span>}
    </div>
  )
}
