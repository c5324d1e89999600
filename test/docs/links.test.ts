import { existsSync } from 'node:fs'
import { join, posix } from 'node:path'
import { Lexer, type Token } from 'marked'
import { describe, expect, test } from 'vitest'
import { headingId } from '../../src/api/docs/doc-html.ts'
import { ROOT } from '../content/content.ts'
import { DOCUMENTS, textOf } from './documents.ts'

function* walk(tokens: readonly Token[]): Generator<Token> {
  for (const token of tokens) {
    yield token
    if ('tokens' in token) yield* walk(token.tokens ?? [])
    if (token.type === 'list') yield* walk(token['items'] as Token[])
    if (token.type === 'table') {
      const cells = [...(token['header'] as Token[]), ...(token['rows'] as Token[][]).flat()]
      yield* walk(cells)
    }
  }
}

const tokensOf = (file: string): Token[] => [...walk(Lexer.lex(textOf(file)))]

function linksOf(file: string): readonly string[] {
  return tokensOf(file).flatMap((token) =>
    token.type === 'link' || token.type === 'image' ? [token['href'] as string] : [],
  )
}

const plain = (text: string): string => text.replaceAll(/[`*]|\[([^\]]*)\]\([^)]*\)/g, '$1')

const idsOf = new Map<string, ReadonlySet<string>>()

function ids(file: string): ReadonlySet<string> {
  const known =
    idsOf.get(file) ??
    new Set(
      tokensOf(file).flatMap((token) => (token.type === 'heading' ? [headingId(plain(token['text'] as string))] : [])),
    )
  idsOf.set(file, known)
  return known
}

/** What is wrong with a link; `undefined`: nothing. Other servers are not asked. */
function faultOf(file: string, href: string): string | undefined {
  if (/^(?:https?|mailto):/.test(href)) return undefined
  const [path = '', fragment] = href.split('#', 2)
  const target = path === '' ? file : posix.join(posix.dirname(file), path)
  if (target === 'docs/style.md') return undefined // Written beside this page: remove the exception when it is there.
  if (!existsSync(join(ROOT, target))) return `${file}: ${href} leads to no file`
  if (fragment === undefined || !target.endsWith('.md')) return undefined
  return ids(target).has(fragment) ? undefined : `${file}: ${href} leads to no heading of ${target}`
}

describe('every link of the documentation leads somewhere', () => {
  test.each(DOCUMENTS)('%s', (file) => {
    expect(linksOf(file).flatMap((href) => faultOf(file, href) ?? [])).toEqual([])
  })

  test('a planted one is found', () => {
    expect(faultOf('docs/faq.md', 'none.md')).toContain('no file')
    expect(faultOf('docs/faq.md', 'concepts.md#none')).toContain('no heading')
    expect(faultOf('docs/faq.md', 'concepts.md#evidence')).toBeUndefined()
  })
})

test('every page of the documentation is reached from its index, and the index from the README', () => {
  const reached = new Set<string>()
  const visit = (file: string): void => {
    if (reached.has(file) || !file.endsWith('.md') || !existsSync(join(ROOT, file))) return
    reached.add(file)
    for (const href of linksOf(file)) {
      if (!/^[a-z]+:|^#/.test(href)) visit(posix.join(posix.dirname(file), href.split('#')[0]!))
    }
  }
  visit('docs/README.md')
  expect(DOCUMENTS.filter((file) => file.startsWith('docs/') && !reached.has(file))).toEqual([])
  expect(linksOf('README.md')).toContain('docs/README.md')
})

test('the README is short', () => {
  expect(textOf('README.md').split('\n').length).toBeLessThanOrEqual(120)
})
