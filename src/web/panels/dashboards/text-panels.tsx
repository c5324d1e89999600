import { useMemo, type ReactNode } from 'react'
import { interpolateText, type VariableValues } from '../../lib/dashboards/interpolate.ts'
import { createMarker } from '../../lib/mark-values.ts'
import { copyText, parseBlocks } from '../../lib/runbook-blocks.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Markdown } from '../../ui/markdown.tsx'
import { CHART_KINDS, type PanelQuery, type UnknownPart } from '../../../model/dashboard.ts'
import { TextLink } from './text-link.tsx'
import styles from './text-panels.module.css'

const NO_MARKS = createMarker({ bindings: [], unbound: [] })

/** Text of a panel. HTML in it is text. */
export function MarkdownPanel({ text, values }: { readonly text: string; readonly values: VariableValues }): ReactNode {
  const filled = interpolateText(text, values)
  const blocks = useMemo(() => parseBlocks(filled), [filled])
  return (
    <Markdown
      className={`fills scrolls ${styles.markdown}`}
      tabIndex={0}
      role="group"
      aria-label="Text"
      isWide
      blocks={blocks}
      slots={{
        sectionLevel: 3,
        mark: NO_MARKS,
        renderLink: (href, children) => <TextLink href={href}>{children}</TextLink>,
        renderBlock: (block, key) =>
          block.kind === 'cli' ? null : (
            <CodeBlock key={key} what="code" text={copyText(block.text)}>
              {block.text}
            </CodeBlock>
          ),
      }}
    />
  )
}

interface UnknownPanelProps {
  readonly part: UnknownPart
  readonly queries: readonly PanelQuery[]
}

/** A panel of a kind that is not supported: its kind, and its part of the file. */
export function UnknownPanel({ part, queries }: UnknownPanelProps): ReactNode {
  const asked = queries.map((query) => (query.kind === 'prometheus' ? query.expr : `${query.name}\n${query.spec}`))
  return (
    <div className="fills scrolls text-small" tabIndex={0} role="group" aria-label={`Panel of the kind ${part.name}`}>
      <p>
        <strong>
          {part.name === '' ? 'This panel has no kind.' : `Panels of the kind ${part.name} are not supported.`}
        </strong>
      </p>
      <p className="quiet">Supported: {CHART_KINDS.join(', ')}. Definition in the file:</p>
      <pre className="text-tiny wraps">
        {[part.spec, ...asked].filter((text) => text !== '').join('\n\n') || '(empty)'}
      </pre>
    </div>
  )
}
