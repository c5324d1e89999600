import { Fragment, type HTMLAttributes, type ReactNode } from 'react'
import type { Token, Tokens } from 'marked'
import { decodeEntities, headingId, toBlocks, type RunbookBlock } from '../lib/runbook-blocks.ts'
import type { MarkValues } from '../lib/mark-values.ts'
import { classNames } from './class-names.ts'
import styles from './markdown.module.css'

/**
 * Markdown as React elements. Only the kinds of node named here are shown as what they are; HTML inside a page is
 * shown as the text it is. No string ever becomes markup, so a label value cannot either.
 */
export interface MarkdownSlots {
  /** The level of `##` on the screen it stands on. */
  readonly sectionLevel: 2 | 3
  readonly mark: MarkValues
  /** Code, commands and live queries: they need more than text. */
  readonly renderBlock: (block: Exclude<RunbookBlock, { kind: 'markdown' }>, key: number) => ReactNode
  readonly renderLink: (href: string, children: ReactNode) => ReactNode
  /** What is drawn beside and below a step; `undefined`: the part is no step. @param part see `stepPlaces` */
  readonly renderStep?: ((part: object) => StepSlots | undefined) | undefined
}

export interface StepSlots {
  /** Before the text: a check box. */
  readonly before: ReactNode
  /** Below the text: who ticked it. */
  readonly below: ReactNode
}

interface BlocksProps {
  readonly blocks: readonly RunbookBlock[]
  readonly slots: MarkdownSlots
}

interface MarkdownProps extends BlocksProps, HTMLAttributes<HTMLDivElement> {
  /** As wide as its place; otherwise its lines are no longer than is easy to read. */
  readonly isWide?: boolean
}

export function Markdown({ blocks, slots, isWide = false, className, ...rest }: MarkdownProps): ReactNode {
  return (
    <div className={classNames(styles.root, !isWide && 'narrow', className)} {...rest}>
      <Blocks blocks={blocks} slots={slots} />
    </div>
  )
}

function Blocks({ blocks, slots }: BlocksProps): ReactNode {
  return blocks.map((block, i) => {
    if (block.kind !== 'markdown') return slots.renderBlock(block, i)
    return <Fragment key={i}>{renderBlockToken(block.token, slots)}</Fragment>
  })
}

/** The longest word that is kept on one line: longer ones would not fit a phone. */
const UNBROKEN_LENGTH_MAX = 28

/**
 * Code with the filled-in values marked. A flag such as `--field-selector` is not broken at its dashes, as a browser
 * would do, because then nobody could read it back.
 */
export function MarkedCode({ text, mark }: { readonly text: string; readonly mark: MarkValues }): ReactNode {
  return mark(text).map((part, i) =>
    part.kind === 'text' ? (
      <Fragment key={i}>
        {part.text.split(/(\s+)/).map((word, j) =>
          word.length > UNBROKEN_LENGTH_MAX || !word.includes('-') ? (
            <Fragment key={j}>{word}</Fragment>
          ) : (
            <span key={j} className="cell-nowrap">
              {word}
            </span>
          ),
        )}
      </Fragment>
    ) : (
      <mark key={i} className={part.kind} title={part.title}>
        {part.text}
      </mark>
    ),
  )
}

/** Text with the filled-in values marked. */
export function MarkedText({ text, mark }: { readonly text: string; readonly mark: MarkValues }): ReactNode {
  return mark(text).map((part, i) =>
    part.kind === 'text' ? (
      <Fragment key={i}>{part.text}</Fragment>
    ) : (
      <mark key={i} className={part.kind} title={part.title}>
        {part.text}
      </mark>
    ),
  )
}

function renderBlockToken(token: Token, slots: MarkdownSlots): ReactNode {
  switch (token.type) {
    case 'heading':
      return renderHeading(token as Tokens.Heading, slots)
    case 'paragraph':
      return withStep(token, <p>{renderInline((token as Tokens.Paragraph).tokens, slots)}</p>, slots)
    case 'blockquote':
      return <blockquote>{renderBlocks((token as Tokens.Blockquote).tokens, slots)}</blockquote>
    case 'list':
      return renderList(token as Tokens.List, slots)
    case 'table':
      return renderTable(token as Tokens.Table, slots)
    case 'hr':
      return <hr />
    case 'def':
      return null
    case 'text': {
      const { tokens, text } = token as Tokens.Text
      return tokens === undefined ? renderText(text, slots) : renderInline(tokens, slots)
    }
    default:
      return <p>{renderText(token.raw.trim(), slots)}</p>
  }
}

function withStep(part: object, content: ReactNode, { renderStep }: MarkdownSlots): ReactNode {
  const step = renderStep?.(part)
  if (step === undefined) return content
  return (
    <div className={styles.step}>
      {step.before}
      <div>
        {content}
        {step.below}
      </div>
    </div>
  )
}

function renderBlocks(tokens: readonly Token[], slots: MarkdownSlots): ReactNode {
  return <Blocks blocks={toBlocks(tokens)} slots={slots} />
}

/** The first level is the title, which stands above the text. */
function renderHeading(token: Tokens.Heading, slots: MarkdownSlots): ReactNode {
  const { depth, text, tokens } = token
  const content = renderInline(tokens, slots)
  if (depth === 1) return null
  const Level = `h${Math.min(depth - 2 + slots.sectionLevel, 6)}` as 'h2'
  if (depth > 3) return <Level>{content}</Level>
  return withStep(
    token,
    <Level id={headingId(text)} tabIndex={-1}>
      {content}
    </Level>,
    slots,
  )
}

function renderList({ ordered, start, items }: Tokens.List, slots: MarkdownSlots): ReactNode {
  const children = items.map((item, i) => (
    <li key={i}>
      {item.task ? <span className="task">{item.checked === true ? 'done: ' : 'to do: '}</span> : null}
      {withStep(item, renderBlocks(item.tokens, slots), slots)}
    </li>
  ))
  if (!ordered) return <ul>{children}</ul>
  return <ol {...(typeof start === 'number' ? { start } : {})}>{children}</ol>
}

function renderTable({ header, rows }: Tokens.Table, slots: MarkdownSlots): ReactNode {
  const steps = rows.map((row) => slots.renderStep?.(row))
  const isOfSteps = steps.some((step) => step !== undefined)
  return (
    <div className="table-scroll" tabIndex={0} role="group" aria-label="Table">
      <table className="prose-table">
        <thead>
          <tr>
            {isOfSteps ? <th scope="col">Done</th> : null}
            {header.map((cell, i) => (
              <th key={i} scope="col">
                {renderInline(cell.tokens, slots)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={i}>
              {isOfSteps ? (
                <td>
                  {steps[i]?.before}
                  {steps[i]?.below}
                </td>
              ) : null}
              {row.map((cell, j) => (
                <td key={j}>{renderInline(cell.tokens, slots)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function renderInline(tokens: readonly Token[], slots: MarkdownSlots): ReactNode {
  return joinTexts(tokens).map((token, i) => <Fragment key={i}>{renderInlineToken(token, slots)}</Fragment>)
}

/**
 * The lexer cuts text at every escape (`prod\_1`), and a mark must see the whole: neighbours become one text.
 * Inline HTML is text here, and joins too, so that `<name>` of an unfilled placeholder is found.
 */
function joinTexts(tokens: readonly Token[]): Token[] {
  const joined: Token[] = []
  for (const token of tokens) {
    const text = plainText(token)
    const before = joined.at(-1)
    if (text === undefined) joined.push(token)
    else if (before?.type === 'plain') joined[joined.length - 1] = { type: 'plain', raw: before.raw + text }
    else joined.push({ type: 'plain', raw: text })
  }
  return joined
}

function plainText(token: Token): string | undefined {
  if (token.type === 'escape') return (token as Tokens.Escape).text
  if (token.type === 'html') return token.raw
  if (token.type !== 'text') return undefined
  const { tokens, text } = token as Tokens.Text
  return tokens === undefined ? decodeEntities(text) : undefined
}

function renderText(text: string, slots: MarkdownSlots): ReactNode {
  return <MarkedText text={text} mark={slots.mark} />
}

function renderInlineToken(token: Token, slots: MarkdownSlots): ReactNode {
  switch (token.type) {
    case 'strong':
      return <strong>{renderInline((token as Tokens.Strong).tokens, slots)}</strong>
    case 'em':
      return <em>{renderInline((token as Tokens.Em).tokens, slots)}</em>
    case 'del':
      return <del>{renderInline((token as Tokens.Del).tokens, slots)}</del>
    case 'codespan':
      return <code>{renderText((token as Tokens.Codespan).text, slots)}</code>
    case 'br':
      return <br />
    case 'link': {
      const { href, tokens } = token as Tokens.Link
      return slots.renderLink(href, renderInline(tokens, slots))
    }
    case 'image':
      // Pages are read on machines without a way out, and an address in a page is not a thing to call by itself.
      return renderText((token as Tokens.Image).text, slots)
    case 'text':
      return renderInline((token as Tokens.Text).tokens ?? [], slots)
    default:
      return renderText(token.raw, slots)
  }
}
