import type { ReactNode } from 'react'
import type { MarkValues } from '../lib/mark-values.ts'
import { CLIS, copyText, type Cli } from '../lib/runbook-blocks.ts'
import { Choice } from '../ui/choice.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { MarkedCode } from '../ui/markdown.tsx'
import { setPreference, usePreferences } from '../ui/preferences.ts'

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
