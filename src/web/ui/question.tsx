import { useId } from 'react'
import type { ReactNode } from 'react'

/** What somebody asks, with its answer beside it. */
export function Question({ asks, children }: { readonly asks: string; readonly children: ReactNode }): ReactNode {
  const id = useId()
  return (
    <div className="question" role="group" aria-labelledby={id}>
      <h3 id={id}>{asks}</h3>
      <div className="question-answer">{children}</div>
    </div>
  )
}
