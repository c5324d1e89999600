import { useState, type ReactNode } from 'react'
import { useSearch } from 'wouter'
import { reportUndo } from '../query/use-api-action.ts'
import type { AlertItem } from '../../contract/alerts.ts'
import { parseAlertAction, type AlertAction } from '../lib/alert-view.ts'
import { newDraft } from '../lib/silence-draft.ts'
import { matchersFor } from '../lib/silence-matchers.ts'
import { useMoment } from '../query/use-moment.ts'
import { valueTo } from '../ui/form-events.ts'
import { usePreferences } from '../ui/preferences.ts'
import { serverNowMs } from '../ui/server-clock.ts'
import { countOf } from '../lib/format-number.ts'
import { acknowledgePath, useAcknowledge, useUnacknowledge } from '../query/use-alert-actions.ts'
import { Dialog } from '../ui/dialog.tsx'
import { sayDone } from '../ui/toasts.ts'
import { focusedFingerprint } from './alert-row-focus.ts'
import type { Selection } from './alert-selection.tsx'
import { SilenceDialog } from './silence-dialog.tsx'
import { ActionForm } from './action-form.tsx'

interface ActionTargets {
  readonly alerts: readonly AlertItem[]
  readonly selection: Selection
  /** Of the address. */
  readonly fingerprint: string | undefined
  /** The alert of the address, once it is loaded. */
  readonly opened: AlertItem | undefined
}

interface AlertActions {
  /** Opens the dialog for the selected alerts, else for the open one, else for the one whose row has the focus. */
  readonly start: (action: AlertAction) => void
  readonly startForOpened: (action: AlertAction) => void
  readonly dialog: ReactNode
}

/** Acknowledging and silencing from the page of alerts, in their dialogs. The link of a notification may open one. */
export function useAlertActions({ alerts, selection, fingerprint, opened }: ActionTargets): AlertActions {
  const search = useSearch()
  // A past alert can be neither acknowledged nor silenced.
  const isPast = useMoment() !== undefined
  const [started, setStarted] = useState<StartedAction>()
  // The action of a link waits for its alert.
  const [linked, setLinked] = useState(() => ({ action: parseAlertAction(search), fingerprint }))
  if (linked.action !== undefined && (opened !== undefined || fingerprint !== linked.fingerprint)) {
    setLinked({ action: undefined, fingerprint })
    if (opened !== undefined && fingerprint === linked.fingerprint && !isPast) {
      setStarted({ action: linked.action, alerts: [opened] })
    }
  }
  const startFor = (action: AlertAction, targets: readonly AlertItem[]): void => {
    if (!isPast && targets.length > 0) setStarted({ action, alerts: targets })
  }
  return {
    start: (action) => {
      startFor(action, targetsOf(alerts, selection.chosen, opened))
    },
    startForOpened: (action) => {
      startFor(action, opened === undefined ? [] : [opened])
    },
    dialog:
      started === undefined ? null : (
        <ActionDialog
          started={started}
          onClose={() => {
            setStarted(undefined)
          }}
          onDone={selection.clear}
        />
      ),
  }
}

function targetsOf(
  alerts: readonly AlertItem[],
  chosen: ReadonlySet<string>,
  opened: AlertItem | undefined,
): readonly AlertItem[] {
  if (chosen.size === 0 && opened !== undefined) return [opened]
  const focused = focusedFingerprint()
  return alerts.filter(({ fingerprint }) => (chosen.size > 0 ? chosen.has(fingerprint) : fingerprint === focused))
}

interface StartedAction {
  readonly action: AlertAction
  readonly alerts: readonly AlertItem[]
}

interface ActionDialogProps extends Omit<AcknowledgeDialogProps, 'alerts'> {
  readonly started: StartedAction
}

function ActionDialog({ started: { action, alerts }, ...rest }: ActionDialogProps): ReactNode {
  const { zone } = usePreferences()
  if (action === 'acknowledge') return <AcknowledgeDialog alerts={alerts} {...rest} />
  return (
    <SilenceDialog
      initial={newDraft(matchersFor(alerts), serverNowMs(), zone)}
      wanted={alerts.map(({ fingerprint }) => fingerprint)}
      {...rest}
    />
  )
}

interface AcknowledgeDialogProps {
  readonly alerts: readonly AlertItem[]
  readonly onClose: () => void
  /** Called after success, in addition to `onClose`. */
  readonly onDone?: () => void
}

/** Acknowledges alerts: visible to others, suppresses nothing. Enter submits; the toast offers an undo. */
function AcknowledgeDialog({ alerts, onClose, onDone }: AcknowledgeDialogProps): ReactNode {
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
            reportUndo(
              undo.mutateAsync(fingerprints),
              `Acknowledgement of ${what} removed`,
              'remove the acknowledgement',
            )
          })
        },
      },
    )
  }
  return (
    <Dialog title={`Acknowledge ${what}`} onClose={onClose}>
      <ActionForm
        what="acknowledge"
        submitText="Acknowledge"
        action={acknowledge}
        call={{ method: 'POST', path: acknowledgePath(first.fingerprint), body: request }}
        onSend={send}
        onClose={onClose}
      >
        <p className="quiet">
          Marks the alert as being handled by you. The alert stays in the list; the acknowledgement ends when the alert
          resolves.
        </p>
        <label className="field">
          <span>
            Note <span className="quiet">(findings or planned action)</span>
          </span>
          <input type="text" value={note} maxLength={1000} data-first onChange={valueTo(setNote)} />
        </label>
      </ActionForm>
    </Dialog>
  )
}
