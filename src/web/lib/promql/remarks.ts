/** A message of the server about a query, and its position. Pure. */
export interface Remark {
  /** Without the position. */
  readonly text: string
  /** Character offset into the query; `undefined` without a position. */
  readonly offset: number | undefined
}

const PARSE_ERROR = /^(?:invalid parameter "query": )?(\d+):(\d+): parse error: (.*)$/s

/** `1:5: parse error: ...`: line and column count from 1. */
export function remarkOfError(message: string, expr: string): Remark {
  const [, line = '', column = '', text = message] = PARSE_ERROR.exec(message) ?? []
  return { text, offset: line === '' ? undefined : offsetOf(expr, Number(line), Number(column)) }
}

const TRUNCATED = 'results truncated due to limit'
const TRUNCATED_WORDS =
  'The result is truncated to the first series by label. Narrow the selectors, aggregate with sum by (…), or use topk(…).'

const ANNOTATION = /^PromQL (?:warning|info): (.*) \((\d+):(\d+)\)$/s

/** A warning or an info about a good answer: `PromQL info: ... (1:5)`. */
export function remarkOfAnnotation(message: string, expr: string): Remark {
  if (message === TRUNCATED) return { text: TRUNCATED_WORDS, offset: undefined }
  const [, text = message, line = '', column = ''] = ANNOTATION.exec(message) ?? []
  return { text, offset: line === '' ? undefined : offsetOf(expr, Number(line), Number(column)) }
}

function offsetOf(expr: string, line: number, column: number): number | undefined {
  const lines = expr.split('\n')
  if (line > lines.length) return undefined
  const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0)
  return Math.min(before + column - 1, expr.length)
}

/** The line of an offset, and its column from 0. */
export function lineAt(expr: string, offset: number): { readonly line: string; readonly column: number } {
  const start = expr.lastIndexOf('\n', offset - 1) + 1
  const end = expr.indexOf('\n', offset)
  return { line: expr.slice(start, end < 0 ? undefined : end), column: offset - start }
}

/** Results that a graph cannot show: a range vector, a string. */
export function isForTables(message: string): boolean {
  return /for range query, must be Scalar or instant Vector/i.test(message)
}

const TOO_MUCH = /too many samples|exceeded maximum resolution|too much|limit is|timed? ?out|larger than/i

/** What to do about an exceeded limit, or a result that a graph cannot show; empty for other failures. */
export function adviceFor(message: string): string {
  if (isForTables(message)) return 'A graph needs one number at each step; the table shows the result of this query.'
  return TOO_MUCH.test(message)
    ? 'Narrow the selectors with labels, choose a shorter range or a longer step, or aggregate first.'
    : ''
}
