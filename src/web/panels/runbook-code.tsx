import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { MarkValues } from '../lib/mark-values.ts'
import { promqlPath } from '../lib/paths.ts'
import { toFailure } from '../query/fetch-json.ts'
import { useInstantQuery } from '../query/use-query-answers.ts'
import { CodeBlock } from '../ui/code-block.tsx'
import { MarkedCode } from '../ui/markdown.tsx'
import { toServerTime } from '../ui/server-clock.ts'
import { Mark } from '../ui/marks.tsx'
import { Shape } from '../ui/shapes.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Since } from '../ui/time.tsx'
import { CLIS, copyText, type Cli } from '../lib/runbook-blocks.ts'
import { Choice } from '../ui/choice.tsx'
import { setPreference, usePreferences } from '../ui/preferences.ts'
import styles from './runbook-code.module.css'
import { PromqlResult } from './promql-result.tsx'

/** A query of a runbook with its live result, polled every 15 s. */
export function LiveCell({ expr, mark }: { readonly expr: string; readonly mark: MarkValues }): ReactNode {
  const query = useInstantQuery(expr)
  return (
    <div className={`box spaced ${styles.live}`}>
      <CodeBlock
        what="query"
        text={expr}
        bar={
          <>
            <Mark shape="ring">live</Mark>
            <Link href={promqlPath(expr)}>Explore</Link>
          </>
        }
      >
        <MarkedCode text={expr} mark={mark} />
      </CodeBlock>
      <div className={styles.answer} role="group" aria-label="Answer">
        {query.data === undefined ? null : <PromqlResult answer={query.data} />}
        {query.isPending ? <Skeleton lines={1} label="Running the query" /> : null}
        {query.error === null ? null : (
          <p className="tone-critical">
            <Shape name="cross" /> {toFailure(query.error).message}
          </p>
        )}
        {query.dataUpdatedAt === 0 ? null : (
          <p className="text-tiny quiet">
            queried <Since atMs={toServerTime(query.dataUpdatedAt)} suffix=" ago" />
          </p>
        )}
      </div>
    </div>
  )
}

interface CliCommandProps {
  readonly commands: Readonly<Partial<Record<Cli, string>>>
  readonly mark: MarkValues
}

/** A command for the client the reader has. Choosing one changes every command of every page, and is remembered. */
export function CliCommand({ commands, mark }: CliCommandProps): ReactNode {
  const { cli } = usePreferences()
  const given = CLIS.filter((name) => commands[name] !== undefined)
  const shown = given.includes(cli) ? cli : given[0]
  const text = shown === undefined ? '' : (commands[shown] ?? '')
  return (
    <CodeBlock
      what="command"
      text={copyText(text)}
      bar={
        given.length < 2 || shown === undefined ? (
          shown
        ) : (
          <Choice
            label="Client"
            options={given.map((name) => ({ value: name, text: name }))}
            value={shown}
            onChange={(chosen) => {
              setPreference('cli', chosen)
            }}
          />
        )
      }
    >
      <MarkedCode text={text} mark={mark} />
    </CodeBlock>
  )
}
