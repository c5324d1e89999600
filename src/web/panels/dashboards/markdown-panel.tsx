import { useMemo, type ReactNode } from 'react'
import { interpolateText, type VariableValues } from '../../lib/dashboards/interpolate.ts'
import { createMarker } from '../../lib/mark-values.ts'
import { copyText, parseBlocks } from '../../lib/runbook-blocks.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Markdown } from '../../ui/markdown.tsx'
import { TextLink } from './text-link.tsx'
import styles from './markdown-panel.module.css'

const NO_MARKS = createMarker({ bindings: [], unbound: [] })

/** Text of a panel. HTML in it is text. */
export function MarkdownPanel({ text, values }: { readonly text: string; readonly values: VariableValues }): ReactNode {
  const filled = interpolateText(text, values)
  const blocks = useMemo(() => parseBlocks(filled), [filled])
  return (
    <Markdown
      className={`fills scrolls ${styles.root}`}
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
