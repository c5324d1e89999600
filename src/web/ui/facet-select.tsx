import type { ReactNode } from 'react'
import { formatCount } from '../lib/format-number.ts'
import { Select } from './select.tsx'

interface FacetValue {
  readonly value: string | null
  readonly text?: string
  /** How many it would show; absent where nobody counts: then the label stands before each value. */
  readonly count?: number
}

interface FacetSelectProps {
  readonly label: string
  /** A value of `null` is not known: it cannot be chosen but is counted. */
  readonly values: readonly FacetValue[]
  /** What is chosen; with `isMany` always empty, because each choice is added to those before. */
  readonly value: string
  readonly onChange: (value: string) => void
  readonly isMany?: boolean
}

/** A choice among values that are there, each with how many it would show where that is known. */
export function FacetSelect({ label, values, value, onChange, isMany = false }: FacetSelectProps): ReactNode {
  return (
    <Select
      label={label}
      none={isMany ? `${label}…` : `${label}: any`}
      options={values.map((one) => ({
        value: one.value ?? '(not known)',
        text: textOf(label, one),
        isDisabled: one.value === null,
      }))}
      value={value}
      onChange={onChange}
    />
  )
}

function textOf(label: string, { value, text, count }: FacetValue): string {
  const name = value === null ? 'not known' : (text ?? value)
  return count === undefined ? `${label}: ${name}` : `${name} (${formatCount(count)})`
}
