import { useState, type ReactNode } from 'react'
import type { AlertItem } from '../../contract/alerts.ts'
import { countOf } from '../lib/format-number.ts'
import { reportUndo } from '../query/use-api-action.ts'
import { acknowledgePath, useAcknowledge, useUnacknowledge } from '../query/use-alert-actions.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { usePreferences } from '../ui/preferences.ts'
import { sayDone } from '../ui/toasts.ts'
import { ApiCallNote } from './api-call-note.tsx'
import { ActionFailure } from './action-failure.tsx'
import { NameField } from './name-field.tsx'

interface AcknowledgeDialogProps {
  readonly alerts: readonly AlertItem[]
  readonly onClose: () => void
  /** Called after success, in addition to `onClose`. */
  readonly onDone?: () => void
}

/** Acknowledges alerts: visible to others, suppresses nothing. Enter submits; the toast offers an undo. */
export function AcknowledgeDialog({ alerts, onClose, onDone }: AcknowledgeDialogProps): ReactNode {
  const { name } = usePreferences()
  const [note, setNote] = useState('')
  const acknowledge = useAcknowledge()
  const undo = useUnacknowledge()
  const [first] = alerts
  if (first === undefined) return null
  const what = alerts.length === 1 ? first.alertname : countOf(alerts.length, 'alert')
  const fingerprints = alerts.map(({ fingerprint }) => fingerprint)
  const request = { note: note.trim(), ...(name.trim() === '' ? {} : { by: name.trim() }) }
  const send = (): void => {
    acknowledge.mutate(
      { fingerprints, ...request },
      {
        onSuccess: () => {
          onClose()
          onDone?.()
          sayDone(`Acknowledged ${what}`, () => {
            reportUndo(undo.mutateAsync(fingerprints), `${what} is not acknowledged any more`, 'take it back')
          })
        },
      },
    )
  }
  return (
    <Dialog title={`Acknowledge ${what}`} onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault()
          send()
        }}
      >
        <p className="quiet">
          Tells others that you look after it. It stays in the list, and ends when the alert resolves.
        </p>
        <label className="field">
          <span>
            Note <span className="quiet">(what you do, or what you found)</span>
          </span>
          <input
            type="text"
            value={note}
            maxLength={1000}
            data-first
            onChange={(event) => {
              setNote(event.target.value)
            }}
          />
        </label>
        <NameField />
        {acknowledge.error === null ? null : <ActionFailure what="acknowledge it" failure={acknowledge.error} />}
        <div className="form-actions">
          <Button type="submit" variant="primary" isDisabled={acknowledge.isPending}>
            {acknowledge.isPending ? 'Sending…' : 'Acknowledge'}
          </Button>
          <Button variant="link" onClick={onClose}>
            Cancel
          </Button>
        </div>
        <ApiCallNote call={{ method: 'POST', path: acknowledgePath(first.fingerprint), body: request }} />
      </form>
    </Dialog>
  )
}
