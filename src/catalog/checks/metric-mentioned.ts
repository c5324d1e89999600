import { nearest } from '../../base/nearest.ts'
import type { Check } from '../../rules/checks/check.ts'
import { codeSpansOf } from '../markdown-scan.ts'
import { onPage, type CatalogContent } from './catalog-content.ts'

export const metricMentioned: Check<CatalogContent> = {
  name: 'metric-mentioned',
  title: 'A text names a metric that does not exist',
  severity: 'warning',
  why: 'A reader types the name into the query page and gets nothing, which looks like the very fault that is being looked for. Looked at are names in code spans that begin as those of KubeVirt and of this server do.',
  mend: 'Correct the name. Of a metric that no longer exists say so, and suppress the check.',
  example: 'The gauge `kubevirt_hco_unsafe_modification` counts them.',
  run: ({ pages, metrics }) =>
    [...pages.values()].flatMap((page) =>
      page.blocks.flatMap((block) => {
        if (block.kind === 'fence') return []
        return codeSpansOf(page.text.slice(block.from, block.to)).flatMap(({ from, to, text }) => {
          const name = /^((?:[a-z_]+:)?(?:kubevirt|daytwo)_[\w:]*[a-z0-9])(?:$|[{[])/.exec(text)?.[1]
          if (name === undefined || metrics.find(name) !== undefined) return []
          const [near] = nearest(name, metrics.names, 1)
          const help = near === undefined ? undefined : `did you mean ${near}?`
          return [onPage(page, { from: block.from + from, to: block.from + to }, `no metric is called ${name}`, help)]
        })
      }),
    ),
}
