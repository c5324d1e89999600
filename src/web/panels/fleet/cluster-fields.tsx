import type { ReactNode } from 'react'
import type { ClusterFacets } from '../../../contract/fleet-clusters.ts'
import { toggled, type ClusterListView } from '../../lib/cluster-view.ts'
import { versionChoices } from '../../lib/version-order.ts'
import { FacetSelect } from '../../ui/facet-select.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'

/** The facets of which one value is selected. */
export const CLUSTER_FACETS = [
  { name: 'channel', label: 'Channel', values: 'channels' },
  { name: 'platform', label: 'Platform', values: 'platforms' },
  { name: 'flavour', label: 'Flavour', values: 'flavours' },
  { name: 'region', label: 'Region', values: 'regions' },
] as const

type ClusterFields = Pick<ClusterListView, 'text' | 'versions' | (typeof CLUSTER_FACETS)[number]['name']>

interface ClusterFieldsProps {
  readonly view: ClusterFields
  readonly onChange: (part: Partial<ClusterFields>) => void
  readonly facets: Omit<ClusterFacets, 'states'>
  readonly chips?: readonly FilterChip[]
  readonly end?: ReactNode
}

/** Name, versions and facets of a selection of clusters, each choice with its count. */
export function ClusterFields({ view, onChange, facets, chips = [], end }: ClusterFieldsProps): ReactNode {
  return (
    <FilterBar
      search={{
        label: 'Search clusters',
        placeholder: 'Name or alias',
        value: view.text,
        onChange: (text) => {
          onChange({ text })
        },
      }}
      chips={chips}
      end={end}
    >
      <FacetSelect
        label="Version"
        isMany
        values={versionChoices(facets.versions)}
        value=""
        onChange={(version) => {
          if (version !== '') onChange({ versions: toggled(view.versions, version) })
        }}
      />
      {CLUSTER_FACETS.map(({ name, label, values }) => (
        <FacetSelect
          key={name}
          label={label}
          values={facets[values]}
          value={view[name]}
          onChange={(value) => {
            onChange({ [name]: value })
          }}
        />
      ))}
    </FilterBar>
  )
}

interface FilterChip {
  readonly name: string
  readonly value: string
  readonly onRemove: () => void
}

/** A chip for each chosen value. @param onChange receives the others when one is removed */
export function valueChips<T extends string>(
  name: string,
  values: readonly T[],
  onChange: (values: readonly T[]) => void,
  textOf: (value: T) => string = (value) => value,
): readonly FilterChip[] {
  return values.map((value) => ({
    name,
    value: textOf(value),
    onRemove: () => {
      onChange(toggled(values, value))
    },
  }))
}
