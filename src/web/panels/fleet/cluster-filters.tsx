import type { ReactNode } from 'react'
import type { ClusterFacets } from '../../../contract/fleet-clusters.ts'
import { CLUSTER_STATES } from '../../../model/cluster-record.ts'
import { toggled, type ClusterListView, CLUSTER_VIEW } from '../../lib/cluster-view.ts'
import { CLUSTER_STATE_MEANINGS, SILENCE_CAUSE_WORDS } from '../../lib/fleet-names.ts'
import { formatCount } from '../../lib/format-number.ts'
import { classNames } from '../../ui/class-names.ts'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { ClusterStateMark } from '../../ui/outcome-marks.tsx'
import { CLUSTER_FACETS, ClusterFields, valueChips } from './cluster-fields.tsx'
import styles from './cluster-filters.module.css'

interface ClusterFiltersProps {
  readonly view: ClusterListView
  readonly onChange: (view: ClusterListView) => void
  /** Absent while nothing is counted yet. */
  readonly facets: ClusterFacets | undefined
  /** At the end of the first line: views and columns. */
  readonly children: ReactNode
}

const NO_FACETS: ClusterFacets = { states: [], versions: [], channels: [], platforms: [], flavours: [], regions: [] }

/** Filters of the list, each choice with its count; their state is the URL. */
export function ClusterFilters({ view, onChange, facets, children }: ClusterFiltersProps): ReactNode {
  const change = (part: Partial<ClusterListView>): void => {
    onChange({ ...view, ...part })
  }
  return (
    <div className={`entries ${styles.root}`}>
      <StateChips view={view} onChange={onChange} facets={facets} />
      <ClusterFields view={view} onChange={change} facets={facets ?? NO_FACETS} end={children} />
      {CLUSTER_VIEW.isNarrowed(view) ? <Chips view={view} onChange={onChange} /> : null}
    </div>
  )
}

/** Each state with its count as a toggle button. */
function StateChips({ view, onChange, facets }: Pick<ClusterFiltersProps, 'view' | 'onChange' | 'facets'>): ReactNode {
  const counts = new Map(facets?.states.map(({ value, count }) => [value, count]))
  return (
    <div className={`tiles box ${styles.states}`} role="group" aria-label="State">
      {CLUSTER_STATES.map((state) => {
        const count = counts.get(state)
        const isChosen = view.states.includes(state)
        // Most fleets have none.
        if (state === 'gone' && !isChosen && (count ?? 0) === 0) return null
        return (
          <button
            key={state}
            type="button"
            className={classNames(
              'plain-button text-small tile',
              styles.state,
              count === 0 && !isChosen && styles.none,
            )}
            aria-pressed={isChosen}
            title={CLUSTER_STATE_MEANINGS[state]}
            onClick={() => {
              onChange({ ...view, states: toggled(view.states, state) })
            }}
          >
            <strong className="nums">{count === undefined ? '·' : formatCount(count)}</strong>
            <ClusterStateMark state={state} />
          </button>
        )
      })}
    </div>
  )
}

function Chips({ view, onChange }: Pick<ClusterFiltersProps, 'view' | 'onChange'>): ReactNode {
  return (
    <FilterBar
      chips={[
        ...valueChips('version', view.versions, (versions) => {
          onChange({ ...view, versions })
        }),
        ...valueChips(
          'silence',
          view.silences,
          (silences) => {
            onChange({ ...view, silences })
          },
          (cause) => SILENCE_CAUSE_WORDS[cause],
        ),
        ...CLUSTER_FACETS.filter(({ name }) => view[name] !== '').map(({ name }) => ({
          name,
          value: view[name],
          onRemove: () => {
            onChange({ ...view, [name]: '' })
          },
        })),
      ]}
      onReset={() => {
        onChange({ ...CLUSTER_VIEW.initial, sort: view.sort, order: view.order })
      }}
    />
  )
}
