import type { ReactNode } from 'react'
import { CopyButton } from './copy-button.tsx'
import styles from './code-block.module.css'

interface CodeBlockProps {
  /** What is shown; marks may be inside. */
  readonly children: ReactNode
  /** What is copied. */
  readonly text: string
  /** What it is, for the copy button and for those who hear the page: `command`, `query`. */
  readonly what: string
  /** Stands in the bar above the code, left of the copy button. */
  readonly bar?: ReactNode
}

export function CodeBlock({ children, text, what, bar }: CodeBlockProps): ReactNode {
  return (
    <div className={`box spaced ${styles.root}`}>
      <div className={`row row-nowrap row-apart quiet text-tiny ${styles.bar}`}>
        <span className="inline-row">{bar}</span>
        <CopyButton text={text} label={`Copy ${what}`} />
      </div>
      {/* Long lines scroll, so the box must be reachable by keyboard. */}
      <pre tabIndex={0} aria-label={what}>
        <code>{children}</code>
      </pre>
    </div>
  )
}
