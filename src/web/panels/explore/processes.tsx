import type { ReactNode } from 'react'
import type { ProcessItem } from '../../../contract/debug-processes.ts'
import { countOf, formatCount } from '../../lib/format-number.ts'
import { formatLength, formatShortLength } from '../../lib/format-time.ts'
import { runbookPath } from '../../lib/paths.ts'
import { useForward } from '../../query/use-forward.ts'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Shape } from '../../ui/shapes.tsx'
import { ApiCallNote } from '../api-call-note.tsx'
import { Link } from 'wouter'

/** The processes that share the facts: who runs, who does what, and what others do not have yet. Nothing where there is one. */
export function Processes(): ReactNode {
  const answer = useForward().data
  if (answer === undefined || (answer.processes.length < 2 && answer.fault === undefined)) return null
  const { processes, unheardMs, fault } = answer
  const running = processes.filter(({ state }) => state === 'running').length
  return (
    <Panel
      title="Processes"
      aside={`${formatCount(running)} of ${countOf(processes.length, 'process', 'processes')} running`}
    >
      {fault === undefined ? null : (
        <Notice
          kind="error"
          title={`PostgreSQL does not answer: the list is ${formatLength(unheardMs / 1000)} old.`}
          actions={<Link href={runbookPath('DaytwoPostgresUnavailable')}>Runbook</Link>}
        >
          {fault}
        </Notice>
      )}
      <DataTable
        label="Processes"
        look="prose"
        isScrollable
        columns={COLUMNS}
        rows={processes}
        rowKey={({ name }) => name}
      />
      <p className="quiet">
        <Link href={runbookPath('DaytwoProcessMissing')}>Runbook</Link>
      </p>
      <ApiCallNote call={{ path: '/debug/processes' }} />
    </Panel>
  )
}

const COLUMNS: readonly Column<ProcessItem>[] = [
  {
    head: 'Process',
    kind: 'name',
    cell: ({ name, isSelf }) => (
      <>
        {name} {isSelf ? <span className="quiet">this one</span> : null}
      </>
    ),
    below: (item) => <span>{[...item.faults, `${item.version}, ${item.roles.join(', ')}`].join('; ')}</span>,
  },
  { head: 'State', isOneLine: true, cell: (item) => <State item={item} /> },
  { head: 'Not forwarded', cell: ({ forward }) => forwardText(forward) },
  { head: 'Not in PostgreSQL', isHiddenOnPhone: true, cell: ({ shipping }) => shippingText(shipping) },
  { head: 'Leases', isHiddenOnPhone: true, cell: ({ leases }) => leasesText(leases) },
  { head: 'Roles', isHiddenOnPhone: true, cell: ({ roles }) => roles.join(', ') },
  { head: 'Version', isHiddenOnPhone: true, cell: ({ version }) => version },
  { head: 'Faults', isHiddenOnPhone: true, cell: ({ faults }) => (faults.length === 0 ? 'None' : faults.join('; ')) },
]

function State({ item: { state, silentMs } }: { readonly item: ProcessItem }): ReactNode {
  if (state === 'running') {
    return (
      <>
        <Shape name="check" /> Running
      </>
    )
  }
  const ago = formatShortLength(silentMs / 1000)
  return (
    <>
      <Shape name={state === 'silent' ? 'triangle' : 'ring'} /> {state === 'silent' ? 'No heartbeat for' : 'Ended'}{' '}
      {ago}
      {state === 'silent' ? '' : ' ago'}
    </>
  )
}

function forwardText(forward: ProcessItem['forward']): string {
  if (forward === undefined) return 'Unknown'
  const { lagSamples, lagSeconds } = forward
  return lagSamples === 0 ? 'None' : `${countOf(lagSamples, 'sample')}, ${formatShortLength(lagSeconds)}`
}

/** As of seconds ago, everything is copied: that is no lag. */
const SHIPPED_WITHIN_SECONDS = 5

function shippingText(shipping: ProcessItem['shipping']): string {
  if (shipping === undefined) return 'Unknown'
  const { lagSeconds, pendingCommits } = shipping
  if (lagSeconds < SHIPPED_WITHIN_SECONDS) return 'None'
  return `${countOf(pendingCommits, 'commit')}, ${formatShortLength(lagSeconds)}`
}

function leasesText(leases: ProcessItem['leases']): string {
  if (leases === undefined) return 'Unknown'
  const { cluster = 0, rules = 0, alerts = 0 } = leases
  const parts = [countOf(cluster, 'cluster'), countOf(rules, 'rule group')]
  return [...parts, ...(alerts > 0 ? ['notifications'] : [])].join(', ')
}
