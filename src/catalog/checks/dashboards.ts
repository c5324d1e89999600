/** Checks of dashboards. */
import type { Diagnostic } from '../../model/diagnostic.ts'
import { metricNamesOf } from '../../promql/ast.ts'
import type { Check, CheckFinding } from '../../rules/checks/check.ts'
import { fromDiagnostic } from '../../rules/checks/rule-content.ts'
import { at } from '../../rules/checks/visit.ts'
import type { CatalogContent } from './catalog-content.ts'

// promql-invalid reports queries that do not parse, at their position in the query.

export const dashboardInvalid: Check<CatalogContent> = {
  name: 'dashboard-invalid',
  title: 'A dashboard cannot be shown as it is written',
  severity: 'error',
  why: 'A reference to no panel, a number that is none or a missing name leaves a hole in the page.',
  mend: 'Fix the reported part; the fields are those of Perses.',
  example: 'content:\n  $ref: "#/spec/panels/noSuchPanel"',
  run: (content) => faultsOf(content, 'error'),
}

export const dashboardUnread: Check<CatalogContent> = {
  name: 'dashboard-unread',
  title: 'A dashboard has unsupported settings',
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
      .map((fault) => fromDiagnostic(fault, { file: path, subject: name })),
  )
}

export const panelUnalerted: Check<CatalogContent> = {
  name: 'panel-unalerted',
  title: 'A panel shows a metric that no rule reads',
  severity: 'info',
  why: 'A metric with a panel may need an alert, or the panel may be superfluous. Often neither applies, so this is only a remark.',
  mend: 'Nothing has to be done.',
  example: 'query: max by (cluster) (kubevirt_vmi_guest_load_1m)',
  *run({ queries }) {
    const alerted = new Set(
      queries.flatMap(({ source, expr }) => (source === 'rule' && expr !== undefined ? metricNamesOf(expr) : [])),
    )
    const reported = new Set<string>()
    for (const query of queries) {
      if (query.source !== 'panel' || query.expr === undefined) continue
      for (const name of metricNamesOf(query.expr)) {
        const key = `${query.file} ${name}`
        if (alerted.has(name) || name.startsWith('ALERTS') || reported.has(key)) continue
        reported.add(key)
        yield at(query, query.expr, `no rule reads ${name}`)
      }
    }
  },
}
