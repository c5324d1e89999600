import type { ReactNode } from 'react'
import { valueTo } from './form-events.ts'
import styles from './select.module.css'

interface SelectProps {
  readonly label: string
  /** The text while nothing is chosen. */
  readonly none: string
  readonly options: readonly { readonly value: string; readonly text: string; readonly isDisabled?: boolean }[]
  /** Empty: nothing is chosen. A value that is not among the options stays visible. */
  readonly value: string
  readonly onChange: (value: string) => void
}

/** A choice among many. */
export function Select({ label, none, options, value, onChange }: SelectProps): ReactNode {
  const isListed = value === '' || options.some((option) => option.value === value)
  return (
    <select
      aria-label={label}
      className={`control screen-only ${styles.root}`}
      value={value}
      disabled={options.length === 0 && value === ''}
      onChange={valueTo(onChange)}
    >
      <option value="">{none}</option>
      {isListed ? null : <option value={value}>{value}</option>}
      {options.map((option) => (
        <option key={option.value} value={option.value} disabled={option.isDisabled}>
          {option.text}
        </option>
      ))}
    </select>
  )
}
