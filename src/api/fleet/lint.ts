import { basename, dirname } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'
import type { Clock } from '../../base/clock.ts'
import { lintCatalog, type LintedCatalog } from '../../catalog/lint-catalog.ts'
import { reportOf } from '../../catalog/lint-catalog.ts'
import type { LintReport } from '../../contract/lint.ts'
import type { ParseOptions } from '../../promql/parse-options.ts'
import { pick } from './query.ts'
import { metricsOfRegistry } from '../../rules/metrics/metric-catalog.ts'

/** `GET /api/lint`: the findings of `daytwo lint` in the loaded content. */
interface LintDeps {
  readonly catalog: LintedCatalog
  readonly ownMetrics: Registry
  readonly language: ParseOptions
  readonly clock: Clock
}

export function registerLint(app: FastifyInstance, { catalog, ownMetrics, language, clock }: LintDeps): void {
  let last: { readonly of: unknown; readonly report: Promise<LintReport> } | undefined
  app.get(
    '/api/lint',
    { config: { access: 'viewer', dialect: 'own', scope: 'none' } },
    async (): Promise<LintReport> => {
      // A reload replaces the content as a whole, so one report is valid until then.
      if (last?.of !== catalog.pages) {
        last = { of: catalog.pages, report: lint() }
        last.report.catch(() => (last = undefined))
      }
      return last.report
    },
  )

  async function lint(): Promise<LintReport> {
    const asOfMs = clock.nowMs()
    const outcome = await lintCatalog(catalog, { ownMetrics: await metricsOfRegistry(ownMetrics), language })
    const { checks, findings, counted } = reportOf(outcome, belowContent)
    const fields = ['check', 'severity', 'file', 'line', 'column', 'message', 'hint', 'subject'] as const
    return { asOfMs, checks, findings: findings.map((finding) => pick(finding, ...fields)), counted }
  }
}

/** `alert-rules/hco.yaml`, `alert-rules/tests/hco.yaml`: a path relative to the parent of the content folder. */
function belowContent(path: string): string {
  const folder = dirname(path)
  const shown = `${basename(folder)}/${basename(path)}`
  return basename(folder) === 'tests' ? `${basename(dirname(folder))}/${shown}` : shown
}
