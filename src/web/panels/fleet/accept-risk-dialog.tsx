import { useState, type ReactNode } from 'react'
import type { AcceptanceRequest } from '../../../contract/readiness.ts'
import { countOf } from '../../lib/format-number.ts'
import { nextFriday, riskFault, riskRequest } from '../../lib/risk-draft.ts'
import { reportUndo } from '../../query/use-api-action.ts'
import { ACCEPTANCES_PATH, useAcceptRisk, useWithdrawRisk } from '../../query/use-readiness.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { DialogButton } from '../../ui/dialog-button.tsx'
import { usePreferences } from '../../ui/preferences.ts'
import { useNowMs } from '../../ui/server-clock.ts'
import { sayDone } from '../../ui/toasts.ts'
import { ReasonField, TimeField } from '../action-fields.tsx'
import { ActionForm } from '../action-form.tsx'

interface AcceptRiskProps {
  readonly hazard: AcceptanceRequest['hazard']
  /** The title of the hazard. */
  readonly title: string
  /** The clusters by name or by a selection. */
  readonly of: Pick<AcceptanceRequest, 'clusters' | 'selector' | 'to'>
  readonly count: number
}

/** Accepts a risk: it is shown as accepted and does not count until it expires. */
export function AcceptRiskButton(props: AcceptRiskProps): ReactNode {
  return (
    <DialogButton size="sm" renderDialog={(close) => <AcceptRiskDialog {...props} onClose={close} />}>
      Accept…
    </DialogButton>
  )
}

function AcceptRiskDialog({
  hazard,
  title,
  of,
  count,
  onClose,
}: AcceptRiskProps & { readonly onClose: () => void }): ReactNode {
  const { name, zone } = usePreferences()
  const nowMs = useNowMs()
  const [reason, setReason] = useState('')
  const [until, setUntil] = useState(() => nextFriday(nowMs, zone))
  const accept = useAcceptRisk()
  const withdraw = useWithdrawRisk()
  const draft = { hazard, of, reason, until }
  const request = riskRequest(draft, name, zone)
  const send = (): void => {
    accept.mutateAsync(request).then(
      ({ acceptances }) => {
        onClose()
        const id = acceptances[0]?.id ?? ''
        sayDone(`Risk accepted for ${countOf(acceptances[0]?.clusters.length ?? 0, 'cluster')}: ${title}`, () => {
          reportUndo(withdraw.mutateAsync(id), 'Acceptance withdrawn', 'withdraw the acceptance')
        })
      },
      () => undefined, // the form shows the failure
    )
  }
  return (
    <Dialog title={`Accept for ${countOf(count, 'cluster')}: ${title}`} onClose={onClose}>
      <ActionForm
        what="accept the risk"
        submitText="Accept"
        action={accept}
        fault={riskFault(draft, nowMs, zone)}
        call={{ method: 'POST', path: ACCEPTANCES_PATH, body: request }}
        onSend={send}
        onClose={onClose}
      >
        <p className="quiet">
          The risk is shown as accepted and does not count in the verdict until it expires. The acceptance is in the
          audit log.
        </p>
        <ReasonField value={reason} onChange={setReason} />
        <TimeField label="Expires" value={until} onChange={setUntil} />
      </ActionForm>
    </Dialog>
  )
}
