/**
 * A runbook page: Markdown with the alert's name as title and four sections, placeholders, and live PromQL cells.
 * Parsed once when the catalog is loaded; `bind-runbook.ts` fills it in for an alert, `check-page.ts` checks it.
 */
import { basename } from 'node:path'
import type { Diagnostic } from '../model/diagnostic.ts'
import { readFrontMatter } from './front-matter.ts'
import { blocksOf, headingsOf, type Block, type Fence, type Heading } from './markdown-scan.ts'
import { placeholdersOf, type PlaceholderUse, unboundText } from './placeholder.ts'

export interface RunbookPage {
  /** Name of the file, which is that of the alert. */
  readonly name: string
  readonly path: string
  /** The whole file; all offsets refer to it. */
  readonly text: string
  /** Names of this alert in other versions. */
  readonly aliases: readonly string[]
  /** Why no rule has this name; absent when one should. */
  readonly withoutRule?: string
  /** First sentence of Meaning, without markup. */
  readonly summary: string
  /** The page without its front matter, in blocks; see markdown-scan.ts. */
  readonly blocks: readonly Block[]
  readonly headings: readonly Heading[]
  readonly placeholders: readonly PlaceholderUse[]
  readonly cells: readonly PageCell[]
}

/** A ` ```promql live ` block of a runbook page: a query that runs in the page. */
interface PageCell {
  /** Section and number: `diagnosis-2`. Unique on the page. */
  readonly id: string
  readonly fence: Fence
}

/**
 * Never throws: a page with errors is still a page. The diagnostics are those of the front matter; `checkPage` has the
 * others.
 */
export function parseRunbookPage(
  path: string,
  text: string,
): { readonly page: RunbookPage; readonly diagnostics: readonly Diagnostic[] } {
  const { aliases, withoutRule, bodyFrom, diagnostics } = readFrontMatter(text)
  const blocks = blocksOf(text, bodyFrom)
  const headings = headingsOf(text, blocks)
  const page: RunbookPage = {
    name: basename(path).replace(/\.md$/, ''),
    path,
    text,
    aliases,
    ...(withoutRule === undefined ? {} : { withoutRule }),
    summary: summaryOf(text, headings),
    blocks,
    headings,
    placeholders: placeholdersOf(text).filter((use) => use.from >= bodyFrom),
    cells: cellsOf(blocks, headings),
  }
  return { page, diagnostics: diagnostics.map((diagnostic) => ({ ...diagnostic, file: path })) }
}

/** First sentence of Meaning, as plain text. */
function summaryOf(text: string, headings: readonly Heading[]): string {
  const at = headings.findIndex((heading) => heading.title === 'Meaning')
  const heading = headings[at]
  if (heading === undefined) return ''
  const section = text.slice(heading.to, headings[at + 1]?.from ?? text.length)
  const paragraph = section.trim().split(/\n[ \t]*\r?\n/, 1)[0] ?? ''
  const plain = paragraph
    .replace(/\{\{[ \t]*([A-Za-z_][A-Za-z0-9_]*)[ \t]*\}\}/g, (_, name: string) => unboundText(name))
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]/g, '')
    .replace(/\s+/g, ' ')
  return /^.*?[.!?](?= |$)/.exec(plain)?.[0] ?? plain
}

export function isLive(fence: Fence): boolean {
  return /^promql\s+live$/.test(fence.info)
}

function cellsOf(blocks: readonly Block[], headings: readonly Heading[]): PageCell[] {
  const counts = new Map<string, number>()
  return blocks
    .filter((block) => block.kind === 'fence')
    .filter(isLive)
    .map((fence) => {
      const section = headings.findLast((heading) => heading.level === 2 && heading.from < fence.from)?.title ?? 'page'
      const slug = section.toLowerCase().replace(/[^a-z0-9]+/g, '-')
      const count = (counts.get(slug) ?? 0) + 1
      counts.set(slug, count)
      return { id: `${slug}-${count}`, fence }
    })
}
