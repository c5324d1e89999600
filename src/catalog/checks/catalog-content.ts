/** The content for the checks: rules, queries and tests from `rules`, plus pages and dashboards. */
import type { PlacedRule, RuleContent } from '../../rules/checks/rule-content.ts'
import type { Range } from '../../yaml/yaml-reader.ts'
import type { Dashboard } from '../dashboard.ts'
import type { RunbookPage } from '../runbook-page.ts'
import type { CheckFinding } from '../../rules/checks/check.ts'

export interface CatalogContent extends RuleContent {
  /** By name. */
  readonly pages: ReadonlyMap<string, RunbookPage>
  /** The current name for each alias. */
  readonly aliases: ReadonlyMap<string, string>
  readonly dashboards: readonly Dashboard[]
}

/** The alerting rules with the name of a page. */
export function rulesOf({ rules }: CatalogContent, page: RunbookPage): readonly PlacedRule[] {
  return rules.filter(({ kind, name }) => kind === 'alerting' && name === page.name)
}

/** The title of a page: the position of findings about the whole page. */
export function titleAt({ headings, text }: RunbookPage): Range {
  const [title] = headings
  return title === undefined ? { from: 0, to: Math.min(1, text.length) } : { from: title.from, to: title.to }
}

export function onPage(page: RunbookPage, at: Range, message: string, help?: string): CheckFinding {
  const { from, to } = at
  return { file: page.path, subject: page.name, message, from, to, ...(help === undefined ? {} : { help }) }
}

export interface Prose extends Range {
  readonly text: string
}

/** Text outside fences under a heading of the second level, subsections included. */
export function proseOf(page: RunbookPage, section: string): readonly Prose[] {
  const at = page.headings.findIndex(({ level, title }) => level === 2 && title === section)
  const heading = page.headings[at]
  if (heading === undefined) return []
  const next = page.headings.slice(at + 1).find(({ level }) => level <= 2)
  const end = next?.from ?? page.text.length
  return page.blocks.flatMap((block) => {
    const [from, to] = [Math.max(block.from, heading.to), Math.min(block.to, end)]
    return block.kind === 'fence' || from >= to ? [] : [{ from, to, text: page.text.slice(from, to) }]
  })
}
