import type { Check } from '../../rules/checks/check.ts'
import type { CatalogContent } from './catalog-content.ts'

export const runbookMissing: Check<CatalogContent> = {
  name: 'runbook-missing',
  title: 'An alert has no runbook',
  severity: 'error',
  why: 'The link in the alert leads to "no such page", at night, to somebody who has never seen this alert.',
  mend: 'Write `runbooks/NAME.md`. If the alert was renamed, rename its page and list the old name under `aliases:`.',
  example: '- alert: CDINotReady        # and no runbooks/CDINotReady.md',
  run: ({ rules, pages }) =>
    rules
      .filter(({ kind, name }) => kind === 'alerting' && !pages.has(name))
      .map(({ file, name, nameAt }) => ({
        file,
        subject: name,
        message: `there is no page runbooks/${name}.md`,
        ...nameAt,
      })),
}
