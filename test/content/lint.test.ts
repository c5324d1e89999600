import { expect, test } from 'vitest'
import { createOwnMetrics } from '../../src/base/metrics.ts'
import { lintCatalog } from '../../src/catalog/lint-catalog.ts'
import { renderDiagnostic } from '../../src/model/diagnostic.ts'
import { metricsOfRegistry } from '../../src/rules/metrics/metric-catalog.ts'
import { shippedCatalog } from './content.ts'

test('the content that ships has nothing that lint would have mended', async () => {
  const ownMetrics = await metricsOfRegistry(createOwnMetrics('0').registry)
  const { findings, counted, textOf } = await lintCatalog(shippedCatalog(), { ownMetrics })
  const shown = findings
    .filter(({ severity }) => severity !== 'info')
    .map(({ check, message, ...finding }) =>
      renderDiagnostic(textOf(finding.file), { ...finding, message: `${message} [${check}]` }),
    )
  expect(shown.join('\n\n')).toBe('')
  expect(counted.alerts).toBeGreaterThan(0)
})
