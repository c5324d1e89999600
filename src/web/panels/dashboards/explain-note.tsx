import { useState, type ReactNode } from 'react'
import type { ExplainedNode } from '../../../contract/explain.ts'
import { useExplain } from '../../query/use-query-answers.ts'
import { countOf, formatCount } from '../../lib/format-number.ts'
import { Answer } from '../answer.tsx'
import styles from './explain-note.module.css'

/** How a query is answered: each part of it with what it read, what came out and how long it took. */
export function ExplainNote({ path }: { readonly path: string }): ReactNode {
  const [isOpen, setIsOpen] = useState(false)
  const query = useExplain(path, isOpen)
  return (
    <details
      onToggle={(event) => {
        setIsOpen(event.currentTarget.open)
      }}
    >
      <summary>Explain</summary>
      {isOpen ? (
        <Answer query={query} what="how it is answered" skeletonLines={3}>
          {({ root }) => (
            <ul className={`list text-small ${styles.root}`}>
              <Node node={root} />
            </ul>
          )}
        </Answer>
      ) : null}
    </details>
  )
}

function Node({ node }: { readonly node: ExplainedNode }): ReactNode {
  const { text, result, totalMs, reads, children } = node
  return (
    <li>
      <code>{text}</code>
      <span className="quiet nums">
        {result === undefined
          ? ''
          : `${countOf(result.series, 'series', 'series')}, ${countOf(result.samples, 'sample')}, `}
        {totalMs.toFixed(1)} ms
      </span>
      {reads.map((read, i) => (
        <span key={i} className="quiet nums">
          read {read.source}: {formatCount(read.seriesRead)} of {countOf(read.seriesMatched, 'series', 'series')},{' '}
          {countOf(read.samples, 'sample')}
        </span>
      ))}
      {children.length === 0 ? null : (
        <ul className="list">
          {children.map((child, i) => (
            <Node key={i} node={child} />
          ))}
        </ul>
      )}
    </li>
  )
}
