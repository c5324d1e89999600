/**
 * Fills in a runbook page for one alert: every placeholder with a value is quoted for its position; the others become
 * `<name>` and are listed. Read-only by design: commands are rendered, never run.
 */
import { bindCode, bindProse, languageOf, type BoundText, type ValueOf } from './bound-text.ts'
import type { Fence } from './markdown-scan.ts'
import { pageValues, type PageContext, type PageValue } from './page-values.ts'
import { isPlaceholderName, type PlaceholderName } from './placeholder.ts'
import type { RunbookPage } from './runbook-page.ts'

export interface BoundPage {
  /** Without front matter. Live cells carry their id in the info string: ` ```promql live#diagnosis-1 `. */
  readonly markdown: string
  /** Only cells without an open placeholder: the others are shown, not run. */
  readonly cells: readonly { readonly id: string; readonly expr: string }[]
  /** The filled placeholders of this page, in the order of the page. */
  readonly bindings: readonly ({ readonly name: string } & PageValue)[]
  readonly unbound: readonly string[]
}

export function bindRunbook(page: RunbookPage, context: PageContext): BoundPage {
  const values = pageValues(context)
  const valueOf: ValueOf = (name) => (isPlaceholderName(name) ? values.get(name)?.value : undefined)
  const cells: { id: string; expr: string }[] = []
  const unbound = new Set<string>()
  const markdown = page.blocks.map((block, i): string => {
    const source = page.text.slice(block.from, block.to)
    const bound = block.kind === 'prose' ? bindProse(source, valueOf) : fence(page, block, i, valueOf, cells)
    for (const name of bound.unbound) unbound.add(name)
    return bound.text
  })
  return { markdown: markdown.join(''), cells, bindings: bindingsOf(page, values), unbound: [...unbound] }
}

function fence(
  page: RunbookPage,
  block: Fence,
  place: number,
  valueOf: ValueOf,
  cells: { id: string; expr: string }[],
): Pick<BoundText, 'text' | 'unbound'> {
  const source = page.text.slice(block.contentFrom, block.contentTo)
  const bound = bindCode(source, languageOf(block), valueOf)
  const cell = page.cells.find((one) => one.fence === block)
  if (cell !== undefined) {
    const isRunnable = bound.unbound.length === 0
    if (isRunnable) cells.push({ id: cell.id, expr: unindent(bound.text, block.indent) })
    return { ...bound, text: fenceText(block, isRunnable ? `promql live#${cell.id}` : 'promql', bound) }
  }
  const own = fenceText(block, block.info, bound)
  if (block.info !== 'bash kubectl' || hasOcTwin(page, place)) return { ...bound, text: own }
  const twin = bindCode(source.replace(KUBECTL, 'oc'), 'shell', valueOf)
  return { ...bound, text: own + fenceText(block, 'bash oc', twin) }
}

/** The command's name, not a part of a path or of another word. */
const KUBECTL = /(?<![\w/.-])kubectl(?![\w/.-])/g

/** Commands are written once, for kubectl; `oc` accepts the same commands. A page may still have its own pair. */
function hasOcTwin(page: RunbookPage, place: number): boolean {
  const next = page.blocks[place + 1]
  const isGap = next?.kind === 'prose' && page.text.slice(next.from, next.to).trim() === ''
  const after = isGap ? page.blocks[place + 2] : next
  return after?.kind === 'fence' && after.info === 'bash oc'
}

function fenceText(block: Fence, info: string, bound: BoundText): string {
  const content = bound.text === '' ? '' : `${bound.text}\n`
  return `${block.indent}${block.marker}${info}\n${content}${block.indent}${block.marker}\n`
}

function unindent(text: string, indent: string): string {
  return text
    .split('\n')
    .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
    .join('\n')
}

function bindingsOf(
  page: RunbookPage,
  values: ReadonlyMap<PlaceholderName, PageValue>,
): readonly ({ readonly name: string } & PageValue)[] {
  const names = [...new Set(page.placeholders.map((use) => use.name))]
  return names.flatMap((name) => {
    const value = isPlaceholderName(name) ? values.get(name) : undefined
    return value === undefined ? [] : [{ name, ...value }]
  })
}
