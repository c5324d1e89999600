import type { ReactNode } from 'react'
import type { CohortView } from '../../lib/rollout-text.ts'
import { CLUSTER_VIEW } from '../../lib/cluster-view.ts'
import { useClusterCounts } from '../../query/use-clusters.ts'
import { FacetSelect } from '../../ui/facet-select.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'

interface CanaryFiltersProps {
  readonly cohort: CohortView
  readonly onChange: (part: Partial<CohortView>) => void
}

const FIRST = ['5', '10', '20', '50', '100', '200'].map((value) => ({ value, text: `the first ${value}` }))
/** Shown while chosen; they are set by the address. */
const CHIPS = ['environment', 'cluster'] as const

/** Which upgrades to the version are the canary; all by default. */
export function CanaryFilters({ cohort, onChange }: CanaryFiltersProps): ReactNode {
  const facets = useClusterCounts(CLUSTER_VIEW.initial).data?.facets
  const isNarrowed = Object.entries(cohort).some(([name, value]) => name !== 'operator' && value !== '')
  return (
    <FilterBar
      search={{
        label: 'Canary: clusters by name',
        placeholder: 'Canary: name or alias',
        value: cohort.text,
        onChange: (text) => {
          onChange({ text })
        },
      }}
      chips={CHIPS.flatMap((name) => {
        const onRemove = (): void => {
          onChange({ [name]: '' })
        }
        return cohort[name] === '' ? [] : [{ name, value: cohort[name], onRemove }]
      })}
      onReset={
        isNarrowed
          ? () => {
              onChange({ first: '', channel: '', platform: '', region: '', environment: '', text: '', cluster: '' })
            }
          : undefined
      }
    >
      <FacetSelect
        label="Canary"
        values={FIRST}
        value={cohort.first}
        onChange={(first) => {
          onChange({ first })
        }}
      />
      {FACETS.map(({ name, label, values }) => (
        <FacetSelect
          key={name}
          label={label}
          values={facets?.[values] ?? []}
          value={cohort[name]}
          onChange={(value) => {
            onChange({ [name]: value })
          }}
        />
      ))}
    </FilterBar>
  )
}

const FACETS = [
  { name: 'channel', label: 'Channel', values: 'channels' },
  { name: 'platform', label: 'Platform', values: 'platforms' },
  { name: 'region', label: 'Region', values: 'regions' },
] as const
