import type { Check } from '../../rules/checks/check.ts'
import { checkSections, SECTIONS } from '../check-page.ts'
import { fromDiagnostics, type CatalogContent } from './catalog-content.ts'

export const runbookSections: Check<CatalogContent> = {
  name: 'runbook-sections',
  title: 'A runbook lacks a section, or has them in another order',
  severity: 'error',
  why: 'What is this, how bad is it, what do I look at, what do I do: a reader who knows one page finds their way on every other. Pages without an impact or a diagnosis are what operators ship today.',
  mend: `Write the sections ${SECTIONS.join(', ')}, in this order, none empty; use headings of the third level inside them.`,
  example: '## Meaning\n\n...\n\n## Mitigation\n\n...',
  run: ({ pages }) => [...pages.values()].flatMap((page) => fromDiagnostics(page, checkSections(page))),
}
