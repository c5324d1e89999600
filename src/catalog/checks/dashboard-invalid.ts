import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Check, CheckFinding } from '../../rules/checks/check.ts'
import type { CatalogContent } from './catalog-content.ts'

// promql-invalid reports queries that do not parse, at their position in the query.

export const dashboardInvalid: Check<CatalogContent> = {
  name: 'dashboard-invalid',
  title: 'A dashboard cannot be shown as it is written',
  severity: 'error',
  why: 'A reference to no panel, a number that is none or a missing name leaves a hole in the page.',
  mend: 'Mend what the message names; the fields are those of Perses.',
  example: 'content:\n  $ref: "#/spec/panels/noSuchPanel"',
  run: (content) => faultsOf(content, 'error'),
}

export const dashboardUnread: Check<CatalogContent> = {
  name: 'dashboard-unread',
  title: 'A dashboard says something that is not drawn',
  severity: 'warning',
  why: 'A kind of panel, a unit or a key that is not known here is left out; it may be a slip of the hand, or of a Perses that is newer.',
  mend: 'Write it as the message suggests. If it is meant for another reader of the file, suppress the warning with the reason.',
  example: 'plugin:\n  kind: StatsChart',
  run: (content) => faultsOf(content, 'warning'),
}

function faultsOf({ dashboards }: CatalogContent, wanted: Diagnostic['severity']): CheckFinding[] {
  return dashboards.flatMap(({ path, name, faults }) =>
    faults
      .filter(({ severity }) => severity === wanted)
      .map(({ message, from, to, help }) => {
        return { file: path, subject: name, message, from, to, ...(help === undefined ? {} : { help }) }
      }),
  )
}
