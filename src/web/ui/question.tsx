import { useId, type ReactNode } from 'react'
import styles from './question.module.css'

/** What somebody asks, with its answer beside it. */
export function Question({ asks, children }: { readonly asks: string; readonly children: ReactNode }): ReactNode {
  const id = useId()
  return (
    <div className={styles.root} role="group" aria-labelledby={id}>
      <h3 id={id}>{asks}</h3>
      <div>{children}</div>
    </div>
  )
}
