/** The queries a reader ran, kept on the reader's machine. Pure. */
export interface OwnQuery {
  readonly expr: string
  readonly atMs: number
}

export const OWN_QUERIES_MAX = 100
/** Longer ones are run and not kept. */
const EXPR_LENGTH_MAX = 4000

/** What was kept may be anything. */
export function readOwnQueries(kept: unknown): readonly OwnQuery[] {
  if (!Array.isArray(kept)) return []
  return kept.filter(isOwnQuery).slice(0, OWN_QUERIES_MAX)
}

function isOwnQuery(one: unknown): one is OwnQuery {
  if (typeof one !== 'object' || one === null) return false
  const { expr, atMs } = one as Record<string, unknown>
  return typeof expr === 'string' && expr !== '' && Number.isFinite(atMs)
}

/** The newest first; the same query stands once. */
export function withOwnQuery(queries: readonly OwnQuery[], expr: string, atMs: number): readonly OwnQuery[] {
  if (expr === '' || expr.length > EXPR_LENGTH_MAX) return queries
  return [{ expr, atMs }, ...queries.filter((one) => one.expr !== expr)].slice(0, OWN_QUERIES_MAX)
}

/** Those with every word of the text, in any letter case. */
export function findOwnQueries(queries: readonly OwnQuery[], text: string): readonly OwnQuery[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return queries.filter(({ expr }) => words.every((word) => expr.toLowerCase().includes(word)))
}
