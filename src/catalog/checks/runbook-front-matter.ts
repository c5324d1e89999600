import type { Check } from '../../rules/checks/check.ts'
import { parseRunbookPage } from '../runbook-page.ts'
import { fromDiagnostics, type CatalogContent } from './catalog-content.ts'

export const runbookFrontMatter: Check<CatalogContent> = {
  name: 'runbook-front-matter',
  title: 'The head of a runbook cannot be read',
  severity: 'error',
  why: 'Old names of an alert stand there. With a slip in a key they are gone, and links from older clusters lead nowhere.',
  mend: 'The keys are `aliases`, a list of names, and `without_rule`, a sentence.',
  example: '---\nalias: OldName\n---',
  run: ({ pages }) =>
    [...pages.values()].flatMap((page) => fromDiagnostics(page, parseRunbookPage(page.path, page.text).diagnostics)),
}
