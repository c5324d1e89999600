import type { Check } from '../../rules/checks/check.ts'
import { checkPlaceholders } from '../check-page.ts'
import { fromDiagnostics, type CatalogContent } from './catalog-content.ts'

export const placeholderUnknown: Check<CatalogContent> = {
  name: 'placeholder-unknown',
  title: 'A placeholder does not exist',
  severity: 'error',
  why: 'It stays in the page as it is, in the middle of a command.',
  mend: 'Use one of the table in `catalog/placeholder.ts`.',
  example: 'kubectl get pods -n {{name_space}}',
  run: ({ pages }) => [...pages.values()].flatMap((page) => fromDiagnostics(page, checkPlaceholders(page))),
}
