import { useEffect, useId, useRef, useState, type ReactNode } from 'react'
import type { BoundRunbook, RunbookSource } from '../../contract/runbooks.ts'
import { evidenceLines } from '../lib/outcome-text.ts'
import { runbookPath } from '../lib/paths.ts'
import { suggestionOf, type Suggestion } from '../lib/runbook-suggestion.ts'
import { useOutcomes } from '../query/use-runbook-work.ts'
import { useRunbookSource } from '../query/use-runbook.ts'
import { Button } from '../ui/button.tsx'
import { copyToClipboard } from '../ui/copy-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { valueTo } from '../ui/form-events.ts'
import { keptAs } from '../ui/kept.ts'
import { sayDone, sayFailed } from '../ui/toasts.ts'
import { Answer } from './answer.tsx'
import { OUTCOME_DAYS } from './outcomes.tsx'
import styles from './suggest-edit-dialog.module.css'

/** Unsent drafts by runbook name, stored in the browser. */
const DRAFTS = keptAs('daytwo.runbook-drafts', (kept) =>
  typeof kept === 'object' && kept !== null ? (kept as Readonly<Record<string, unknown>>) : {},
)

interface SuggestEditDialogProps {
  readonly bound: BoundRunbook
  readonly onClose: () => void
}

/** Edits a copy of the runbook and offers the patch for its maintainer. Changes nothing on the server. */
export function SuggestEditDialog({ bound, onClose }: SuggestEditDialogProps): ReactNode {
  return (
    <Dialog title={`Suggest an edit of ${bound.name}`} onClose={onClose}>
      <Answer query={useRunbookSource(bound.name)} what="the runbook source" skeletonLines={10}>
        {(source) => <Edit source={source} bound={bound} />}
      </Answer>
    </Dialog>
  )
}

function Edit({ source, bound }: { readonly source: RunbookSource; readonly bound: BoundRunbook }): ReactNode {
  const drafts = DRAFTS.use()
  const kept = drafts[source.name]
  const text = typeof kept === 'string' ? kept : source.text
  const write = (next: string | undefined): void => {
    DRAFTS.set({ ...drafts, [source.name]: next === source.text ? undefined : next })
  }
  const [withAlert, setWithAlert] = useState(true)
  const hintId = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    // The dialog opened before the page was loaded, with the focus on its close button.
    field.current?.focus()
    field.current?.setSelectionRange(0, 0)
  }, [])
  const { instance } = bound
  const link = new URL(runbookPath(bound.name, instance?.fingerprint), location.origin).href
  const outcomes = useOutcomes(source.name, OUTCOME_DAYS).data
  const evidence = outcomes === undefined ? [] : evidenceLines(outcomes)
  const suggestion = suggestionOf(source, text, withAlert ? instance : undefined, link, evidence)
  return (
    <div className="form">
      <label>
        Runbook source, with placeholders
        <textarea
          ref={field}
          className="code-field"
          rows={14}
          spellCheck
          value={text}
          aria-describedby={hintId}
          onChange={valueTo(write)}
        />
      </label>
      {instance === undefined ? null : (
        <label>
          <input
            type="checkbox"
            checked={withAlert}
            onChange={({ target }) => {
              setWithAlert(target.checked)
            }}
          />{' '}
          Include the alert and the name of its cluster
        </label>
      )}
      <p id={hintId} className="quiet">
        {suggestion === undefined
          ? 'Edit the text: the diff appears here, to copy for the maintainers of the runbooks.'
          : 'The server is not changed. The draft is stored in this browser until you discard it.'}
      </p>
      {suggestion === undefined ? null : (
        <pre className={`scrolls text-tiny ${styles.diff}`} tabIndex={0} aria-label="Diff">
          {suggestion.patch}
        </pre>
      )}
      <SuggestionActions
        suggestion={suggestion}
        onDiscard={() => {
          write(undefined)
        }}
      />
    </div>
  )
}

interface SuggestionActionsProps {
  readonly suggestion: Suggestion | undefined
  readonly onDiscard: () => void
}

function SuggestionActions({ suggestion, onDiscard }: SuggestionActionsProps): ReactNode {
  const copy = (what: string, text: string): void => {
    void copyToClipboard(text).then((isCopied) => {
      if (isCopied) sayDone(`Copied the ${what}`)
      else sayFailed('The browser denied access to the clipboard: select the diff and copy it')
    })
  }
  return (
    <div className="row form-actions">
      <Button
        variant="primary"
        isDisabled={suggestion === undefined}
        onClick={() => {
          copy('patch', suggestion?.patch ?? '')
        }}
      >
        Copy patch
      </Button>
      <Button
        isDisabled={suggestion === undefined}
        onClick={() => {
          copy('Markdown', suggestion?.markdown ?? '')
        }}
      >
        Copy as Markdown
      </Button>
      <Button variant="link" isDisabled={suggestion === undefined} onClick={onDiscard}>
        Discard
      </Button>
    </div>
  )
}
