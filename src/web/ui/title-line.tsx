import type { ReactNode } from 'react'

interface TitleLineProps {
  readonly title: ReactNode
  /** Beside the title: states, counts. */
  readonly children?: ReactNode
  /** At the end of the line. */
  readonly tools?: ReactNode
}

/** The heading of the page of one thing, with its state and its tools. */
export function TitleLine({ title, children, tools }: TitleLineProps): ReactNode {
  return (
    <div className="row row-text page-head">
      <h1>{title}</h1>
      {children}
      {tools === undefined ? null : <span className="at-end">{tools}</span>}
    </div>
  )
}
