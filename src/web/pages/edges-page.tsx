import { useView } from '../panels/use-view.ts'
import type { ReactNode } from 'react'
import { UPGRADE_OPERATORS } from '../../model/upgrade.ts'
import type { EdgeItems } from '../../contract/fleet-edges.ts'
import type { StrandedItem } from '../../contract/fleet-stranded.ts'
import {
  EDGE_ORDERS,
  EDGE_WINDOWS,
  EDGES_VIEW,
  edgeWindowWords,
  sortEdges,
  type EdgeOrder,
  type EdgesView,
} from '../lib/edge-view.ts'
import { strandedEdges } from '../lib/edge-text.ts'
import { edgesPath } from '../lib/paths.ts'
import { operatorName } from '../lib/fleet-names.ts'
import { countOf } from '../lib/format-number.ts'
import { Answer } from '../panels/answer.tsx'
import { ApiCallNote } from '../panels/api-call-note.tsx'
import { EdgeGraph } from '../panels/fleet/edge-graph.tsx'
import { EdgeTable } from '../panels/fleet/edge-table.tsx'
import { FirstRows } from '../panels/first-rows.tsx'
import { FleetCoverageNote, NoClusterNote } from '../panels/fleet/fleet-coverage.tsx'
import { StrandedTable } from '../panels/fleet/stranded-table.tsx'
import { OfferedUpdates } from '../panels/fleet/offered-updates.tsx'
import { PagesNav } from '../panels/pages-nav.tsx'
import { edgesCall, useEdges, strandedCall, useStranded } from '../query/use-edges.ts'
import { useMoment } from '../query/use-moment.ts'
import { Choice } from '../ui/choice.tsx'
import { FilterBar } from '../ui/filter-bar.tsx'
import { ListLine } from '../ui/list-line.tsx'
import { Panel } from '../ui/panel.tsx'
import styles from './edges-page.module.css'

const ORDER_TEXTS: Readonly<Record<EdgeOrder, string>> = {
  worst: 'Lowest success rate first',
  newest: 'Newest first',
  attempts: 'Most attempts',
  duration: 'Slowest first',
  last: 'Latest upgrade first',
}

/** All edges: their success rates and durations. */
export function EdgesPage(): ReactNode {
  const { view, set } = useView(EDGES_VIEW, edgesPath)
  const { order, operator, window, show } = view
  const moment = useMoment()
  const asked = { sort: 'success_low', order: 'asc', window }
  const query = useEdges(asked)
  const isStranded = show === 'stranded'
  const isOffered = show === 'offered'
  const stranded = useStranded(isStranded)
  // Where no version is stranded there is no edge of one.
  const hasRest = !isOffered && (!isStranded || stranded.data?.stranded.length !== 0)
  // With stranded versions the controls apply only to the edges below.
  const edgeTools = (
    <>
      <Choice label="Upgrades started" options={EDGE_WINDOWS} value={window} onChange={set('window')} />
      <Choice
        label="Order"
        options={EDGE_ORDERS.map((value) => ({ value, text: ORDER_TEXTS[value] }))}
        value={order}
        onChange={set('order')}
      />
      <Choice
        label="Operator"
        options={[
          { value: '', text: 'All operators' },
          ...UPGRADE_OPERATORS.map((value) => ({ value, text: operatorName(value) })),
        ]}
        value={operator}
        onChange={set('operator')}
      />
    </>
  )
  return (
    <div className="page">
      <title>Upgrade paths · Daytwo</title>
      <h1 className="visually-hidden">Fleet: upgrade paths</h1>
      <PagesNav place="Fleet" />
      <FilterBar>
        <Choice
          label="Versions"
          options={[
            { value: '', text: 'All versions' },
            { value: 'stranded', text: 'Stranded' },
            { value: 'offered', text: 'Offered updates' },
          ]}
          value={show}
          onChange={set('show')}
        />
        {show === '' ? edgeTools : null}
      </FilterBar>
      {isOffered ? <OfferedUpdates view={view} set={set} /> : null}
      {isStranded ? (
        <>
          <Answer query={stranded} what="stranded versions" skeletonLines={4}>
            {(answer) => <StrandedTable answer={answer} />}
          </Answer>
          <ApiCallNote call={{ path: strandedCall(moment) }} />
          {hasRest ? (
            <>
              <h2 className={styles.rest}>Upgrade paths from and to these versions</h2>
              <FilterBar>{edgeTools}</FilterBar>
            </>
          ) : null}
        </>
      ) : null}
      {hasRest ? (
        <>
          <Answer query={query} what="the upgrade paths" skeletonLines={12}>
            {(answer) => (
              <EdgesAnswer
                answer={
                  isStranded ? { ...answer, edges: strandedEdges(answer.edges, stranded.data?.stranded) } : answer
                }
                view={view}
                stranded={isStranded ? (stranded.data?.stranded ?? []) : NONE}
              />
            )}
          </Answer>
          <ApiCallNote call={{ path: edgesCall(asked, moment) }} />
        </>
      ) : null}
    </div>
  )
}

const NONE: readonly StrandedItem[] = []
const ROWS_AT_FIRST = 10

interface EdgesAnswerProps {
  readonly answer: EdgeItems
  readonly view: EdgesView
  /** Versions that are marked in the graph. */
  readonly stranded: readonly StrandedItem[]
}

function EdgesAnswer({ answer, view: { order, operator, window }, stranded }: EdgesAnswerProps): ReactNode {
  const edges = answer.edges.filter((edge) => operator === '' || edge.operator === operator)
  if (edges.length === 0 && stranded !== NONE)
    return <p className="empty quiet">No upgrade path from or to a stranded version.</p>
  if (edges.length === 0) {
    if (answer.coverage.clusters === 0) return <NoClusterNote />
    return (
      <p className="empty quiet">
        No upgrade paths{operator === '' ? '' : ` of ${operatorName(operator)}`}:{' '}
        {window === '' ? 'no upgrade has been observed yet' : 'no upgrade started in this range'}.
      </p>
    )
  }
  const operators = [...new Set(edges.map((edge) => edge.operator))]
  return (
    <>
      <ListLine count={countOf(edges.length, 'upgrade path')}>
        <span className="quiet">
          {edgeWindowWords(window)}
          {order === 'worst' ? '; paths with failures first, by the lower bound of the success rate' : ''}
        </span>
        <FleetCoverageNote coverage={answer.coverage} />
      </ListLine>
      <FirstRows
        list="edges"
        noun="upgrade paths"
        items={sortEdges(edges, order)}
        count={edges.length}
        atFirst={stranded === NONE ? ROWS_AT_FIRST : edges.length}
      >
        {(shown) => <EdgeTable label="Upgrade paths" edges={shown} window={window} />}
      </FirstRows>
      {operators.map((one) => (
        <Panel key={one} title={`Graph of ${operatorName(one)}`} className={`not-on-phone ${styles.graph}`}>
          <EdgeGraph edges={edges.filter((edge) => edge.operator === one)} window={window} stranded={stranded} />
        </Panel>
      ))}
    </>
  )
}
