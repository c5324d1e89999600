import { useMemo, type ReactNode } from 'react'
import { Link } from 'wouter'
import type { BoundRunbook } from '../../contract/runbooks.ts'
import { stepPlaces } from '../../model/runbook-steps.ts'
import { dashboardPath } from '../lib/paths.ts'
import { countOf } from '../lib/format-number.ts'
import { createMarker } from '../lib/mark-values.ts'
import { copyText, lexRunbook, sectionsOf, toBlocks, type RunbookBlock } from '../lib/runbook-blocks.ts'
import { linkTarget } from '../lib/safe-href.ts'
import { classNames } from '../ui/class-names.ts'
import { CodeBlock } from '../ui/code-block.tsx'
import { DataTable, type Column } from '../ui/data-table.tsx'
import { DialogButton } from '../ui/dialog-button.tsx'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { laterPart } from '../ui/later-part.tsx'
import { Markdown, MarkedCode, type MarkdownSlots } from '../ui/markdown.tsx'
import { Notice } from '../ui/notice.tsx'
import { useFragment } from '../ui/use-fragment.ts'
import { CliCommand, LiveCell } from './runbook-code.tsx'
import { WhatWorked } from './outcomes.tsx'
import { PreviousOccurrences } from './previous-occurrences.tsx'
import { useWorkSteps } from './runbook-steps.tsx'
import styles from './runbook-body.module.css'

interface RunbookBodyProps {
  readonly bound: BoundRunbook
  readonly sectionLevel: 2 | 3
  /** Below the open alert; a page of its own shows previous occurrences beside the runbook. */
  readonly isBesideAlert?: boolean
  /** At the end of the jump links. */
  readonly extra?: ReactNode
}

/** The text of a runbook with bound values and jump links. The caller renders the title. */
export function RunbookBody({ bound, sectionLevel, isBesideAlert = false, extra }: RunbookBodyProps): ReactNode {
  useFragment()
  const { blocks, sections, mark, places } = useMemo(
    () => {
      const tokens = lexRunbook(bound.markdown)
      const parsed = toBlocks(tokens)
      return { blocks: parsed, sections: sectionsOf(parsed), mark: createMarker(bound), places: stepPlaces(tokens) }
    },
    // A poll with an equal answer keeps the object: only another page or binding is parsed again.
    [bound],
  )
  const { renderStep, line } = useWorkSteps(bound.instance, places)
  const slots: MarkdownSlots = {
    sectionLevel,
    renderStep,
    mark,
    renderLink: (href, children) => <PageLink href={href}>{children}</PageLink>,
    renderBlock: (block, key) => <Code key={key} block={block} bound={bound} mark={mark} />,
  }
  return (
    <div className={isBesideAlert ? undefined : `panel ${styles.page}`}>
      <nav className={classNames(styles.jumps, 'row text-small screen-only')} aria-label="Sections of the runbook">
        {sections.map(({ id, title }) => (
          <a key={id} href={`#${id}`}>
            {title}
          </a>
        ))}
        <span className={classNames(styles.extra, 'row')}>
          <SuggestEdit bound={bound} />
          {extra}
        </span>
      </nav>
      {bound.isRenamed ? (
        <Notice kind="note" title={`${bound.askedName} was renamed to ${bound.name}`}>
          Links with the old name continue to work.
        </Notice>
      ) : null}
      {isBesideAlert ? (
        <section className="narrow spaced" aria-label="What worked last time">
          <strong>What worked last time</strong>
          <WhatWorked name={bound.name} />
        </section>
      ) : null}
      {isBesideAlert ? (
        <section className="narrow spaced" aria-label="Previous occurrences">
          <strong>Previous occurrences</strong>
          <PreviousOccurrences alertname={bound.name} cluster={bound.instance?.cluster} />
        </section>
      ) : null}
      {line}
      <Filled bound={bound} />
      <Shown bound={bound} />
      <Markdown blocks={blocks} slots={slots} isWide={!isBesideAlert} />
    </div>
  )
}

/** Rarely used, so its code is loaded on demand. */
const SuggestEditDialog = laterPart(async () => (await import('./suggest-edit-dialog.tsx')).SuggestEditDialog)

function SuggestEdit({ bound }: { readonly bound: BoundRunbook }): ReactNode {
  return (
    <DialogButton
      variant="inline"
      renderDialog={(close) => (
        <ErrorBoundary what="the form">
          <SuggestEditDialog bound={bound} onClose={close} />
        </ErrorBoundary>
      )}
    >
      Suggest an edit
    </DialogButton>
  )
}

/** Dashboard panels with metrics of the alert. */
function Shown({ bound: { panels } }: { readonly bound: BoundRunbook }): ReactNode {
  if (panels.length === 0) return null
  return (
    <details>
      <summary>{countOf(panels.length, 'dashboard panel')} with metrics of this alert</summary>
      <ul>
        {panels.map(({ dashboard, dashboardTitle, panel, panelTitle }) => (
          <li key={`${dashboard} ${panel}`}>
            <Link href={dashboardPath(dashboard, { panel })}>{panelTitle}</Link>{' '}
            <span className="quiet">on {dashboardTitle}</span>
          </li>
        ))}
      </ul>
    </details>
  )
}

function Filled({ bound }: { readonly bound: BoundRunbook }): ReactNode {
  if (bound.bindings.length + bound.unbound.length === 0) return null
  return (
    <details className="quiet text-small spaced">
      <summary>
        {bound.bindings.length === 0 ? 'No value filled in' : `${countOf(bound.bindings.length, 'value')} filled in`}
        {bound.unbound.length === 0 ? null : (
          <>
            , <mark className="unbound">{countOf(bound.unbound.length, 'placeholder')} to fill in</mark>
          </>
        )}
      </summary>
      <DataTable
        label="Placeholders"
        look="prose"
        columns={BINDING_COLUMNS}
        rows={[...bound.bindings, ...bound.unbound.map((name): Binding => ({ name }))]}
        rowKey={({ name }) => name}
      />
    </details>
  )
}

/** A placeholder; without a value where it is unbound. */
type Binding = Pick<BoundRunbook['bindings'][number], 'name'> & Partial<BoundRunbook['bindings'][number]>

const BINDING_COLUMNS: readonly Column<Binding>[] = [
  { head: 'Placeholder', cell: ({ name }) => name },
  {
    head: 'Value',
    cell: ({ name, value }) =>
      value === undefined ? <mark className="unbound">{`<${name}>`}</mark> : <mark className="filled">{value}</mark>,
  },
  { head: 'From', cell: ({ source }) => source ?? 'unknown: fill it in' },
]

interface CodeProps {
  readonly block: Exclude<RunbookBlock, { kind: 'markdown' }>
  readonly bound: BoundRunbook
  readonly mark: MarkdownSlots['mark']
}

function Code({ block, bound, mark }: CodeProps): ReactNode {
  switch (block.kind) {
    case 'live':
      return <LiveCell expr={bound.cells.find((cell) => cell.id === block.id)?.expr ?? block.text} mark={mark} />
    case 'cli':
      return <CliCommand commands={block.commands} mark={mark} />
    case 'code':
      return (
        <CodeBlock what={block.lang === 'promql' ? 'query' : 'code'} text={copyText(block.text)} bar={block.lang}>
          <MarkedCode text={block.text} mark={mark} />
        </CodeBlock>
      )
  }
}

function PageLink({ href, children }: { readonly href: string; readonly children: ReactNode }): ReactNode {
  const target = linkTarget(href)
  if (target === undefined) return children
  switch (target.kind) {
    case 'inside':
      return <Link href={target.path}>{children}</Link>
    case 'section':
      return <a href={`#${target.id}`}>{children}</a>
    case 'outside':
      return (
        <a href={target.url} target="_blank" rel="noreferrer">
          {children}
        </a>
      )
  }
}
