import { useState, type ReactNode } from 'react'
import { useSearch } from 'wouter'
import type { AlertItem } from '../../contract/alerts.ts'
import { parseAlertAction, type AlertAction } from '../lib/alert-view.ts'
import { newDraft } from '../lib/silence-draft.ts'
import { matchersFor } from '../lib/silence-matchers.ts'
import { useMoment } from '../query/use-moment.ts'
import { usePreferences } from '../ui/preferences.ts'
import { serverNowMs } from '../ui/server-clock.ts'
import { AcknowledgeDialog } from './acknowledge-dialog.tsx'
import { focusedFingerprint } from './alert-row-focus.ts'
import type { Selection } from './alert-selection.ts'
import { SilenceDialog } from './silence-dialog.tsx'

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

interface ActionDialogProps {
  readonly started: StartedAction
  readonly onClose: () => void
  readonly onDone: () => void
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
