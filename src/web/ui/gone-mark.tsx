import type { ReactNode } from 'react'
import styles from './gone-mark.module.css'

/** Of a row that stays for its reader although it is not in the list any more. */
export function GoneMark({ row }: { readonly row: { readonly isGone?: boolean } }): ReactNode {
  if (row.isGone !== true) return null
  return (
    <span className={`text-tiny no-wrap ${styles.root}`} title="Not in this list any more; removed at the next refresh">
      removed
    </span>
  )
}
