import { useState, type ReactNode } from 'react'
import { EXAMPLE_QUERIES, findOwnQueries, readOwnQueries, withOwnQuery } from '../../lib/promql/own-queries.ts'
import { Button } from '../../ui/button.tsx'
import { valueTo } from '../../ui/form-events.ts'
import { keptAs } from '../../ui/kept.ts'
import { Popover } from '../../ui/popover.tsx'
import { PromqlText } from '../../ui/promql-text.tsx'
import { serverNowMs } from '../../ui/server-clock.ts'
import { Since } from '../../ui/time.tsx'
import styles from './own-queries.module.css'

const OWN = keptAs('daytwo.own-queries', readOwnQueries)

/** Stores a query that the reader ran. */
export function useRememberQuery(): (expr: string) => void {
  const own = OWN.use()
  return (expr) => {
    OWN.set(withOwnQuery(own, expr.trim(), serverNowMs()))
  }
}

interface ChooseProps {
  readonly onChoose: (expr: string) => void
}

/** Queries that the reader ran before, with a search, and examples. */
export function QueryHistory({ onChoose }: ChooseProps): ReactNode {
  const own = OWN.use()
  return (
    <Popover button="History" label="Query history" className={styles.popover}>
      {(close) => (
        <HistoryBody
          key={own.length}
          onChoose={(expr) => {
            onChoose(expr)
            close()
          }}
        />
      )}
    </Popover>
  )
}

function HistoryBody({ onChoose }: ChooseProps): ReactNode {
  const own = OWN.use()
  const [text, setText] = useState('')
  const shown = findOwnQueries(own, text)
  return (
    <>
      {own.length === 0 ? (
        <p className="quiet">Executed queries are listed here. The history is stored in this browser only.</p>
      ) : (
        <p className="row">
          <input
            type="search"
            className="control"
            aria-label="Find in the history"
            placeholder="Find"
            data-first
            value={text}
            onChange={valueTo(setText)}
          />
          <Button
            variant="inline"
            onClick={() => {
              OWN.set([])
            }}
          >
            Clear history
          </Button>
        </p>
      )}
      <OwnQueryList queries={shown} onChoose={onChoose} />
      <Examples onChoose={onChoose} />
    </>
  )
}

type OwnQueries = ReturnType<typeof OWN.use>

function OwnQueryList({ queries, onChoose }: ChooseProps & { readonly queries: OwnQueries }): ReactNode {
  return (
    <ul className={`plain-list scrolls ${styles.list}`}>
      {queries.map(({ expr, atMs }) => (
        <li key={expr} className="row row-nowrap row-text row-apart">
          <QueryButton expr={expr} onChoose={onChoose} />
          <span className="quiet text-tiny rigid">
            <Since atMs={atMs} suffix=" ago" />
          </span>
        </li>
      ))}
    </ul>
  )
}

/** Recent queries and examples, on a page without a query. */
export function FirstQueries({ onChoose }: ChooseProps): ReactNode {
  const own = OWN.use().slice(0, OWN_SHOWN_MAX)
  return (
    <div className={`stack ${styles.first}`}>
      {own.length === 0 ? null : (
        <section aria-labelledby="own-queries">
          <h2 id="own-queries">Recent queries</h2>
          <OwnQueryList queries={own} onChoose={onChoose} />
        </section>
      )}
      <section aria-labelledby="examples">
        <h2 id="examples">Example queries</h2>
        <Examples onChoose={onChoose} />
      </section>
    </div>
  )
}

const OWN_SHOWN_MAX = 8

function Examples({ onChoose }: ChooseProps): ReactNode {
  return (
    <ul className={`plain-list ${styles.examples}`}>
      {EXAMPLE_QUERIES.map(({ says, expr }) => (
        <li key={expr}>
          <Button
            variant="inline"
            onClick={() => {
              onChoose(expr)
            }}
          >
            {says}
          </Button>
          <code className="own-labels wraps">
            <PromqlText expr={expr} />
          </code>
        </li>
      ))}
    </ul>
  )
}

function QueryButton({ expr, onChoose }: ChooseProps & { readonly expr: string }): ReactNode {
  return (
    <button
      type="button"
      className="plain-button mono text-small fills one-line"
      onClick={() => {
        onChoose(expr)
      }}
    >
      <PromqlText expr={expr} />
    </button>
  )
}
