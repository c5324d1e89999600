import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { ClusterSilenceItem } from '../../../contract/fleet-clusters.ts'
import { SILENCE_CAUSE_WORDS } from '../../lib/fleet-names.ts'
import { clustersPath, runbookPath } from '../../lib/paths.ts'
import { Notice } from '../../ui/notice.tsx'
import { Ago } from '../../ui/time.tsx'

/** Of causes with an alert of their own. */
const RUNBOOKS: Partial<Readonly<Record<ClusterSilenceItem['cause'], string>>> = {
  collector_stopped: 'DaytwoCollectorStopped',
  remote_write_broken: 'DaytwoRemoteWriteBroken',
}

/** Why a cluster sends nothing, or one of its data sources does not: evidence, what is missing, the next step. */
export function SilenceNote({ silence }: { readonly silence: ClusterSilenceItem | null }): ReactNode {
  if (silence === null) return null
  const { sources, total, since, cause, evidence, missing, nextStep } = silence
  const what = total ? 'No data' : `No ${sources.join(', ')}`
  return (
    <Notice
      kind={total ? 'partial' : 'note'}
      title={cause === 'unknown' ? `${what}: the cause is not known` : `${what}: ${SILENCE_CAUSE_WORDS[cause]}`}
      actions={<Link href={runbookPath(RUNBOOKS[cause] ?? 'DaytwoClusterSilent')}>Runbook</Link>}
    >
      <p>
        Last report <Ago at={since} />. <strong>{nextStep}</strong>
      </p>
      {evidence.length + missing.length === 0 ? null : (
        <ul className="stack text-small">
          {evidence.map((one) => (
            <li key={one.text}>
              {one.cause === cause ? one.text : `Also possible, ${SILENCE_CAUSE_WORDS[one.cause]}: ${one.text}`}
            </li>
          ))}
          {missing.map((text) => (
            <li key={text} className="quiet">
              {text}
            </li>
          ))}
        </ul>
      )}
      {cause === 'network' ? <Link href={clustersPath({ silence: cause })}>Clusters with this cause</Link> : null}
    </Notice>
  )
}
