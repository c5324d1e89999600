import { useState, type ReactNode } from 'react'
import { decommissionFault, decommissionRequest } from '../../lib/decommission-draft.ts'
import { countOf } from '../../lib/format-number.ts'
import { DECOMMISSIONS_PATH, useDecommission, useWithdraw } from '../../query/use-clusters.ts'
import { reportUndo } from '../../query/use-api-action.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { usePreferences } from '../../ui/preferences.ts'
import { useNowMs } from '../../ui/server-clock.ts'
import { sayDone } from '../../ui/toasts.ts'
import { ApiCallNote } from '../api-call-note.tsx'
import { ActionFailure } from '../action-failure.tsx'
import { NameField } from '../name-field.tsx'

interface DecommissionDialogProps {
  readonly clusters: readonly string[]
  /** How many of them are heard of now, as far as is known. */
  readonly reporting: number
  readonly onClose: () => void
  /** Also called when it was done. */
  readonly onDone?: () => void
}

/** "It was switched off for good": takes them out of every number, and ends by itself for one that is heard again. */
export function DecommissionDialog({ clusters, reporting, onClose, onDone }: DecommissionDialogProps): ReactNode {
  const { name, zone } = usePreferences()
  const nowMs = useNowMs()
  const [reason, setReason] = useState('')
  const [since, setSince] = useState('')
  const decommission = useDecommission()
  const takeBack = useTakeBack()
  const draft = { clusters, reason, since }
  const fault = decommissionFault(draft, nowMs, zone)
  const request = decommissionRequest(draft, name, zone)
  const what = clusters.length === 1 ? (clusters[0] ?? '') : countOf(clusters.length, 'cluster')
  const send = (): void => {
    // Who shows the button shows another one as soon as the cluster is gone, and takes this form with it.
    decommission.mutateAsync(request).then(
      ({ decommissions }) => {
        onClose()
        onDone?.()
        sayDone(`${what} ${clusters.length === 1 ? 'is' : 'are'} gone, and in no number any more`, () => {
          takeBack(
            decommissions.map(({ id }) => id),
            what,
          )
        })
      },
      () => undefined, // said in the form
    )
  }
  return (
    <Dialog title={`${what} ${clusters.length === 1 ? 'was' : 'were'} decommissioned`} onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault()
          if (fault === undefined) send()
        }}
      >
        <p className="quiet">
          For a cluster that was switched off for good. It is no longer silent or stuck and counts nowhere from that
          moment on; its history stays. Should it be heard again, it is back by itself.
        </p>
        {reporting === 0 ? null : (
          <p>
            <strong>
              {clusters.length === 1
                ? 'It is heard of now.'
                : `${countOf(reporting, 'of them is', 'of them are')} heard of now.`}
            </strong>{' '}
            As soon as it sends anything more, it counts again as if nobody had said this.
          </p>
        )}
        <label className="field">
          <span>Why</span>
          <input
            type="text"
            required
            data-first
            value={reason}
            maxLength={2000}
            placeholder="Ticket, who decided it, or what became of it"
            onChange={(event) => {
              setReason(event.target.value)
            }}
          />
        </label>
        <label className="field">
          <span>
            Since{zone === 'utc' ? ', in UTC' : ''}{' '}
            <span className="quiet">(now when left empty; not before it was last heard)</span>
          </span>
          <input
            type="datetime-local"
            value={since}
            onChange={(event) => {
              setSince(event.target.value)
            }}
          />
        </label>
        <NameField />
        {decommission.error === null ? null : (
          <ActionFailure what="say that it was decommissioned" failure={decommission.error} />
        )}
        <div className="form-actions">
          <Button type="submit" variant="primary" isDisabled={fault !== undefined || decommission.isPending}>
            {decommission.isPending ? 'Sending…' : 'Decommissioned'}
          </Button>
          <Button variant="link" onClick={onClose}>
            Cancel
          </Button>
          {fault === undefined ? null : <span className="quiet">{fault}</span>}
        </div>
        <ApiCallNote call={{ method: 'POST', path: DECOMMISSIONS_PATH, body: request }} />
      </form>
    </Dialog>
  )
}

/** Takes back what was said, from wherever it was said: a toast outlives its form, a page its answer. */
export function useTakeBack(): (ids: readonly string[], what: string) => void {
  const withdraw = useWithdraw()
  return (ids, what) => {
    reportUndo(withdraw.mutateAsync(ids), `What was said of ${what} is taken back`, 'take it back')
  }
}
