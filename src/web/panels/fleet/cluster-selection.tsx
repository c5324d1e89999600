import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { ClusterItem } from '../../../contract/fleet-clusters.ts'
import { CLUSTER_LABEL } from '../../../model/cluster-identity.ts'
import { countOf } from '../../lib/format-number.ts'
import { alertsPath } from '../../lib/paths.ts'
import { newDraft } from '../../lib/silence-draft.ts'
import { escapeRegex } from '../../lib/silence-matchers.ts'
import { useAlerts } from '../../query/use-fleet.ts'
import { useMoment } from '../../query/use-moment.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { DialogButton } from '../../ui/dialog-button.tsx'
import { usePreferences } from '../../ui/preferences.ts'
import { serverNowMs } from '../../ui/server-clock.ts'
import { SilenceDialog } from '../silence-dialog.tsx'
import { DecommissionDialog } from './decommission-dialog.tsx'

/** More names make the address and the matcher unreadable. */
const NAMED_MAX = 100
/** As the API has it; its own constant would bring its schemas along. */
const DECOMMISSIONED_MAX = 1000

interface ClusterSelectionProps {
  /** The loaded clusters, which may lack some of the selected ones. */
  readonly clusters: readonly ClusterItem[]
  readonly chosen: ReadonlySet<string>
  readonly onClear: () => void
}

/** Actions on the selected clusters. */
export function ClusterSelection({ clusters, chosen, onClear }: ClusterSelectionProps): ReactNode {
  const isPresent = useMoment() === undefined
  const { zone } = usePreferences()
  const alerts = useAlerts().data?.alerts ?? []
  if (chosen.size === 0) return null
  const names = [...chosen].sort()
  const meant = alerts.filter(({ cluster }) => chosen.has(cluster))
  const isTooMany = names.length > NAMED_MAX
  const why = isTooMany ? { title: `At most ${NAMED_MAX} clusters can be named at once` } : {}
  return (
    <div className="row raised selection-bar" role="group" aria-label="Selected clusters">
      <strong className="nums">{countOf(chosen.size, 'cluster')} selected</strong>
      <CopyButton text={names.join('\n')} label="Copy the names of the selected clusters" />
      {isTooMany ? (
        <span className="quiet" {...why}>
          {why.title}
        </span>
      ) : (
        <>
          <Link href={alertsPath({ cluster: names.join(','), groupBy: 'cluster' })}>
            {countOf(meant.length, 'alert')}
          </Link>
          <DialogButton
            variant="primary"
            size="sm"
            renderDialog={(close) => (
              <SilenceDialog
                initial={newDraft([matcherOf(names)], serverNowMs(), zone)}
                {...(meant.length === 0 ? {} : { wanted: meant.map(({ fingerprint }) => fingerprint) })}
                onClose={close}
                onDone={onClear}
              />
            )}
          >
            Silence…
          </DialogButton>
        </>
      )}
      {isPresent && chosen.size <= DECOMMISSIONED_MAX ? (
        <DialogButton
          size="sm"
          renderDialog={(close) => (
            <DecommissionDialog
              clusters={names}
              reporting={clusters.filter((one) => chosen.has(one.cluster) && isReporting(one)).length}
              onClose={close}
              onDone={onClear}
            />
          )}
        >
          Decommission…
        </DialogButton>
      ) : null}
      <Button variant="link" size="sm" onClick={onClear}>
        Clear
      </Button>
    </div>
  )
}

function isReporting({ states }: ClusterItem): boolean {
  return !states.includes('silent') && !states.includes('gone')
}

function matcherOf(names: readonly string[]) {
  const [first = ''] = names
  if (names.length === 1) return { name: CLUSTER_LABEL, op: '=', value: first } as const
  return { name: CLUSTER_LABEL, op: '=~', value: names.map(escapeRegex).join('|') } as const
}
