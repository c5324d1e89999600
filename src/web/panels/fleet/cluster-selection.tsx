import { useState, type ReactNode } from 'react'
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
import { usePreferences } from '../../ui/preferences.ts'
import { serverNowMs } from '../../ui/server-clock.ts'
import { SilenceDialog } from '../silence-dialog.tsx'
import { DecommissionDialog } from './decommission-dialog.tsx'

/** More names are no address, and no matcher that somebody reads. */
const NAMED_MAX = 100
/** As the API has it; its own constant would bring its schemas along. */
const DECOMMISSIONED_MAX = 1000

interface ClusterSelectionProps {
  /** Those that were read: what is known of the chosen ones. */
  readonly clusters: readonly ClusterItem[]
  readonly chosen: ReadonlySet<string>
  readonly onClear: () => void
}

/** What can be done with the chosen clusters. */
export function ClusterSelection({ clusters, chosen, onClear }: ClusterSelectionProps): ReactNode {
  const [isSilencing, setSilencing] = useState(false)
  const [isDecommissioning, setDecommissioning] = useState(false)
  const isPresent = useMoment() === undefined
  const { zone } = usePreferences()
  const alerts = useAlerts().data?.alerts ?? []
  if (chosen.size === 0) return null
  const names = [...chosen].sort()
  const meant = alerts.filter(({ cluster }) => chosen.has(cluster))
  const isTooMany = names.length > NAMED_MAX
  const why = isTooMany ? { title: `At most ${NAMED_MAX} clusters can be named at once` } : {}
  return (
    <>
      <div className="selection-bar" role="group" aria-label="Selected clusters">
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
            <Button
              variant="primary"
              size="sm"
              onClick={() => {
                setSilencing(true)
              }}
            >
              Silence…
            </Button>
          </>
        )}
        {isPresent && chosen.size <= DECOMMISSIONED_MAX ? (
          <Button
            variant="secondary"
            size="sm"
            onClick={() => {
              setDecommissioning(true)
            }}
          >
            Decommissioned…
          </Button>
        ) : null}
        <Button variant="link" size="sm" onClick={onClear}>
          Clear
        </Button>
      </div>
      {isSilencing ? (
        <SilenceDialog
          initial={newDraft([matcherOf(names)], serverNowMs(), zone)}
          {...(meant.length === 0 ? {} : { wanted: meant.map(({ fingerprint }) => fingerprint) })}
          onClose={() => {
            setSilencing(false)
          }}
          onDone={onClear}
        />
      ) : null}
      {isDecommissioning ? (
        <DecommissionDialog
          clusters={names}
          reporting={
            clusters.filter(
              ({ cluster, states }) => chosen.has(cluster) && !states.includes('silent') && !states.includes('gone'),
            ).length
          }
          onClose={() => {
            setDecommissioning(false)
          }}
          onDone={onClear}
        />
      ) : null}
    </>
  )
}

function matcherOf(names: readonly string[]) {
  const [first = ''] = names
  if (names.length === 1) return { name: CLUSTER_LABEL, op: '=', value: first } as const
  return { name: CLUSTER_LABEL, op: '=~', value: names.map(escapeRegex).join('|') } as const
}
