import { Value } from 'typebox/value'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LintReport } from '../../../src/contract/lint.ts'
import { SMALL_CONTENT, catalogOf, replaced } from '../../catalog/checks/small-content.ts'
import { makeServer, type TestServer } from '../test-server.ts'

/** As a server keeps it: one object whose fields are of what is in use. */
let inUse = catalogOf(SMALL_CONTENT)
let server: TestServer
beforeAll(async () => {
  const catalog = {
    ...inUse,
    get ruleFiles() {
      return inUse.ruleFiles
    },
    get testFiles() {
      return inUse.testFiles
    },
    get pages() {
      return inUse.pages
    },
    get dashboards() {
      return inUse.dashboards
    },
  }
  server = await makeServer({ catalog })
})
afterAll(() => server.app.close())

async function ask(): Promise<LintReport> {
  const response = await server.app.inject('/api/lint')
  expect(response.statusCode).toBe(200)
  return Value.Parse(LintReport, response.json())
}

test('answers every check, with what was counted', async () => {
  const report = await ask()
  expect(report.findings).toEqual([])
  expect(report.counted).toEqual({ alerts: 2, runbooks: 2, dashboards: 1 })
  expect(report.checks.length).toBeGreaterThan(30)
  expect(report.checks[0]).toMatchObject({ name: 'rule-file-invalid', severity: 'error', findings: 0 })
  expect(report.checks.every(({ description }) => description.includes('\n\n'))).toBe(true)
})

test('looks again when content was replaced', async () => {
  inUse = catalogOf(replaced('alert-rules/tests/virt.yaml', 'alertname: KubeVirtCRModified', 'alertname: NoSuchAlert'))
  const report = await ask()
  expect(report.findings).toContainEqual({
    check: 'test-of-nothing',
    severity: 'error',
    file: 'alert-rules/tests/virt.yaml',
    line: 14,
    column: 20,
    message: 'no rule is called NoSuchAlert',
    subject: 'NoSuchAlert',
  })
  expect(report.checks.find(({ name }) => name === 'test-of-nothing')?.findings).toBe(1)
})
