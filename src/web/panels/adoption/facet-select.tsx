import type { ReactNode } from 'react'
import { FACETS, type Facet } from '../../lib/adoption-view.ts'

interface FacetSelectProps {
  readonly label: string
  readonly value: Facet
  readonly onChange: (facet: Facet) => void
}

/** Selects a facet of clusters. */
export function FacetSelect({ label, value, onChange }: FacetSelectProps): ReactNode {
  return (
    <span className="inline-row quiet text-small group-choice">
      <select
        aria-label={label}
        value={value}
        onChange={({ target }) => {
          onChange(target.value as Facet)
        }}
      >
        {FACETS.map((facet) => (
          <option key={facet} value={facet}>
            {facet}
          </option>
        ))}
      </select>
    </span>
  )
}
