/**
 * `daytwo lint` without its command line: reads the content with positions, runs every check and applies suppressions.
 * Faults of the content are findings.
 */
import { setImmediate } from 'node:timers/promises'
import { positionOf } from '../model/diagnostic.ts'
import { STABLE_LANGUAGE, type ParseOptions } from '../promql/parse-options.ts'
import { byPlace, runChecks, type Finding, type LintSeverity } from '../rules/checks/check.ts'
import { placedQuery, readPlacedRules, readTestRows } from '../rules/checks/read-rules.ts'
import { catalogWithRecorded } from '../rules/checks/label-set.ts'
import type { PlacedQuery } from '../rules/checks/rule-content.ts'
import { applySuppressions, suppressionsIn } from '../rules/checks/suppression.ts'
import type { KnownMetric } from '../rules/metrics/metric-catalog.ts'
import type { Catalog, ContentFile } from './catalog.ts'
import type { CatalogContent } from './checks/catalog-content.ts'
import { CATALOG_CHECKS } from './checks/catalog-checks.ts'
import { queryOfFence } from './check-page.ts'
import { withSampleVariablesInPlace, type Dashboard } from './dashboard.ts'
import { isLive, type RunbookPage } from './runbook-page.ts'

export interface LintOutcome {
  /** Ordered by file and position. */
  readonly findings: readonly Finding[]
  readonly counted: { readonly alerts: number; readonly runbooks: number; readonly dashboards: number }
  /** The text of a file with findings, by its path. */
  readonly textOf: (path: string) => string
}

interface LintOptions {
  /** This server's own metrics: `metricsOfRegistry`. */
  readonly ownMetrics: readonly KnownMetric[]
  readonly language?: ParseOptions
}

/** The part of the catalog that is checked. */
export type LintedCatalog = Pick<
  Catalog,
  'ruleFiles' | 'testFiles' | 'pages' | 'aliases' | 'dashboards' | 'diagnostics'
>

/** Pauses between the checks: a hundred rules with their pages take most of a second. */
export async function lintCatalog(
  catalog: LintedCatalog,
  { ownMetrics, language = STABLE_LANGUAGE }: LintOptions,
): Promise<LintOutcome> {
  const content = await contentOf(catalog, ownMetrics, language)
  const found: Finding[] = []
  for (const check of CATALOG_CHECKS) {
    found.push(...runChecks([check], content))
    await setImmediate()
  }
  const files = filesOf(catalog)
  const names = new Set(CATALOG_CHECKS.map(({ name }) => name))
  const suppressions = files.flatMap(({ path, text }) => suppressionsIn(path, text))
  const findings = applySuppressions(found, suppressions, names)
  const texts = new Map(files.map(({ path, text }) => [path, text]))
  return {
    findings: findings.sort(byPlace),
    counted: {
      alerts: content.rules.filter(({ kind }) => kind === 'alerting').length,
      runbooks: catalog.pages.size,
      dashboards: catalog.dashboards.length,
    },
    textOf: (path) => texts.get(path) ?? '',
  }
}

async function contentOf(
  catalog: LintedCatalog,
  own: readonly KnownMetric[],
  language: ParseOptions,
): Promise<CatalogContent> {
  const { pages, aliases, dashboards } = catalog
  const rules = await gently(catalog.ruleFiles, (file) => readPlacedRules(file, language))
  const rulePaths = new Set(catalog.ruleFiles.map(({ path }) => path))
  return {
    rules,
    queries: [
      ...rules.map(({ query }) => query),
      ...(await gently([...pages.values()], (page) => queriesOfPage(page, language))),
      ...(await gently(dashboards, (dashboard) => queriesOfDashboard(dashboard, language))),
    ],
    testRows: await gently(catalog.testFiles, readTestRows),
    metrics: catalogWithRecorded(rules, own),
    ruleDiagnostics: catalog.diagnostics.filter(({ file }) => file !== undefined && rulePaths.has(file)),
    knownAlerts: new Set([
      ...rules.filter(({ kind }) => kind === 'alerting').map(({ name }) => name),
      ...[...pages.values()].filter(({ withoutRule }) => withoutRule !== undefined).map(({ name }) => name),
      ...aliases.keys(),
    ]),
    pages,
    aliases,
    dashboards,
  }
}

async function gently<From, To>(items: readonly From[], read: (item: From) => readonly To[]): Promise<To[]> {
  const all: To[] = []
  for (const item of items) {
    all.push(...read(item))
    await setImmediate()
  }
  return all
}

function queriesOfPage(page: RunbookPage, language: ParseOptions): PlacedQuery[] {
  return page.blocks.flatMap((block) => {
    const query = block.kind === 'fence' ? queryOfFence(page, block) : undefined
    if (block.kind !== 'fence' || query === undefined) return []
    const source = isLive(block) ? 'cell' : 'fence'
    const { text, rangeOf } = query
    return [placedQuery(text, language, { source, subject: page.name, file: page.path, rangeOf })]
  })
}

function queriesOfDashboard({ name, path, queryTexts }: Dashboard, language: ParseOptions): PlacedQuery[] {
  return queryTexts.map((text) => {
    const rangeOf: PlacedQuery['rangeOf'] = (from, to) => text.rangeOf(from, to)
    return placedQuery(withSampleVariablesInPlace(text.text), language, {
      source: 'panel',
      subject: name,
      file: path,
      rangeOf,
    })
  })
}

function filesOf({ ruleFiles, testFiles, pages, dashboards }: LintedCatalog): ContentFile[] {
  return [...ruleFiles, ...testFiles, ...pages.values(), ...dashboards].map(({ path, text }) => ({ path, text }))
}

interface ReportedCheck extends Pick<Finding, 'severity'> {
  readonly name: string
  readonly title: string
  /** Markdown: the reason and the correction. */
  readonly description: string
  readonly findings: number
}

interface ReportedFinding {
  readonly check: string
  readonly severity: LintSeverity
  readonly file: string
  /** Counted from 1, like the columns; the end is exclusive. */
  readonly line: number
  readonly column: number
  readonly endLine: number
  readonly endColumn: number
  readonly message: string
  readonly hint?: string
  readonly subject?: string
}

export interface LintSummary {
  readonly checks: readonly ReportedCheck[]
  readonly findings: readonly ReportedFinding[]
  readonly counted: LintOutcome['counted']
}

/** The report of the findings, with positions as lines and columns. @param shownAs the displayed form of a path */
export function reportOf({ findings, counted, textOf }: LintOutcome, shownAs: (path: string) => string): LintSummary {
  return {
    checks: CATALOG_CHECKS.map(({ name, title, why, fix, severity }) => {
      const count = findings.filter(({ check }) => check === name).length
      return { name, title, description: `${why}\n\n${fix}`, severity, findings: count }
    }),
    findings: findings.map(({ check, severity, file, from, to, message, help, subject }) => {
      const text = textOf(file)
      const [start, end] = [positionOf(text, from), positionOf(text, Math.max(from + 1, to))]
      return {
        check,
        severity,
        file: shownAs(file),
        ...start,
        endLine: end.line,
        endColumn: end.column,
        message,
        ...(help === undefined ? {} : { hint: help }),
        ...(subject === undefined ? {} : { subject }),
      }
    }),
    counted,
  }
}
