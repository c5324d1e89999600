import type { Check } from '../../rules/checks/check.ts'
import { diagnose } from '../../promql/parse.ts'
import { readDashboard, withSampleVariables } from '../dashboard.ts'
import type { CatalogContent } from './catalog-content.ts'

export const dashboardInvalid: Check<CatalogContent> = {
  name: 'dashboard-invalid',
  title: 'A dashboard cannot be shown',
  severity: 'error',
  why: 'A kind that does not exist or a reference to no panel leaves a hole in the page.',
  mend: 'Mend what the message names; the kinds are those of Perses.',
  example: 'content:\n  $ref: "#/spec/panels/noSuchPanel"',
  run: ({ dashboards }) =>
    dashboards.flatMap(({ path, text, name, queries }) => {
      // Queries that do not parse are told by promql-invalid, at their place in the query.
      const ofQueries = new Set(
        queries.flatMap((query) => diagnose(withSampleVariables(query)).map(({ message }) => message)),
      )
      return readDashboard(path, text)
        .diagnostics.filter(({ message }) => !ofQueries.has(message))
        .map(({ message, from, to, help }) => {
          return { file: path, subject: name, message, from, to, ...(help === undefined ? {} : { help }) }
        })
    }),
}
