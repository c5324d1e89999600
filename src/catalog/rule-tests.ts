/**
 * Loads unit-test files of rules: the file, the rule files that it names (relative to the file, with wildcards), and
 * its tests, run one after the other.
 */
import { readFileSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { messageOf } from '../base/errors.ts'
import { glob, namesIn } from '../base/glob.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import { STABLE_LANGUAGE, type ParseOptions } from '../promql/parse-options.ts'
import { loadRuleFiles } from '../rules/rule-file.ts'
import type { RuleGroup } from '../rules/rule.ts'
import { runUnitTest, type UnitTestOutcome } from '../rules/unit-test/run-unit-test.ts'
import { readUnitTests, type UnitTest, type UnitTestFile } from '../rules/unit-test/unit-test-file.ts'
import type { ContentFile } from './catalog.ts'

/** Folder of unit tests, inside the folder of rules. */
const TESTS_FOLDER = 'tests'

export interface RuleTestOptions {
  readonly language?: ParseOptions
  /** Unknown keys are ignored. */
  readonly areUnknownKeysIgnored?: boolean
}

export interface LoadedRuleTests {
  readonly path: string
  /** Absent when the file or one of its rule files is invalid. */
  readonly file?: UnitTestFile
  readonly groups: readonly RuleGroup[]
  /** Of the file and of the rule files that it names. */
  readonly diagnostics: readonly Diagnostic[]
  /** By path: the texts to which the offsets of `diagnostics` refer. */
  readonly texts: ReadonlyMap<string, string>
}

/** Reads and checks a file; never throws for its content. */
export function loadRuleTests(path: string, options: RuleTestOptions = {}): LoadedRuleTests {
  const { language = STABLE_LANGUAGE, areUnknownKeysIgnored = false } = options
  const texts = new Map<string, string>()
  const nothing = { path, groups: [], texts }
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (thrown) {
    const message = `cannot be read: ${messageOf(thrown)}`
    return { ...nothing, diagnostics: [{ severity: 'error', message, file: path, from: 0, to: 1 }] }
  }
  texts.set(path, text)
  const { file, diagnostics } = readUnitTests(path, text, areUnknownKeysIgnored)
  if (file === undefined) return { ...nothing, diagnostics }
  const found = findRuleFiles(file, dirname(path))
  for (const one of found.files) texts.set(one.path, one.text)
  const rules = loadRuleFiles(found.files, { language })
  const all = [...diagnostics, ...found.diagnostics, ...rules.diagnostics, ...unknownNames(file, rules.groups)]
  const isUsable = all.every(({ severity }) => severity !== 'error')
  return { path, groups: rules.groups, diagnostics: all, texts, ...(isUsable ? { file } : {}) }
}

/** @param isWanted selects the tests to run; all by default */
export async function runRuleTests(
  { file, groups }: LoadedRuleTests,
  options: RuleTestOptions = {},
  isWanted: (test: UnitTest) => boolean = () => true,
): Promise<UnitTestOutcome[]> {
  if (file === undefined) return []
  const { language = STABLE_LANGUAGE } = options
  const outcomes: UnitTestOutcome[] = []
  for (const test of file.tests.filter(isWanted)) outcomes.push(await runUnitTest(file, test, groups, language))
  return outcomes
}

/** Paths of the unit-test files of a folder of rules, by name; none when there is no such folder. */
export function ruleTestPaths(rulesDir: string): string[] {
  const folder = join(rulesDir, TESTS_FOLDER)
  return namesIn(folder)
    .filter((name) => /\.ya?ml$/.test(name))
    .map((name) => join(folder, name))
}

function findRuleFiles(
  { path, rulePatterns }: UnitTestFile,
  folder: string,
): { readonly files: ContentFile[]; readonly diagnostics: Diagnostic[] } {
  const files = new Map<string, ContentFile>()
  const diagnostics: Diagnostic[] = []
  for (const { text, from, to } of rulePatterns) {
    const pattern = isAbsolute(text) ? text : join(folder, text)
    const paths = text === '' ? [] : glob(pattern)
    if (paths === undefined || paths.length === 0) {
      const severity = paths === undefined ? 'error' : 'warning'
      const message = paths === undefined ? `${text} is not a path pattern` : `no file is ${text}`
      diagnostics.push({ severity, message, file: path, from, to })
      continue
    }
    for (const found of paths) {
      try {
        files.set(found, { path: found, text: readFileSync(found, 'utf8') })
      } catch (thrown) {
        const message = `${found} cannot be read: ${messageOf(thrown)}`
        diagnostics.push({ severity: 'error', message, file: path, from, to })
      }
    }
  }
  return { files: [...files.values()], diagnostics }
}

/** An alert without a rule never fires, so a case that expects no alert would always pass. */
function unknownNames({ path, tests }: UnitTestFile, groups: readonly RuleGroup[]): Diagnostic[] {
  const names = new Set(
    groups.flatMap(({ rules }) => rules.flatMap((rule) => (rule.kind === 'alerting' ? [rule.name] : []))),
  )
  return tests.flatMap(({ alertCases }) =>
    alertCases
      .filter(({ alertname }) => !names.has(alertname))
      .map(({ at, alertname }) => {
        const message = `no rule has the alert ${alertname}, so it never fires`
        return { severity: 'warning' as const, message, file: path, from: at.from, to: at.to }
      }),
  )
}
