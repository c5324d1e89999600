import { quoteGo } from '../base/go-quote.ts'
import type { Matcher } from '../model/matcher.ts'

/** A selector of these matchers as PromQL writes it. */
export function selectorText(matchers: readonly Matcher[]): string {
  const texts = matchers.map(
    ({ name, op, value }) => `${/^[A-Za-z_]\w*$/.test(name) ? name : quoteGo(name)}${op}${quoteGo(value)}`,
  )
  return `{${texts.join(',')}}`
}
