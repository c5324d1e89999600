import type { ReactNode } from 'react'
import { UPGRADE_OPERATORS } from '../../../model/upgrade.ts'
import type { EdgeItem } from '../../../contract/fleet-edges.ts'
import { UPGRADE_STATES } from '../../../model/upgrade.ts'
import { toggled } from '../../lib/cluster-view.ts'
import { operatorName } from '../../lib/fleet-names.ts'
import { isUpgradeViewNarrowed, UPGRADE_WINDOWS, type UpgradeListView, UPGRADE_VIEW } from '../../lib/upgrade-view.ts'
import { compareVersions } from '../../lib/version-order.ts'
import { FacetSelect } from '../../ui/facet-select.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { UpgradeStateMark } from '../../ui/outcome-marks.tsx'
import styles from './upgrade-filters.module.css'

interface UpgradeFiltersProps {
  readonly view: UpgradeListView
  readonly onChange: (view: UpgradeListView) => void
  /** What there is to choose from. */
  readonly edges: readonly EdgeItem[]
}

/** Filters of the history; their state is the URL. */
export function UpgradeFilters({ view, onChange, edges }: UpgradeFiltersProps): ReactNode {
  const change = (part: Partial<UpgradeListView>): void => {
    onChange({ ...view, ...part })
  }
  const same = edges.filter(({ operator }) => view.operator === '' || operator === view.operator)
  return (
    <FilterBar
      search={{
        label: 'Cluster',
        placeholder: 'Full cluster name',
        value: view.cluster,
        onChange: (cluster) => {
          change({ cluster })
        },
      }}
      more={
        <div className="row" role="group" aria-label="Outcome">
          {UPGRADE_STATES.map((state) => (
            <button
              key={state}
              type="button"
              className={`plain-button text-small ${styles.state}`}
              aria-pressed={view.states.includes(state)}
              onClick={() => {
                change({ states: toggled(view.states, state) })
              }}
            >
              <UpgradeStateMark state={state} />
            </button>
          ))}
        </div>
      }
      onReset={
        isUpgradeViewNarrowed(view)
          ? () => {
              onChange({ ...UPGRADE_VIEW.parse(''), sort: view.sort, order: view.order, compare: view.compare })
            }
          : undefined
      }
    >
      <FacetSelect
        label="Operator"
        values={UPGRADE_OPERATORS.map((value) => ({ value, text: operatorName(value) }))}
        value={view.operator}
        onChange={(operator) => {
          change({ operator, from: '', to: '' })
        }}
      />
      <FacetSelect
        label="From"
        values={versionsOf(same.map(({ from }) => from))}
        value={view.from}
        onChange={(from) => {
          change({ from })
        }}
      />
      <FacetSelect
        label="To"
        values={versionsOf(same.map(({ to }) => to))}
        value={view.to}
        onChange={(to) => {
          change({ to })
        }}
      />
      <FacetSelect
        label="Started"
        values={UPGRADE_WINDOWS.map(({ name, text }) => ({ value: name, text }))}
        value={view.began}
        onChange={(name) => {
          change({ began: UPGRADE_WINDOWS.find((window) => window.name === name)?.name ?? '' })
        }}
      />
    </FilterBar>
  )
}

function versionsOf(versions: readonly string[]): readonly { readonly value: string }[] {
  return [...new Set(versions)].sort(compareVersions).map((value) => ({ value }))
}
