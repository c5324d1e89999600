/** Checks that each alert has one page, and that each name leads to one page. */
import { didYouMean } from '../../base/nearest.ts'
import type { Check } from '../../rules/checks/check.ts'
import { atRule } from '../../rules/checks/rule-content.ts'
import { onPage, rulesOf, titleAt, type CatalogContent } from './catalog-content.ts'

export const runbookMissing: Check<CatalogContent> = {
  name: 'runbook-missing',
  title: 'An alert has no runbook',
  severity: 'error',
  why: 'The link in the alert has no page.',
  fix: 'Write `runbooks/NAME.md`. If the alert was renamed, rename the page and list the old name under `aliases:`.',
  example: '- alert: CDINotReady        # and no runbooks/CDINotReady.md',
  run: ({ rules, pages }) =>
    rules
      .filter(({ kind, name }) => kind === 'alerting' && !pages.has(name))
      .map((rule) => atRule(rule, `there is no page runbooks/${rule.name}.md`)),
}

export const runbookOrphan: Check<CatalogContent> = {
  name: 'runbook-orphan',
  title: 'A runbook has no alert',
  severity: 'error',
  why: 'After its alert was removed, a page is still found by search, and is not maintained.',
  fix: 'Remove the page, make its name an alias of its replacement, or state in the front matter why no rule has its name: `without_rule: ...`.',
  example: 'runbooks/CDINotReadyYet.md   # and no alert of that name',
  *run(content) {
    const names = content.rules.map(({ name }) => name)
    for (const page of content.pages.values()) {
      if (page.withoutRule !== undefined || rulesOf(content, page).length > 0) continue
      yield onPage(page, titleAt(page), `no alert is called ${page.name}`, didYouMean(page.name, names))
    }
  },
}

export const aliasCollision: Check<CatalogContent> = {
  name: 'alias-collision',
  title: 'An alias has two targets',
  severity: 'error',
  why: 'A link with this name opens only one of the pages, and the order of the files decides which one.',
  fix: 'List the alias on one page only. The name of a current alert or page cannot be an alias.',
  example: '---\naliases: [CDINotReady]       # the name of a current alert\n---',
  *run({ pages, rules }) {
    const present = new Set([
      ...pages.keys(),
      ...rules.filter(({ kind }) => kind === 'alerting').map(({ name }) => name),
    ])
    const taken = new Map<string, string>()
    for (const page of pages.values()) {
      for (const alias of page.aliases) {
        const other = present.has(alias) ? alias : taken.get(alias)
        if (other === undefined) taken.set(alias, page.name)
        else {
          const from = page.text.indexOf(alias)
          const at = from === -1 ? titleAt(page) : { from, to: from + alias.length }
          yield onPage(page, at, `the alias ${alias} already leads to ${other}`)
        }
      }
    }
  },
}
