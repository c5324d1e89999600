import type { Check, CheckFinding } from '../../rules/checks/check.ts'
import { onPage, titleAt, type CatalogContent } from './catalog-content.ts'

export const aliasCollision: Check<CatalogContent> = {
  name: 'alias-collision',
  title: 'An old name leads to two places',
  severity: 'error',
  why: 'A link with that name can open one page only, and which one is a matter of the order of files.',
  mend: 'Leave the alias to the page that is meant. A name that an alert or a page has today is no old name.',
  example: '---\naliases: [CDINotReady]       # which is an alert of today\n---',
  run({ pages, rules }) {
    const present = new Set([
      ...pages.keys(),
      ...rules.filter(({ kind }) => kind === 'alerting').map(({ name }) => name),
    ])
    const taken = new Map<string, string>()
    const found: CheckFinding[] = []
    for (const page of pages.values()) {
      for (const alias of page.aliases) {
        const other = present.has(alias) ? alias : taken.get(alias)
        if (other === undefined) taken.set(alias, page.name)
        else {
          const from = page.text.indexOf(alias)
          const at = from === -1 ? titleAt(page) : { from, to: from + alias.length }
          found.push(onPage(page, at, `the alias ${alias} already leads to ${other}`))
        }
      }
    }
    return found
  },
}
