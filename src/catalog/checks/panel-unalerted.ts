import { metricNamesOf } from '../../promql/ast.ts'
import type { Check } from '../../rules/checks/check.ts'
import { at } from '../../rules/checks/visit.ts'
import type { CatalogContent } from './catalog-content.ts'

export const panelUnalerted: Check<CatalogContent> = {
  name: 'panel-unalerted',
  title: 'A panel shows a metric that no rule reads',
  severity: 'info',
  why: 'What is worth a panel may be worth an alert, or the panel is one that nobody will look at when it matters. Often it is neither: hence only a remark.',
  mend: 'Nothing has to be done.',
  example: 'query: max by (cluster) (kubevirt_vmi_guest_load_1m)',
  run({ queries }) {
    const alerted = new Set(
      queries.flatMap(({ source, expr }) => (source === 'rule' && expr !== undefined ? metricNamesOf(expr) : [])),
    )
    const told = new Set<string>()
    return queries.flatMap((query) => {
      if (query.source !== 'panel' || query.expr === undefined) return []
      return metricNamesOf(query.expr)
        .filter((name) => !alerted.has(name) && !/^ALERTS/.test(name) && !told.has(`${query.file} ${name}`))
        .map((name) => {
          told.add(`${query.file} ${name}`)
          return at(query, query.expr!, `no rule reads ${name}`)
        })
    })
  },
}
