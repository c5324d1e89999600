import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parse } from 'yaml'
import { loadCatalog, type Catalog } from '../../src/catalog/catalog.ts'

/** The content that ships, and the unit tests of its rules. */
export const ROOT = resolve(import.meta.dirname, '../..')
export const RULE_TESTS_DIR = join(ROOT, 'alert-rules/tests')

export function shippedCatalog(): Catalog {
  return loadCatalog({
    rulesDir: join(ROOT, 'alert-rules'),
    runbooksDir: join(ROOT, 'runbooks'),
    dashboardsDir: join(ROOT, 'dashboards'),
  })
}

/** promtool's unit-test format, as far as it is looked at here. */
export interface RuleTest {
  readonly alert_rule_test?: readonly {
    readonly alertname: string
    readonly exp_alerts: readonly { readonly exp_labels: Readonly<Record<string, string>> }[]
  }[]
}

let tests: readonly RuleTest[] | undefined

/** Read once: they are thousands of lines, and every alert asks for them. */
export function ruleTests(): readonly RuleTest[] {
  tests ??= readdirSync(RULE_TESTS_DIR).flatMap((name) => {
    const file = parse(readFileSync(join(RULE_TESTS_DIR, name), 'utf8'), { merge: true }) as { tests: RuleTest[] }
    return file.tests
  })
  return tests
}

/** Label sets that an alert is expected to fire with, from its unit tests: what a page can be filled from. */
export function firingLabels(alertname: string): Record<string, string>[] {
  return ruleTests()
    .flatMap((test) => test.alert_rule_test ?? [])
    .filter((row) => row.alertname === alertname)
    .flatMap((row) => row.exp_alerts.map(({ exp_labels }) => ({ ...exp_labels, alertname })))
}
