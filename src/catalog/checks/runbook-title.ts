import type { Check } from '../../rules/checks/check.ts'
import { checkTitle } from '../check-page.ts'
import { fromDiagnostics, type CatalogContent } from './catalog-content.ts'

export const runbookTitle: Check<CatalogContent> = {
  name: 'runbook-title',
  title: 'The title of a runbook is not its alert',
  severity: 'error',
  why: 'Links find a page by the name of its file, people by its title. Where the two differ, one of them is on the wrong page.',
  mend: 'Begin the page with `# NAME`, the name of the file, and have no other heading of the first level.',
  example: '# CDI is not ready',
  run: ({ pages }) => [...pages.values()].flatMap((page) => fromDiagnostics(page, checkTitle(page))),
}
