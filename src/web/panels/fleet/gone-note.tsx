import { useState, type ReactNode } from 'react'
import type { ClusterDetail } from '../../../contract/fleet-clusters.ts'
import { formatLength } from '../../lib/format-time.ts'
import { useMoment } from '../../query/use-moment.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Ago, Moment } from '../../ui/time.tsx'
import { DecommissionDialog, useTakeBack } from './decommission-dialog.tsx'

/** Since when a cluster is gone, and why; nothing of one that is not. */
export function GoneNote({ cluster }: { readonly cluster: ClusterDetail }): ReactNode {
  const { gone } = cluster
  const takeBack = useTakeBack()
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
            ? 'Gone: it was switched off for good'
            : `Gone: nothing was heard of it for ${formatLength(gone.afterSeconds)}`
        }
        {...(isPresent ? { actions: <DecommissionButton cluster={cluster} /> } : {})}
      >
        It counts nowhere since {since}, and was last heard {heard}. As soon as anything comes from it, it is back.
      </Notice>
    )
  }
  const { id, by, reason, saidAt } = decommission
  return (
    <Notice
      kind="note"
      title={`Gone: ${by} says that it was decommissioned`}
      {...(isPresent
        ? {
            actions: (
              <Button
                variant="secondary"
                size="sm"
                onClick={() => {
                  takeBack([id], cluster.cluster)
                }}
              >
                Take it back
              </Button>
            ),
          }
        : {})}
    >
      “{reason}”. It counts nowhere since {since}; said <Ago at={saidAt} />, last heard {heard}. As soon as anything
      comes from it, it is back.
    </Notice>
  )
}

/** The way to say it of one cluster. */
export function DecommissionButton({ cluster }: { readonly cluster: ClusterDetail }): ReactNode {
  const [isAsked, setAsked] = useState(false)
  const isHeard = !cluster.states.includes('silent') && cluster.gone === null
  return (
    <>
      <Button
        variant="secondary"
        size="sm"
        onClick={() => {
          setAsked(true)
        }}
      >
        Decommissioned…
      </Button>
      {isAsked ? (
        <DecommissionDialog
          clusters={[cluster.cluster]}
          reporting={isHeard ? 1 : 0}
          onClose={() => {
            setAsked(false)
          }}
        />
      ) : null}
    </>
  )
}
