import { useId, type ReactNode } from 'react'

interface PanelProps {
  readonly title: string
  /** Beside the title, quiet: a count, a rule. */
  readonly aside?: ReactNode
  /** Anchor, when a link leads here. */
  readonly id?: string
  readonly className?: string | undefined
  readonly children: ReactNode
}

/** A titled part of a page. */
export function Panel({ title, aside, id, className = '', children }: PanelProps): ReactNode {
  const headingId = useId()
  return (
    <section className={`panel ${className}`} aria-labelledby={headingId} {...(id === undefined ? {} : { id })}>
      <header className="row row-text row-apart panel-head">
        <h2 id={headingId}>{title}</h2>
        {aside === undefined ? null : <div className="panel-aside quiet text-small nums">{aside}</div>}
      </header>
      {children}
    </section>
  )
}
