import { nearest } from '../../base/nearest.ts'
import type { Check } from '../../rules/checks/check.ts'
import type { Range } from '../../yaml/yaml-reader.ts'
import { codeSpansOf } from '../markdown-scan.ts'
import type { RunbookPage } from '../runbook-page.ts'
import { onPage, type CatalogContent } from './catalog-content.ts'

export const linkBroken: Check<CatalogContent> = {
  name: 'link-broken',
  title: 'A link has no target',
  severity: 'error',
  why: 'The check follows links inside the content: to pages, to old names of pages, and to headings. It does not request external addresses, so that it works without a network.',
  fix: 'Link to `Name.md` or `/rb/Name`, and to a heading by its text in lower case with hyphens.',
  example: 'See [the operator](CDIOperatorsDown.md).',
  *run(content) {
    for (const page of content.pages.values()) {
      for (const link of linksOf(page)) {
        const why = whyBroken(link.target, page, content)
        if (why !== undefined) yield onPage(page, link, why.message, why.help)
      }
    }
  },
}

interface Link extends Range {
  readonly target: string
}

/** `[words](target)` in prose, except in code spans; offsets are those of the target. */
function linksOf(page: RunbookPage): Link[] {
  return page.blocks.flatMap((block) => {
    if (block.kind === 'fence') return []
    const prose = page.text.slice(block.from, block.to)
    const spans = codeSpansOf(prose)
    return [...prose.matchAll(/\]\(([^()\s]+)(?:\s+"[^"]*")?\)/g)]
      .filter(({ index }) => !spans.some((span) => span.from <= index && index < span.to))
      .map((match) => {
        const from = block.from + match.index + 2
        return { target: match[1]!, from, to: from + match[1]!.length }
      })
  })
}

function whyBroken(
  target: string,
  page: RunbookPage,
  { pages, aliases }: CatalogContent,
): { readonly message: string; readonly help?: string | undefined } | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(target) || target.includes('{{')) return undefined
  const [path = '', anchor = ''] = target.split('#')
  const name = /^(?:\/rb\/|(?:\.\/)?)([\w-]+?)(?:\.md)?$/.exec(path)?.[1]
  if (path.startsWith('/') && !path.startsWith('/rb/')) return undefined
  const to = path === '' ? page : pages.get(name === undefined ? '' : (aliases.get(name) ?? name))
  if (to === undefined) {
    const [near] = nearest(name ?? path, [...pages.keys(), ...aliases.keys()], 1)
    return { message: `${target} leads to no page`, help: near && `did you mean ${near}.md?` }
  }
  if (anchor === '' || to.headings.some(({ title }) => anchorOf(title) === anchor)) return undefined
  return { message: `${to.name} has no heading #${anchor}` }
}

function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')
}
