/** Checks that each alert has one page, and that each name leads to one page. */
import { didYouMean } from '../../base/nearest.ts'
import type { Check } from '../../rules/checks/check.ts'
import { atRule } from '../../rules/checks/rule-content.ts'
import { onPage, rulesOf, titleAt, type CatalogContent } from './catalog-content.ts'

export const runbookMissing: Check<CatalogContent> = {
  name: 'runbook-missing',
  title: 'An alert has no runbook',
  severity: 'error',
  why: 'The link in the alert leads to a missing page, for an engineer who may not know this alert.',
  mend: 'Write `runbooks/NAME.md`. If the alert was renamed, rename its page and list the old name under `aliases:`.',
  example: '- alert: CDINotReady        # and no runbooks/CDINotReady.md',
  run: ({ rules, pages }) =>
    rules
      .filter(({ kind, name }) => kind === 'alerting' && !pages.has(name))
      .map((rule) => atRule(rule, `there is no page runbooks/${rule.name}.md`)),
}

export const runbookOrphan: Check<CatalogContent> = {
  name: 'runbook-orphan',
  title: 'A runbook is about no alert',
  severity: 'error',
  why: 'A page that stays behind when its alert goes is found by search and followed, although nothing keeps it true.',
  mend: 'Remove it, make its name an alias of the page that took its place, or state in its front matter why no rule has its name: `without_rule: ...`.',
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
  title: 'An old name leads to two places',
  severity: 'error',
  why: 'A link with that name can open one page only, and which one is a matter of the order of files.',
  mend: 'Leave the alias to the page that is meant. A name that an alert or a page has today is no old name.',
  example: '---\naliases: [CDINotReady]       # which is an alert of today\n---',
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
