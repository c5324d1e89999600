import { type ReactNode, useDeferredValue, useState } from 'react'
import { reportUndo } from '../query/use-api-action.ts'
import { countOf } from '../lib/format-number.ts'
import { type SilenceDraft, draftFault, endOf, requestOf, type SilenceLength } from '../lib/silence-draft.ts'
import { Dialog } from '../ui/dialog.tsx'
import { formatMoment } from '../lib/format-time.ts'
import { SILENCES_PATH, useExpireSilence, useSaveSilence } from '../query/use-alert-actions.ts'
import { Choice } from '../ui/choice.tsx'
import { usePreferences } from '../ui/preferences.ts'
import { useNowMs } from '../ui/server-clock.ts'
import { sayDone } from '../ui/toasts.ts'
import { ActionForm } from './action-form.tsx'
import { MatcherFields } from './matcher-fields.tsx'
import { SilencePreviewNote } from './silence-preview-note.tsx'

interface SilenceDialogProps {
  readonly initial: SilenceDraft
  /** Fingerprints of the selected alerts; the preview warns when the matchers suppress others too. */
  readonly wanted?: readonly string[]
  readonly onClose: () => void
  /** Called after success, in addition to `onClose`. */
  readonly onDone?: () => void
}

export function SilenceDialog(props: SilenceDialogProps): ReactNode {
  const { initial, wanted, onClose } = props
  const title =
    initial.id !== undefined
      ? 'Edit the silence'
      : wanted === undefined
        ? 'New silence'
        : `Silence ${countOf(wanted.length, 'alert')}`
  return (
    <Dialog title={title} onClose={onClose}>
      <SilenceForm {...props} />
    </Dialog>
  )
}

const LENGTHS: Readonly<Record<SilenceLength, string>> = {
  '1h': '1 h',
  '4h': '4 h',
  '1d': '1 day',
  resolved: 'Until resolved',
  until: 'Until…',
}

/** Creates or edits a silence, with a preview of the suppressed alerts. */
function SilenceForm({ initial, wanted, onClose, onDone }: SilenceDialogProps): ReactNode {
  const [draft, setDraft] = useState(initial)
  const { name, zone } = usePreferences()
  const nowMs = useNowMs()
  const save = useSaveSilence()
  const expire = useExpireSilence()
  const matchers = useDeferredValue(draft.matchers)
  const fault = draftFault(draft, nowMs, zone)
  const { id } = initial
  const request = requestOf(draft, name, nowMs, zone)
  const send = (): void => {
    save.mutate(
      { ...(id === undefined ? {} : { id }), request },
      {
        onSuccess: (saved) => {
          onClose()
          onDone?.()
          const madeId = (saved as { readonly id?: unknown } | undefined)?.id
          const undo = (): void => {
            reportUndo(expire.mutateAsync(String(madeId)), 'Silence reverted', 'revert the silence')
          }
          sayDone(
            id === undefined ? 'Silence created' : 'Silence updated',
            id === undefined && typeof madeId === 'string' ? undo : undefined,
          )
        },
      },
    )
  }
  const change = (part: Partial<SilenceDraft>): void => {
    setDraft({ ...draft, ...part })
  }
  return (
    <ActionForm
      what={id === undefined ? 'create the silence' : 'update the silence'}
      submitText={id === undefined ? 'Silence' : 'Save the silence'}
      action={save}
      fault={fault}
      call={
        id === undefined
          ? { method: 'POST', path: SILENCES_PATH, body: request }
          : { method: 'PUT', path: `${SILENCES_PATH}/${id}`, body: request }
      }
      onSend={send}
      onClose={onClose}
    >
      <MatcherFields
        matchers={draft.matchers}
        onChange={(next) => {
          change({ matchers: next })
        }}
      />
      <SilencePreviewNote matchers={matchers} wanted={wanted} />
      <LengthField draft={draft} nowMs={nowMs} onChange={change} />
      <label className="field">
        <span>Comment</span>
        <input
          type="text"
          required
          data-first
          value={draft.comment}
          maxLength={1000}
          placeholder="Ticket, maintenance or reason"
          onChange={(event) => {
            change({ comment: event.target.value })
          }}
        />
      </label>
    </ActionForm>
  )
}

interface LengthFieldProps {
  readonly draft: SilenceDraft
  readonly nowMs: number
  readonly onChange: (part: Partial<SilenceDraft>) => void
}

function LengthField({ draft, nowMs, onChange }: LengthFieldProps): ReactNode {
  const { zone } = usePreferences()
  const endsAtMs = endOf(draft, nowMs, zone)
  return (
    <div className="field">
      <span>Duration</span>
      <Choice
        label="Duration"
        options={LENGTHS}
        value={draft.length}
        onChange={(length) => {
          onChange({ length })
        }}
      />
      {draft.length === 'until' ? (
        <input
          type="datetime-local"
          aria-label={zone === 'utc' ? 'Until, in UTC' : 'Until'}
          value={draft.until}
          onChange={(event) => {
            onChange({ until: event.target.value })
          }}
        />
      ) : null}
      <span className="quiet">
        {draft.length === 'resolved' ? 'Ends when none of its alerts is active, at the latest ' : 'Ends '}
        {Number.isNaN(endsAtMs) ? '…' : formatMoment(endsAtMs, zone)}
      </span>
    </div>
  )
}
