import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { ForwardState } from '../../../contract/debug-forward.ts'
import { countOf, formatCount, formatShare } from '../../lib/format-number.ts'
import { formatLength } from '../../lib/format-time.ts'
import { runbookPath } from '../../lib/paths.ts'
import { FORWARD_PATH, useForward } from '../../query/use-forward.ts'
import { FactList } from '../../ui/fact-list.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Moment } from '../../ui/time.tsx'
import { ApiCallNote } from '../api-call-note.tsx'

/** The store that samples are forwarded to, how far they are, and what it does not accept. Nothing without such a store. */
export function MetricsStore(): ReactNode {
  const forward = useForward().data?.forward
  if (forward === undefined) return null
  const { lagSamples, lagSeconds } = forward
  const lag = `${countOf(lagSamples, 'sample')} behind`
  return (
    <Panel title="Metrics store" aside={lagSamples === 0 ? 'up to date' : lag}>
      <FactList
        isWide
        facts={[
          { name: 'Address', value: forward.writeUrl },
          { name: 'Engine', value: engineOf(forward) },
          {
            name: 'Lag',
            value: lagSamples === 0 ? 'None' : `${formatCount(lagSamples)} samples, ${formatLength(lagSeconds)}`,
          },
          { name: 'Position', value: positionOf(forward) },
          { name: 'Buffer', value: `${formatShare(forward.buffer.usedBytes, forward.buffer.maxBytes)} full` },
          forward.refusals.length === 0 ? undefined : { name: 'Refused', value: <Refused forward={forward} /> },
          forward.lastError && { name: 'Last error', value: <LastError error={forward.lastError} /> },
          ...(forward.remote?.notAccepted ?? []).map(({ what, why }) => {
            return { name: `Not accepted: ${what}`, value: why }
          }),
        ]}
      />
      <p className="quiet">
        <Link href={runbookPath('DaytwoForwardingLags')}>Runbook</Link>
      </p>
      <ApiCallNote call={{ path: FORWARD_PATH }} />
    </Panel>
  )
}

function engineOf({ remote }: ForwardState): string {
  if (remote === undefined) return 'Unknown: not reached yet'
  return `${remote.engine} ${remote.version}`.trim() + `, remote write ${remote.protocol}`
}

function positionOf({ rows }: ForwardState): string {
  return `Log row ${formatCount(rows.acknowledged)} of ${formatCount(rows.newest)}`
}

function LastError({ error }: { readonly error: NonNullable<ForwardState['lastError']> }): ReactNode {
  return (
    <>
      {error.text} (<Moment atMs={error.atMs} />)
    </>
  )
}

function Refused({ forward: { totals, refusals } }: { readonly forward: ForwardState }): ReactNode {
  return refusals.map(({ reason, series, text }) => (
    <div key={reason}>
      {reason}: {countOf(totals.refused[reason] ?? 0, 'sample')}, such as <code>{series}</code>: {text}
    </div>
  ))
}
