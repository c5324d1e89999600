import type { ReactNode, Ref } from 'react'
import { UPGRADE_OPERATORS } from '../../../contract/fleet-upgrades.ts'
import type { EdgeItem } from '../../../contract/fleet-edges.ts'
import { UPGRADE_STATES } from '../../../model/upgrade.ts'
import { toggled } from '../../lib/cluster-view.ts'
import { operatorName } from '../../lib/operator-words.ts'
import { isUpgradeViewNarrowed, parseUpgradeView, UPGRADE_WINDOWS } from '../../lib/upgrade-view.ts'
import type { UpgradeListView } from '../../lib/upgrade-view.ts'
import { compareVersions } from '../../lib/version-order.ts'
import { Button } from '../../ui/button.tsx'
import { UpgradeStateMark } from '../../ui/outcome-marks.tsx'
import styles from './upgrade-filters.module.css'

interface UpgradeFiltersProps {
  readonly view: UpgradeListView
  readonly onChange: (view: UpgradeListView) => void
  /** What there is to choose from. */
  readonly edges: readonly EdgeItem[]
  readonly searchRef: Ref<HTMLInputElement>
}

/** What the history is narrowed to; all of it stands in the URL. */
export function UpgradeFilters({ view, onChange, edges, searchRef }: UpgradeFiltersProps): ReactNode {
  const change = (part: Partial<UpgradeListView>): void => {
    onChange({ ...view, ...part })
  }
  const same = edges.filter(({ operator }) => view.operator === '' || operator === view.operator)
  return (
    <div className="filters">
      <input
        ref={searchRef}
        type="search"
        className="filters-search"
        aria-label="Cluster"
        placeholder="Whole name of a cluster"
        value={view.cluster}
        onChange={(event) => {
          change({ cluster: event.target.value })
        }}
      />
      <div className="filters-row">
        <PlainSelect
          label="Operator"
          options={UPGRADE_OPERATORS.map((value) => ({ value, text: operatorName(value) }))}
          value={view.operator}
          onChange={(operator) => {
            change({ operator, from: '', to: '' })
          }}
        />
        <PlainSelect
          label="From"
          options={versionsOf(same.map(({ from }) => from))}
          value={view.from}
          onChange={(from) => {
            change({ from })
          }}
        />
        <PlainSelect
          label="To"
          options={versionsOf(same.map(({ to }) => to))}
          value={view.to}
          onChange={(to) => {
            change({ to })
          }}
        />
        <PlainSelect
          label="Began"
          options={UPGRADE_WINDOWS.map(({ name, text }) => ({ value: name, text }))}
          value={view.began}
          onChange={(name) => {
            change({ began: UPGRADE_WINDOWS.find((window) => window.name === name)?.name ?? '' })
          }}
        />
      </div>
      <div className="row" role="group" aria-label="Outcome">
        {UPGRADE_STATES.map((state) => (
          <button
            key={state}
            type="button"
            className={styles.state}
            aria-pressed={view.states.includes(state)}
            onClick={() => {
              change({ states: toggled(view.states, state) })
            }}
          >
            <UpgradeStateMark state={state} />
          </button>
        ))}
      </div>
      {isUpgradeViewNarrowed(view) ? (
        <Button
          variant="link"
          size="sm"
          isInline
          onClick={() => {
            onChange({ ...parseUpgradeView(''), sort: view.sort, order: view.order, compare: view.compare })
          }}
        >
          Show all
        </Button>
      ) : null}
    </div>
  )
}

function versionsOf(versions: readonly string[]): readonly { readonly value: string; readonly text: string }[] {
  return [...new Set(versions)].sort(compareVersions).map((value) => ({ value, text: value }))
}

interface PlainSelectProps {
  readonly label: string
  readonly options: readonly { readonly value: string; readonly text: string }[]
  readonly value: string
  readonly onChange: (value: string) => void
}

function PlainSelect({ label, options, value, onChange }: PlainSelectProps): ReactNode {
  const isListed = value === '' || options.some((option) => option.value === value)
  return (
    <select
      aria-label={label}
      className="facet-select"
      value={value}
      onChange={(event) => {
        onChange(event.target.value)
      }}
    >
      <option value="">{label}: any</option>
      {isListed ? null : <option value={value}>{value}</option>}
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {label}: {option.text}
        </option>
      ))}
    </select>
  )
}
