import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { SignalItem } from '../../../contract/fleet-rollouts.ts'
import type { RolloutSignal } from '../../../model/rollout-verdict.ts'
import { clusterPath, upgradePath } from '../../lib/paths.ts'
import { evidenceText, ratioText, shareText, SIGNAL_NAMES } from '../../lib/rollout-text.ts'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import { Mark, type Look } from '../../ui/marks.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Ago } from '../../ui/time.tsx'
import { UnfoldButton } from '../../ui/unfold-button.tsx'

interface RolloutSignalsProps {
  readonly signals: readonly SignalItem[]
  /** The unfolded one. */
  readonly open: RolloutSignal | ''
  readonly onOpen: (signal: RolloutSignal | '') => void
}

/** The evidence of each signal; a row unfolds to its strata and clusters. */
export function RolloutSignals({ signals, open, onOpen }: RolloutSignalsProps): ReactNode {
  const columns: readonly Column<SignalItem>[] = [
    {
      head: 'Signal',
      kind: 'name',
      title: ({ signal }) => SIGNAL_NAMES[signal].meaning,
      cell: ({ signal }) => (
        <UnfoldButton
          isOpen={open === signal}
          onToggle={() => {
            onOpen(open === signal ? '' : signal)
          }}
        >
          {SIGNAL_NAMES[signal].name}
        </UnfoldButton>
      ),
      isBelowStacked: true,
      below: ({ canary, baseline, state }) => (
        <>
          <StateMark state={state} />
          <span>{`${shareText(canary)} against ${shareText(baseline)}`}</span>
        </>
      ),
    },
    ...EVIDENCE_COLUMNS,
  ]
  return (
    <Panel title="Evidence" aside="of upgraded clusters against similar ones">
      <DataTable
        label="Evidence by signal"
        columns={columns}
        rows={signals}
        rowKey={({ signal }) => signal}
        detail={(item) => (item.signal === open ? <SignalDetail item={item} /> : null)}
      />
    </Panel>
  )
}

const STATES: Readonly<Record<SignalItem['state'], Look & { readonly word: string }>> = {
  worse: { shape: 'cross', tone: 'tone-critical', word: 'Worse' },
  open: { shape: 'ring', tone: 'quiet', word: 'Not worse so far' },
  none: { shape: 'dash', tone: 'quiet', word: 'Not compared' },
}

function StateMark({ state }: Pick<SignalItem, 'state'>): ReactNode {
  const { word, ...look } = STATES[state]
  return <Mark {...look}>{word}</Mark>
}

const EVIDENCE_COLUMNS: readonly Column<SignalItem>[] = [
  { head: 'State', isHiddenOnPhone: true, cell: ({ state }) => <StateMark state={state} /> },
  { head: 'Upgraded', kind: 'number', isHiddenOnPhone: true, cell: ({ canary }) => shareText(canary) },
  { head: 'Others', kind: 'number', isHiddenOnPhone: true, cell: ({ baseline }) => shareText(baseline) },
  {
    head: 'Ratio, 95 %',
    kind: 'number',
    isHiddenOnPhone: true,
    headTitle:
      'Of odds, or of durations, over all strata: for one look. It shows how much worse; the evidence decides.',
    cell: ({ effect }) => ratioText(effect),
  },
  {
    head: 'Evidence',
    kind: 'number',
    headTitle:
      'How many times as probable the data is if upgraded clusters are worse. From the second number on it is proved.',
    cell: (item) => evidenceText(item),
  },
]

function SignalDetail({ item }: { readonly item: SignalItem }): ReactNode {
  const { signal, reason, since, strata, counted, canary } = item
  return (
    <>
      <p>
        {SIGNAL_NAMES[signal].meaning} {reason}{' '}
        {since === null ? null : (
          <>
            Proved <Ago at={since} />.
          </>
        )}
      </p>
      <DataTable
        label="Strata"
        look="prose"
        columns={STRATUM_COLUMNS}
        rows={strata}
        rowKey={({ stratum }) => stratum}
        empty={<p className="quiet">No stratum has both groups.</p>}
      />
      <DataTable
        label="Clusters"
        look="prose"
        caption={`Upgraded clusters that count: ${counted.length === canary.count ? '' : 'the newest '}${counted.length}`}
        columns={CLUSTER_COLUMNS}
        rows={counted}
        rowKey={({ cluster, startedAt }) => `${cluster} ${startedAt}`}
        empty={<p className="quiet">No upgraded cluster counts.</p>}
      />
    </>
  )
}

const STRATUM_COLUMNS: readonly Column<SignalItem['strata'][number]>[] = [
  { head: 'Stratum', kind: 'name', cell: ({ stratum }) => (stratum === '' ? 'all clusters' : stratum) },
  { head: 'Upgraded', kind: 'number', cell: ({ canary }) => shareText(canary) },
  { head: 'Others', kind: 'number', cell: ({ baseline }) => shareText(baseline) },
]

const CLUSTER_COLUMNS: readonly Column<SignalItem['counted'][number]>[] = [
  { head: 'Cluster', kind: 'name', cell: ({ cluster }) => <Link href={clusterPath(cluster)}>{cluster}</Link> },
  { head: 'Started', cell: ({ startedAt }) => <Ago at={startedAt} /> },
  {
    head: 'Upgrade',
    cell: ({ upgrade }) => (upgrade === null ? '–' : <Link href={upgradePath(upgrade)}>upgrade</Link>),
  },
]
