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
  title: 'A dashboard is not valid',
  severity: 'error',
  why: 'A reference to an unknown panel, an invalid number or a missing name leaves a part of the page empty.',
  fix: 'Fix the reported part; the fields are those of Perses.',
  example: 'content:\n  $ref: "#/spec/panels/noSuchPanel"',
  run: (content) => faultsOf(content, 'error'),
}

export const dashboardUnread: Check<CatalogContent> = {
  name: 'dashboard-unread',
  title: 'A dashboard has unsupported settings',
  severity: 'warning',
  why: 'An unknown kind of panel, unit or key is ignored. The name may be misspelled, or from a newer Perses.',
  fix: 'Apply the suggestion of the message. If the setting is for another program that uses the file, suppress the warning with that reason.',
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
  title: 'A panel shows a metric that no rule uses',
  severity: 'info',
  why: 'The metric may need an alert, or the panel may be superfluous. Often neither applies, so the finding is only informational.',
  fix: 'No change is required.',
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
