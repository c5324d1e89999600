/**
 * Checks a runbook page and reports diagnostics with positions. Pure: links between files are checked in catalog.ts.
 */
import type { Diagnostic } from '../model/diagnostic.ts'
import { nearest } from '../base/nearest.ts'
import { diagnose } from '../promql/parse.ts'
import { STABLE_LANGUAGE, type ParseOptions } from '../promql/parse-options.ts'
import { bindCode, languageOf } from './bound-text.ts'
import { codeSpansOf, type Fence } from './markdown-scan.ts'
import { isPlaceholderName, PLACEHOLDERS, placeholdersOf } from './placeholder.ts'
import { promqlContexts } from './promql-context.ts'
import { isLive, type RunbookPage } from './runbook-page.ts'
import { shellContexts } from './shell-context.ts'

/** The sections of every page, in this order, and no others. */
export const SECTIONS = ['Meaning', 'Impact', 'Diagnosis', 'Mitigation'] as const

export function checkPage(page: RunbookPage, language: ParseOptions = STABLE_LANGUAGE): Diagnostic[] {
  const queries = page.blocks
    .filter((block) => block.kind === 'fence')
    .flatMap((fence) => checkPromql(page, fence, language))
  const found = [
    ...checkTitle(page),
    ...checkSections(page),
    ...checkPlaceholders(page),
    ...checkBlocks(page),
    ...queries,
  ]
  return found.sort((a, b) => a.from - b.from).map((diagnostic) => ({ ...diagnostic, file: page.path }))
}

function error(from: number, to: number, message: string, help?: string): Diagnostic {
  return { severity: 'error', message, from, to, ...(help === undefined ? {} : { help }) }
}

/** Checks fences and prose, except PromQL. */
export function checkBlocks(page: RunbookPage): Diagnostic[] {
  return [
    ...page.blocks.flatMap((block) => (block.kind === 'fence' ? checkFence(page, block) : [])),
    ...checkProse(page),
  ]
}

export function checkTitle({ headings, name, text }: RunbookPage): Diagnostic[] {
  const titles = headings.filter((heading) => heading.level === 1)
  const [first, second] = titles
  if (first === undefined) {
    return [error(0, Math.min(1, text.length), 'the page has no title', `start with "#  ${name}"`)]
  }
  const found: Diagnostic[] = []
  if (first.title !== name) {
    const message = `the title is "${first.title}", the file is named ${name}`
    found.push(error(first.from, first.to, message, `want "# ${name}"`))
  }
  if (second !== undefined) found.push(error(second.from, second.to, 'a page has one title'))
  return found
}

export function checkSections({ headings, text }: RunbookPage): Diagnostic[] {
  const sections = headings.filter((heading) => heading.level === 2)
  const wanted: readonly string[] = SECTIONS
  const found = wanted
    .filter((title) => !sections.some((section) => section.title === title))
    .map((title) => error(Math.max(0, text.length - 1), text.length, `section ${title} is missing`))
  let last = -1
  sections.forEach((section, i) => {
    const place = wanted.indexOf(section.title)
    const isRepeated = sections.findIndex((other) => other.title === section.title) < i
    if (place === -1) {
      const help = `the sections are ${wanted.join(', ')}; use a heading of the third level inside them`
      found.push(error(section.from, section.to, `section "${section.title}" is not one of a runbook's`, help))
    } else if (isRepeated) found.push(error(section.from, section.to, `duplicate section ${section.title}`))
    else if (place < last) {
      const help = `the order is ${wanted.join(', ')}`
      found.push(error(section.from, section.to, `section ${section.title} is out of order`, help))
    } else if (isEmptySection(text, section.to)) {
      found.push(error(section.from, section.to, `section ${section.title} is empty`))
    }
    last = Math.max(last, place)
  })
  return found
}

function isEmptySection(text: string, from: number): boolean {
  return /^\s*($|##?\s)/.test(text.slice(from))
}

export function checkPlaceholders({ placeholders }: RunbookPage): Diagnostic[] {
  return placeholders
    .filter((use) => !isPlaceholderName(use.name))
    .map(({ name, from, to }) => {
      const known = Object.keys(PLACEHOLDERS)
      const [near] = nearest(name, known, 1)
      const help = near === undefined ? `known are ${known.join(', ')}` : `did you mean {{${near}}}?`
      return error(from, to, `unknown placeholder ${name}`, help)
    })
}

function checkFence({ text }: RunbookPage, fence: Fence): Diagnostic[] {
  if (!fence.isClosed) return [error(fence.from, fence.contentFrom, 'the code block is never closed')]
  const source = text.slice(fence.contentFrom, fence.contentTo)
  const uses = placeholdersOf(source)
  const at = (offset: number): number => fence.contentFrom + offset
  const refused = (which: readonly boolean[], message: string, help: string): Diagnostic[] =>
    uses.filter((_, i) => which[i]).map((use) => error(at(use.from), at(use.to), message, help))
  switch (languageOf(fence)) {
    case 'shell':
      return refused(
        shellContexts(source, uses).map((context) => context === 'unknown'),
        'a value cannot be quoted safely here',
        "not in backticks, ${...}, $'...' or here-documents; use $(...) or plain quotes",
      )
    case 'promql': {
      const contexts = promqlContexts(source, uses)
      const outside = refused(
        contexts.map((context) => context === 'outside'),
        'a placeholder in PromQL must be inside a label value in double quotes',
        'write {cluster="{{cluster}}"}',
      )
      return outside.length > 0 || !isLive(fence) ? outside : checkCaption(text, fence)
    }
    case 'other':
      return []
  }
}

/**
 * The expression of a fence with sample values for its placeholders, and the mapping to the page; `undefined` for other
 * fences.
 */
export function queryOfFence(
  { text }: RunbookPage,
  fence: Fence,
): { readonly text: string; readonly rangeOf: (from: number, to: number) => { from: number; to: number } } | undefined {
  if (languageOf(fence) !== 'promql' || !fence.isClosed) return undefined
  const source = text.slice(fence.contentFrom, fence.contentTo)
  const uses = placeholdersOf(source)
  if (promqlContexts(source, uses).includes('outside')) return undefined
  const bound = bindCode(source, 'promql', (name) => (isPlaceholderName(name) ? PLACEHOLDERS[name].sample : name))
  const at = (offset: number): number => fence.contentFrom + bound.sourceOffset(offset)
  return { text: bound.text, rangeOf: (from, to) => ({ from: at(from), to: Math.max(at(from) + 1, at(to)) }) }
}

/** Parses with sample values, so that the errors are those of a filled-in page. */
function checkPromql(page: RunbookPage, fence: Fence, language: ParseOptions): Diagnostic[] {
  const query = queryOfFence(page, fence)
  if (query === undefined) return []
  return diagnose(query.text, language).map((diagnostic) => {
    return { ...diagnostic, ...query.rangeOf(diagnostic.from, diagnostic.to) }
  })
}

/** A live cell needs a caption: a number without words does not help its reader. */
function checkCaption(text: string, fence: Fence): Diagnostic[] {
  const [caption = '', before = ''] = text.slice(0, fence.from).trimEnd().split('\n').reverse()
  const isText = caption.trim() !== '' && !/^\s*(#|```|~~~)/.test(caption)
  const isOneLine = before.trim() === '' || /^\s*(#|```|~~~)/.test(before) || /^\s*([-*]|\d+\.)\s/.test(caption)
  if (isText && isOneLine) return []
  return [error(fence.from, fence.contentFrom, 'a live cell needs a caption of one line before it, after a blank line')]
}

/** Finds positions outside fences where a value would not be shown or typed literally. */
function checkProse({ blocks, text }: RunbookPage): Diagnostic[] {
  return blocks.flatMap((block) => {
    if (block.kind === 'fence') return []
    const prose = text.slice(block.from, block.to)
    const at = (offset: number): number => block.from + offset
    const commands = codeSpansOf(prose)
      .filter((span) => /^(kubectl|oc)\s/.test(span.text) && placeholdersOf(span.text).length > 0)
      .map(({ from, to }) => {
        const message = 'a command with a placeholder is inline, where its value is not quoted'
        return error(at(from), at(to), message, 'use a ```bash block')
      })
    const raw = placeholdersOf(prose)
      .filter((use) => isInHtml(prose, use.from) || isIndentedCode(prose, use.from))
      .map((use) =>
        error(at(use.from), at(use.to), 'no placeholders in HTML or indented code', 'use plain text or a fence'),
      )
    return [...commands, ...raw]
  })
}

function isInHtml(prose: string, at: number): boolean {
  const open = prose.lastIndexOf('<', at)
  return open > prose.lastIndexOf('>', at) && /^<[!/a-z]/i.test(prose.slice(open, open + 2))
}

function isIndentedCode(prose: string, at: number): boolean {
  const lineFrom = prose.lastIndexOf('\n', at) + 1
  if (!/^( {4}|\t)/.test(prose.slice(lineFrom, at))) return false
  // A continuation of a list item is indented too, so the list item is searched.
  const above = prose.slice(0, lineFrom).trimEnd().split('\n')
  const owner = above.findLast((line) => /^\S/.test(line))
  return owner === undefined || !/^([-*+]|\d+[.)])\s/.test(owner)
}
