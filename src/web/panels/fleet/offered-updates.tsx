import type { ReactNode } from 'react'
import type { EdgesView } from '../../lib/edge-view.ts'
import { operatorName } from '../../lib/fleet-names.ts'
import { compareVersions } from '../../lib/version-order.ts'
import { GRAPH_OPERATORS, type GraphOperator } from '../../../model/graph-import.ts'
import { useMoment } from '../../query/use-moment.ts'
import { updateGraphCall, useUpdateGraph } from '../../query/use-update-graph.ts'
import { Choice } from '../../ui/choice.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { Select } from '../../ui/select.tsx'
import { Answer } from '../answer.tsx'
import { ApiCallNote } from '../api-call-note.tsx'
import { UpdateGraph } from './update-graph.tsx'

interface OfferedUpdatesProps {
  readonly view: EdgesView
  readonly set: <K extends keyof EdgesView>(name: K) => (value: EdgesView[K]) => void
}

/** The update graph: what the catalogs and the update service offer, with the fleet on it. */
export function OfferedUpdates({ view, set }: OfferedUpdatesProps): ReactNode {
  const { channel, from, to } = view
  const operator: GraphOperator = view.operator === 'openshift' ? 'openshift' : 'kubevirt-hyperconverged'
  const asked = { operator, channel, from, to: from === '' ? '' : to }
  const moment = useMoment()
  const query = useUpdateGraph(asked, true)
  const newestFirst = [...(query.data?.versions ?? [])].map(({ version }) => version).sort(compareVersions)
  const versions = newestFirst.map((version) => ({ value: version, text: version }))
  const channels = (query.data?.channels ?? []).map(({ name, clusters, deprecated }) => ({
    value: name,
    text: `${name}${clusters === 0 ? '' : ` (${clusters})`}${deprecated === null ? '' : ', deprecated'}`,
  }))
  return (
    <>
      <FilterBar>
        <Choice
          label="Operator"
          options={GRAPH_OPERATORS.map((value) => ({ value, text: operatorName(value) }))}
          value={operator}
          onChange={set('operator')}
        />
        <Select label="Channel" none="All channels" options={channels} value={channel} onChange={set('channel')} />
        <Select label="Path from" none="Path from" options={versions} value={from} onChange={set('from')} />
        <Select label="Path to" none="to" options={versions} value={to} onChange={set('to')} />
      </FilterBar>
      <Answer query={query} what="the update graph" skeletonLines={12}>
        {(answer) => <UpdateGraph answer={answer} />}
      </Answer>
      <ApiCallNote call={{ path: updateGraphCall(asked, moment) }} />
    </>
  )
}
