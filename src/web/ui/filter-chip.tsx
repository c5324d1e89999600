import type { ReactNode } from 'react'
import styles from './filter-chip.module.css'
import { Icon } from './icon.tsx'

interface FilterChipProps {
  readonly name: string
  readonly value: string
  /** What is shown instead of name and value. */
  readonly text?: string
  readonly onRemove: () => void
}

/** One thing a list is narrowed to, which anybody can take away. */
export function FilterChip({ name, value, text, onRemove }: FilterChipProps): ReactNode {
  return (
    <span className={`chip ${styles.root}`}>
      {text ?? `${name}: ${value}`}
      <button type="button" className={styles.remove} aria-label={`Remove filter ${name}: ${value}`} onClick={onRemove}>
        <Icon name="cross" />
      </button>
    </span>
  )
}
