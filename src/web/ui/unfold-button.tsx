import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'
import styles from './unfold-button.module.css'

interface UnfoldButtonProps {
  readonly isOpen: boolean
  readonly onToggle: () => void
  readonly children: ReactNode
}

/** The name of a row that unfolds. Keys walk to it as to the links of other rows. */
export function UnfoldButton({ isOpen, onToggle, children }: UnfoldButtonProps): ReactNode {
  return (
    <button type="button" className={styles.root} aria-expanded={isOpen} data-row onClick={onToggle}>
      <Icon name={isOpen ? 'down' : 'right'} />
      <span>{children}</span>
    </button>
  )
}
