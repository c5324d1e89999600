import type { ReactNode, Ref } from 'react'
import type { ClusterFacets } from '../../../contract/fleet-clusters.ts'
import { CLUSTER_STATES } from '../../../model/cluster-record.ts'
import { isNarrowed, toggled, WHOLE_FLEET } from '../../lib/cluster-view.ts'
import type { ClusterListView } from '../../lib/cluster-view.ts'
import { CLUSTER_STATE_MEANINGS } from '../../lib/fleet-words.ts'
import { formatCount } from '../../lib/format-number.ts'
import { versionChoices } from '../../lib/version-facets.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { FacetSelect } from '../../ui/facet-select.tsx'
import { FilterChip } from '../../ui/filter-chip.tsx'
import { ClusterStateMark } from '../../ui/outcome-marks.tsx'
import styles from './cluster-filters.module.css'

interface ClusterFiltersProps {
  readonly view: ClusterListView
  readonly onChange: (view: ClusterListView) => void
  /** Absent while nothing is counted yet. */
  readonly facets: ClusterFacets | undefined
  readonly searchRef: Ref<HTMLInputElement>
  /** At the end of the first line: views and columns. */
  readonly children: ReactNode
}

const NO_FACETS: ClusterFacets = { states: [], versions: [], channels: [], platforms: [], flavours: [], regions: [] }

/** What the list can be narrowed to, each choice with its number; all of it stands in the URL. */
export function ClusterFilters({ view, onChange, facets, searchRef, children }: ClusterFiltersProps): ReactNode {
  const { versions, channels, platforms, flavours, regions } = facets ?? NO_FACETS
  const change = (part: Partial<ClusterListView>): void => {
    onChange({ ...view, ...part })
  }
  return (
    <div className={styles.root}>
      <StateChips view={view} onChange={onChange} facets={facets} />
      <div className="filters">
        <input
          ref={searchRef}
          type="search"
          className="filters-search"
          aria-label="Search clusters"
          placeholder="Name or another name"
          value={view.text}
          onChange={(event) => {
            change({ text: event.target.value })
          }}
        />
        <div className="filters-row">
          <FacetSelect
            label="Version"
            isMany
            values={versionChoices(versions)}
            value=""
            onChange={(version) => {
              if (version !== '') change({ versions: toggled(view.versions, version) })
            }}
          />
          <FacetSelect
            label="Channel"
            values={channels}
            value={view.channel}
            onChange={(channel) => {
              change({ channel })
            }}
          />
          <FacetSelect
            label="Platform"
            values={platforms}
            value={view.platform}
            onChange={(platform) => {
              change({ platform })
            }}
          />
          <FacetSelect
            label="Flavour"
            values={flavours}
            value={view.flavour}
            onChange={(flavour) => {
              change({ flavour })
            }}
          />
          <FacetSelect
            label="Region"
            values={regions}
            value={view.region}
            onChange={(region) => {
              change({ region })
            }}
          />
        </div>
        {children}
      </div>
      <Chips view={view} onChange={onChange} />
    </div>
  )
}

/** Each state with its number, to be pressed; of those that hold nowhere only what is chosen is shown. */
function StateChips({ view, onChange, facets }: Pick<ClusterFiltersProps, 'view' | 'onChange' | 'facets'>): ReactNode {
  const counts = new Map(facets?.states.map(({ value, count }) => [value, count]))
  return (
    <div className={styles.states} role="group" aria-label="State">
      {CLUSTER_STATES.map((state) => {
        const count = counts.get(state)
        const isChosen = view.states.includes(state)
        // Most fleets have none, and nobody looks for them.
        if (state === 'gone' && !isChosen && (count ?? 0) === 0) return null
        return (
          <button
            key={state}
            type="button"
            className={classNames(styles.state, count === 0 && !isChosen && styles.none)}
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
  if (!isNarrowed(view)) return null
  return (
    <div className="filter-chips">
      {view.versions.map((version) => (
        <FilterChip
          key={version}
          name="version"
          value={version}
          onRemove={() => {
            onChange({ ...view, versions: toggled(view.versions, version) })
          }}
        />
      ))}
      {(['channel', 'platform', 'flavour', 'region'] as const).map((name) =>
        view[name] === '' ? null : (
          <FilterChip
            key={name}
            name={name}
            value={view[name]}
            onRemove={() => {
              onChange({ ...view, [name]: '' })
            }}
          />
        ),
      )}
      <Button
        variant="link"
        size="sm"
        isInline
        onClick={() => {
          onChange({ ...WHOLE_FLEET, sort: view.sort, order: view.order })
        }}
      >
        Show all
      </Button>
    </div>
  )
}
