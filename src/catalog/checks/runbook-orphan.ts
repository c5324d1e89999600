import { nearest } from '../../base/nearest.ts'
import type { Check } from '../../rules/checks/check.ts'
import { onPage, rulesOf, titleAt, type CatalogContent } from './catalog-content.ts'

export const runbookOrphan: Check<CatalogContent> = {
  name: 'runbook-orphan',
  title: 'A runbook is about no alert',
  severity: 'error',
  why: 'A page that stays behind when its alert goes is found by search and followed, although nothing keeps it true.',
  mend: 'Remove it, make its name an alias of the page that took its place, or say in its front matter why no rule has its name: `without_rule: ...`.',
  example: 'runbooks/CDINotReadyYet.md   # and no alert of that name',
  run: (content) =>
    [...content.pages.values()]
      .filter((page) => page.withoutRule === undefined && rulesOf(content, page).length === 0)
      .map((page) => {
        const [near] = nearest(
          page.name,
          content.rules.map(({ name }) => name),
          1,
        )
        return onPage(
          page,
          titleAt(page),
          `no alert is called ${page.name}`,
          near === undefined ? undefined : `did you mean ${near}?`,
        )
      }),
}
