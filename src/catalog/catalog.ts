/**
 * The three content folders, read once: rule files, runbook pages and dashboards, checked and linked. Faults of the
 * content are in `diagnostics`, never thrown; the caller decides whether an error stops the server.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { FleetError, messageOf } from '../base/errors.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import { STABLE_LANGUAGE, type ParseOptions } from '../promql/parse-options.ts'
import { loadRuleFiles } from '../rules/rule-file.ts'
import { checkPage } from './check-page.ts'
import { readDashboard, type Dashboard } from './dashboard.ts'
import { parseRunbookPage, type RunbookPage } from './runbook-page.ts'

interface CatalogFolders {
  readonly runbooksDir: string
  readonly rulesDir: string
  readonly dashboardsDir: string
}

export interface ContentFile {
  readonly path: string
  readonly text: string
}

export interface Catalog {
  /** Input of `loadRuleFiles`. Unit tests of rules are in a subfolder and not included. */
  readonly ruleFiles: readonly ContentFile[]
  /** Unit tests of rules, from the folder `tests` beside the rule files. */
  readonly testFiles: readonly ContentFile[]
  /** Names of all alerting rules, sorted, without repeats. */
  readonly alertNames: readonly string[]
  /** By name. */
  readonly pages: ReadonlyMap<string, RunbookPage>
  /** The current name for each alias. */
  readonly aliases: ReadonlyMap<string, string>
  readonly dashboards: readonly Dashboard[]
  /** Diagnostics of all files, rule files included. */
  readonly diagnostics: readonly Diagnostic[]
  /** Pages without a rule that state no reason for it. */
  readonly orphanPages: readonly string[]
  readonly alertsWithoutPage: readonly string[]
}

/** `language`: of PromQL expressions. Throws `content_invalid` only when a folder cannot be read. */
export function loadCatalog(folders: CatalogFolders, language: ParseOptions = STABLE_LANGUAGE): Catalog {
  return buildCatalog({
    language,
    ruleFiles: readFolder(folders.rulesDir, /\.ya?ml$/),
    testFiles: readTests(folders.rulesDir),
    pageFiles: readFolder(folders.runbooksDir, /\.md$/).filter(({ path }) => basename(path) !== 'README.md'),
    dashboardFiles: readFolder(folders.dashboardsDir, /\.ya?ml$/),
  })
}

/** Builds the catalog from texts, without file access. */
export function buildCatalog(files: {
  readonly ruleFiles: readonly ContentFile[]
  readonly testFiles?: readonly ContentFile[]
  readonly pageFiles: readonly ContentFile[]
  readonly dashboardFiles: readonly ContentFile[]
  readonly language?: ParseOptions
}): Catalog {
  const { language = STABLE_LANGUAGE } = files
  const rules = loadRuleFiles(files.ruleFiles, { language })
  const alertNames = [
    ...new Set(
      rules.groups.flatMap((group) => group.rules.filter((rule) => rule.kind === 'alerting').map((rule) => rule.name)),
    ),
  ].sort()
  const parsed = files.pageFiles.map(({ path, text }) => parseRunbookPage(path, text))
  const pages = new Map(parsed.map(({ page }) => [page.name, page]))
  const boards = files.dashboardFiles.map(({ path, text }) => readDashboard(path, text, language))
  const { aliases, diagnostics: aliasDiagnostics } = aliasesOf(pages)
  const orphans = [...pages.values()].filter(
    (page) => page.withoutRule === undefined && !alertNames.includes(page.name),
  )
  return {
    ruleFiles: files.ruleFiles,
    testFiles: files.testFiles ?? [],
    alertNames,
    pages,
    aliases,
    dashboards: boards.map(({ dashboard }) => dashboard),
    diagnostics: [
      ...rules.diagnostics,
      ...parsed.flatMap(({ page, diagnostics }) => [...diagnostics, ...checkPage(page, language)]),
      ...aliasDiagnostics,
      ...boards.flatMap(({ diagnostics }) => diagnostics),
    ],
    orphanPages: orphans.map((page) => page.name),
    alertsWithoutPage: alertNames.filter((name) => !pages.has(name)),
  }
}

function aliasesOf(pages: ReadonlyMap<string, RunbookPage>): {
  aliases: ReadonlyMap<string, string>
  diagnostics: readonly Diagnostic[]
} {
  const aliases = new Map<string, string>()
  const diagnostics: Diagnostic[] = []
  for (const page of pages.values()) {
    for (const alias of page.aliases) {
      const other = pages.has(alias) ? alias : aliases.get(alias)
      if (other === undefined) aliases.set(alias, page.name)
      else {
        const from = Math.max(0, page.text.indexOf(alias))
        const message = `alias ${alias} already leads to ${other}`
        diagnostics.push({ severity: 'error', message, file: page.path, from, to: from + alias.length })
      }
    }
  }
  return { aliases, diagnostics }
}

/** Rules without tests are valid: the folder may be missing. */
function readTests(rulesDir: string): ContentFile[] {
  const folder = join(rulesDir, 'tests')
  return existsSync(folder) ? readFolder(folder, /\.ya?ml$/) : []
}

/** Files of one folder, without subfolders, by name. */
function readFolder(folder: string, pattern: RegExp): ContentFile[] {
  try {
    return readdirSync(folder)
      .filter((name) => pattern.test(name))
      .sort()
      .map((name) => {
        const path = join(folder, name)
        return { path, text: readFileSync(path, 'utf8') }
      })
  } catch (thrown) {
    throw new FleetError('content_invalid', `reading the content folder ${folder} failed: ${messageOf(thrown)}`, {
      hint: 'alert-rules, runbooks and dashboards ship with Daytwo; check the configured paths',
      cause: thrown,
    })
  }
}
