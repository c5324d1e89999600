import { useState, type ReactNode } from 'react'
import { Link } from 'wouter'
import type { WorkAnswer } from '../../contract/runbook-work.ts'
import { NOTE_CHARS_MAX } from '../../model/runbook-work.ts'
import { formatAge } from '../lib/format-time.ts'
import { CAUSE_TEXTS, CAUSES, endText } from '../lib/outcome-text.ts'
import { reviewPath } from '../lib/paths.ts'
import { useMoment } from '../query/use-moment.ts'
import { useRecordWork, useRunbookWork, type Occurrence } from '../query/use-runbook-work.ts'
import { Button } from '../ui/button.tsx'
import { submitTo, valueTo } from '../ui/form-events.ts'
import { Panel } from '../ui/panel.tsx'
import { Select } from '../ui/select.tsx'
import { Since } from '../ui/time.tsx'
import { sayDone } from '../ui/toasts.ts'
import { progressText, sayWorkFailed } from './runbook-steps.tsx'
import { Answer } from './answer.tsx'
import styles from './work-panel.module.css'

/** Progress, notes and the outcome of the work on one occurrence of an alert. Not of a past moment: work is of the present. */
export function WorkPanel({ run }: { readonly run: Occurrence }): ReactNode {
  const isPast = useMoment() !== undefined
  const query = useRunbookWork(isPast ? undefined : run)
  if (isPast) return null
  return (
    <Panel title="Work on this alert">
      <Answer query={query} what="the work on this alert" skeletonLines={3}>
        {(work) => (
          <>
            {work.steps.length === 0 ? null : <p className="nums">{progressText(work)}</p>}
            <p>
              <Acknowledged work={work} />
            </p>
            <Notes run={run} notes={work.notes} />
            <Ended run={run} work={work} />
            <p>
              <Link href={reviewPath(run.fingerprint, run.activeAtMs)}>Post-incident review</Link>
            </p>
          </>
        )}
      </Answer>
    </Panel>
  )
}

function Acknowledged({ work: { acknowledged, run } }: { readonly work: WorkAnswer }): ReactNode {
  if (acknowledged === null) return run.resolvedAtMs === null ? 'Not acknowledged yet.' : 'Not acknowledged.'
  const after = Math.max(0, acknowledged.atMs - run.firedAtMs)
  return `Acknowledged by ${acknowledged.by}, ${formatAge(after)} after the alert fired.`
}

interface NotesProps {
  readonly run: Occurrence
  readonly notes: WorkAnswer['notes']
}

/** Plain text: a note is never markup. */
export function Notes({ run, notes }: NotesProps): ReactNode {
  const [text, setText] = useState('')
  const record = useRecordWork(run)
  const send = (): void => {
    if (text.trim() === '') return
    record.mutate(
      { kind: 'note', text: text.trim() },
      {
        onError: sayWorkFailed,
        onSuccess: () => {
          setText('')
          sayDone('Note added')
        },
      },
    )
  }
  return (
    <>
      {notes.length === 0 ? null : (
        <ul className="plain-list" aria-label="Notes">
          {notes.map(({ number, text: written, by, atMs }) => (
            <li key={number}>
              <span className={styles.note}>{written}</span>{' '}
              <span className="quiet text-small">
                {by}, <Since atMs={atMs} suffix=" ago" />
              </span>
            </li>
          ))}
        </ul>
      )}
      <form className="form screen-only" onSubmit={submitTo(send)}>
        <label className="field">
          <span>Note</span>
          <textarea
            rows={2}
            value={text}
            maxLength={NOTE_CHARS_MAX}
            onChange={valueTo(setText)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
                event.preventDefault()
                send()
              }
            }}
          />
        </label>
        <div className="row">
          <Button type="submit" size="sm" isAriaDisabled={record.isPending || text.trim() === ''}>
            Add note
          </Button>
        </div>
      </form>
    </>
  )
}

/** What ended the alert, on what evidence, and the choice of a person who knows better. */
export function Ended({ run, work: { end } }: { readonly run: Occurrence; readonly work: WorkAnswer }): ReactNode {
  const record = useRecordWork(run)
  if (end === null) return <p className="quiet">What ended the alert is derived when it ends.</p>
  return (
    <div className="space-below">
      <p>
        <strong>Ended by: {endText(end)}.</strong> <span className="quiet">{end.evidence.join(' ')}</span>
      </p>
      <Select
        label="What ended the alert"
        none="As derived"
        value={end.isStated ? end.cause : ''}
        options={CAUSES.map((value) => ({ value, text: `Stated: ${CAUSE_TEXTS[value]}` }))}
        onChange={(cause) => {
          record.mutate(
            { kind: 'end', text: cause === '' ? 'derived' : cause },
            {
              onError: sayWorkFailed,
              onSuccess: () => {
                sayDone('Recorded what ended the alert')
              },
            },
          )
        }}
      />
    </div>
  )
}
