import { FleetError } from '../../base/errors.ts'
import { forEachInSlices } from '../../base/thread-slices.ts'
import type { Matcher } from '../../model/matcher.ts'
import { selectorsOf } from '../../promql/ast.ts'
import type { Selectors } from '../../promql/query-engine.ts'
import { prettyExpr } from '../../promql/format.ts'
import { DEFAULT_PARSE_LIMITS, type ParseOptions } from '../../promql/parse-options.ts'
import { parseExpr, parseSelector } from '../../promql/parse.ts'
import { exprTree } from './expr-tree.ts'

/**
 * Parses the PromQL of requests that evaluate no query. It runs where queries run, on the query worker: a text of
 * megabytes takes seconds to parse, and on the main thread it would delay every acknowledgement. Rejects with
 * FleetError `query_parse`.
 */
export interface QueryParser {
  /** The matchers of each bare selector, as in `match[]`. */
  selectors(texts: readonly string[]): Promise<Selectors>
  /** The matchers of each selector in an expression. */
  selectorsOf(expr: string): Promise<Selectors>
  /** The expression with line breaks and indentation. */
  format(expr: string): Promise<string>
  /** The tree of the expression, as JSON. */
  tree(expr: string): Promise<string>
}

/** A parser on this thread. */
export function createQueryParser(language: ParseOptions): QueryParser {
  return {
    selectors: (texts) => parseSelectors(texts, language),
    selectorsOf: (expr) => settle(() => selectorsOf(parseExpr(expr, language)).map(({ matchers }) => matchers)),
    format: (expr) => settle(() => prettyExpr(parseExpr(expr, language))),
    tree: (expr) => settle(() => JSON.stringify(exprTree(parseExpr(expr, language)))),
  }
}

/** Parses the selectors of one request, of which there may be tens of thousands. */
async function parseSelectors(texts: readonly string[], language: ParseOptions): Promise<Selectors> {
  const { tokensMax } = language.limits ?? DEFAULT_PARSE_LIMITS
  if (texts.length > tokensMax) {
    const message = `request has ${texts.length} selectors, at most ${tokensMax} are allowed (promql.tokens-max)`
    throw new FleetError('query_parse', message)
  }
  const parsed: (readonly Matcher[])[] = []
  await forEachInSlices(texts, (text) => {
    parsed.push(parseSelector(text, language))
  })
  return parsed
}

/** Turns a thrown parse error into a rejection. */
function settle<T>(parse: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(parse())
  })
}
