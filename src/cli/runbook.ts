/** `daytwo runbook new`: writes the file that a new runbook starts from. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FleetError, messageOf } from '../base/errors.ts'
import { loadCatalog } from '../catalog/catalog.ts'
import { resolveRunbook } from '../catalog/resolve-runbook.ts'
import { RUNBOOK_NAME, runbookTemplate } from '../catalog/runbook-template.ts'
import { loadRuleFiles } from '../rules/rule-file.ts'
import { inputError, parseArguments, unexpected } from './arguments.ts'
import type { Command } from './command.ts'
import { readServeArguments } from './serve-options.ts'

const FOLDERS = ['rules', 'runbooks', 'dashboards'] as const

export const runbookCommand: Command = {
  help: () =>
    [
      'Usage: daytwo runbook new ALERT [--runbooks DIR] [--rules DIR] [--config FILE]',
      '',
      'Writes DIR/ALERT.md with the sections of a runbook. Where a rule has this name, its expression and its texts are',
      'filled in. Without --runbooks, the folder that ships or that the configuration names. An existing runbook of the',
      'alert is never changed. Then edit the file and run `daytwo lint`; a running server reads it when it changes.',
    ].join('\n'),
  run: (args) => {
    const { words, options } = parseArguments(args, new Set([...FOLDERS, 'config']), new Set())
    const [verb = '', name, ...more] = words
    if (verb !== 'new') throw unexpected('daytwo runbook', verb, 'new')
    if (name === undefined || more.length > 0) {
      throw inputError(`daytwo runbook new: got ${words.length - 1} names, want the name of one alert`)
    }
    if (!RUNBOOK_NAME.test(name)) {
      throw unexpected(
        'daytwo runbook new',
        name,
        'a name of letters, digits, _ and -, which is the name of the file too',
      )
    }
    console.log(`wrote ${writeNew(name, options)}; edit it, then run daytwo lint`)
    return Promise.resolve(0)
  },
}

function writeNew(name: string, options: ReadonlyMap<string, string>): string {
  const { config } = readServeArguments([...options].map(([option, value]) => `--${option}=${value}`))
  const folders = { rulesDir: config.rules, runbooksDir: config.runbooks, dashboardsDir: config.dashboards }
  const language = { experimental: config['promql.experimental'] }
  const catalog = loadCatalog(folders, language)
  const found = resolveRunbook(catalog, name)
  if ('page' in found) {
    const hint = found.isRenamed ? `${name} is a former name of ${found.page.name}` : 'edit that file'
    throw inputError(`daytwo runbook new: ${found.page.path} is the runbook of ${name} already`, hint)
  }
  const rule = loadRuleFiles(catalog.ruleFiles, { language })
    .groups.flatMap(({ rules }) => rules)
    .find((one) => one.kind === 'alerting' && one.name === name)
  const path = join(config.runbooks, `${name}.md`)
  const sketch = rule?.kind === 'alerting' ? { expr: rule.expr, annotations: rule.annotations } : { annotations: {} }
  try {
    writeFileSync(path, runbookTemplate({ name, ...sketch }), { flag: 'wx' })
  } catch (thrown) {
    const hint = existsSync(path) ? 'a file of that name is there' : 'name a folder of your own with --runbooks'
    throw new FleetError('config_invalid', `writing ${path} failed: ${messageOf(thrown)}`, { hint, cause: thrown })
  }
  return path
}
