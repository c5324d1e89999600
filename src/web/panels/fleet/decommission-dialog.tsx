import { useState, type ReactNode } from 'react'
import { formatLength } from '../../lib/format-time.ts'
import { decommissionFault, decommissionRequest, type DecommissionKind } from '../../lib/decommission-draft.ts'
import { countOf } from '../../lib/format-number.ts'
import { DECOMMISSIONS_PATH, useDecommission, useWithdraw } from '../../query/use-clusters.ts'
import { reportUndo } from '../../query/use-api-action.ts'
import { Button } from '../../ui/button.tsx'
import { Choice } from '../../ui/choice.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { usePreferences } from '../../ui/preferences.ts'
import { useNowMs } from '../../ui/server-clock.ts'
import { sayDone } from '../../ui/toasts.ts'
import { ReasonField, TimeField } from '../action-fields.tsx'
import { ActionForm } from '../action-form.tsx'
import type { ClusterDetail } from '../../../contract/fleet-clusters.ts'
import { useMoment } from '../../query/use-moment.ts'
import { DialogButton } from '../../ui/dialog-button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Ago, Moment } from '../../ui/time.tsx'

interface DecommissionDialogProps {
  readonly clusters: readonly string[]
  /** How many of them report now, as far as is known. */
  readonly reporting: number
  readonly onClose: () => void
  /** Also called when it was done. */
  readonly onDone?: () => void
}

/** Declares clusters decommissioned: they count nowhere until they report again. */
export function DecommissionDialog({ clusters, reporting, onClose, onDone }: DecommissionDialogProps): ReactNode {
  const { name, zone } = usePreferences()
  const nowMs = useNowMs()
  const [reason, setReason] = useState('')
  const [since, setSince] = useState('')
  const decommission = useDecommission()
  const revert = useRevert()
  const [kind, setKind] = useState<DecommissionKind>('decommissioned')
  const draft = { clusters, reason, since, kind }
  const fault = decommissionFault(draft, nowMs, zone)
  const request = decommissionRequest(draft, name, zone)
  const what = clusters.length === 1 ? (clusters[0] ?? '') : countOf(clusters.length, 'cluster')
  const send = (): void => {
    // Who shows the button shows another one as soon as the cluster is gone, and takes this form with it.
    decommission.mutateAsync(request).then(
      ({ decommissions }) => {
        onClose()
        onDone?.()
        sayDone(`${what} ${kind === 'opted_out' ? 'opted out' : 'decommissioned'}: not counted any more`, () => {
          revert(
            decommissions.map(({ id }) => id),
            what,
          )
        })
      },
      () => undefined, // the form shows the failure
    )
  }
  return (
    <Dialog title={`Decommission ${what}`} onClose={onClose}>
      <ActionForm
        what="declare the decommissioning"
        submitText="Decommission"
        action={decommission}
        fault={fault}
        call={{ method: 'POST', path: DECOMMISSIONS_PATH, body: request }}
        onSend={send}
        onClose={onClose}
      >
        <p className="quiet">
          Such a cluster is not silent or stuck, and is not counted from that time on; its history is retained. When the
          cluster sends data again, it is active again.
        </p>
        <Choice
          label="What is declared"
          options={[
            { value: 'decommissioned', text: 'Decommissioned' },
            { value: 'opted_out', text: 'Opted out' },
          ]}
          value={kind}
          onChange={setKind}
        />
        {reporting === 0 ? null : (
          <p>
            <strong>
              {clusters.length === 1
                ? 'The cluster is reporting now.'
                : `${countOf(reporting, 'cluster is', 'clusters are')} reporting now.`}
            </strong>{' '}
            The next data from a cluster reverts its decommissioning.
          </p>
        )}
        <ReasonField value={reason} onChange={setReason} />
        <TimeField
          label="Since"
          whenEmpty="now; not before the cluster was last seen"
          value={since}
          onChange={setSince}
        />
      </ActionForm>
    </Dialog>
  )
}

/** Reverts a decommissioning. Usable from a toast, which outlives its form. */
function useRevert(): (ids: readonly string[], what: string) => void {
  const withdraw = useWithdraw()
  return (ids, what) => {
    reportUndo(withdraw.mutateAsync(ids), `Decommissioning of ${what} reverted`, 'revert the decommissioning')
  }
}

/** Since when a cluster is gone, and why; nothing of one that is not. */
export function GoneNote({ cluster }: { readonly cluster: ClusterDetail }): ReactNode {
  const { gone } = cluster
  const revert = useRevert()
  const isPresent = useMoment() === undefined
  if (gone === null) return null
  const { decommission } = gone
  const since = <Moment atMs={Date.parse(gone.since)} />
  const heard = <Ago at={cluster.lastSeenAt} />
  if (decommission === null) {
    return (
      <Notice
        kind="note"
        title={
          gone.afterSeconds === null
            ? 'Decommissioned'
            : `Decommissioned automatically: no data for ${formatLength(gone.afterSeconds)}`
        }
        {...(isPresent ? { actions: <DecommissionButton cluster={cluster} /> } : {})}
      >
        Not counted since {since}; last seen {heard}. When the cluster sends data again, it is active again.
      </Notice>
    )
  }
  const { id, kind, by, reason, saidAt } = decommission
  return (
    <Notice
      kind="note"
      title={`${kind === 'opted_out' ? 'Opted out' : 'Decommissioned'}: declared by ${by}`}
      {...(isPresent
        ? {
            actions: (
              <Button
                size="sm"
                onClick={() => {
                  revert([id], cluster.cluster)
                }}
              >
                Revert
              </Button>
            ),
          }
        : {})}
    >
      “{reason}”. Not counted since {since}; declared <Ago at={saidAt} />, last seen {heard}. When the cluster sends
      data again, it is active again.
    </Notice>
  )
}

/** Declares one cluster decommissioned. */
export function DecommissionButton({ cluster }: { readonly cluster: ClusterDetail }): ReactNode {
  const isHeard = !cluster.states.includes('silent') && cluster.gone === null
  return (
    <DialogButton
      size="sm"
      renderDialog={(close) => (
        <DecommissionDialog clusters={[cluster.cluster]} reporting={isHeard ? 1 : 0} onClose={close} />
      )}
    >
      Decommission…
    </DialogButton>
  )
}
