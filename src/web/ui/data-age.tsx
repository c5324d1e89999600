import type { ReactNode } from 'react'
import { Since } from './time.tsx'
import styles from './data-age.module.css'

/** How old the rows of a list are. @param asOf the time of the answer; absent while there is none */
export function DataAge({ asOf }: { readonly asOf: string | undefined }): ReactNode {
  return (
    <span className={`quiet ${styles.root}`}>
      {' '}
      data {asOf === undefined ? null : <Since atMs={Date.parse(asOf)} suffix=" old" />}
    </span>
  )
}
