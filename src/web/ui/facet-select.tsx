import type { ReactNode } from 'react'
import { formatCount } from '../lib/format-number.ts'

interface FacetSelectProps {
  readonly label: string
  /** `null`: not known, which cannot be chosen but is counted. */
  readonly values: readonly { readonly value: string | null; readonly text?: string; readonly count: number }[]
  /** What is chosen; with `isMany` always empty, because each choice is added to those before. */
  readonly value: string
  readonly onChange: (value: string) => void
  readonly isMany?: boolean
}

/** A choice among values that are there, each with how many it would show. */
export function FacetSelect({ label, values, value, onChange, isMany = false }: FacetSelectProps): ReactNode {
  const isListed = value === '' || values.some((one) => one.value === value)
  return (
    <select
      aria-label={label}
      className="facet-select"
      value={value}
      disabled={values.length === 0 && value === ''}
      onChange={(event) => {
        onChange(event.target.value)
      }}
    >
      <option value="">{isMany ? `${label}…` : `${label}: any`}</option>
      {isListed ? null : <option value={value}>{value}</option>}
      {values.map((one) => (
        <option key={one.value ?? ''} value={one.value ?? '(not known)'} disabled={one.value === null}>
          {one.value === null ? 'not known' : (one.text ?? one.value)} ({formatCount(one.count)})
        </option>
      ))}
    </select>
  )
}
