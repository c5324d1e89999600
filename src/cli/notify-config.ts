/** Reads a notification configuration for a command; findings are printed with carets. */
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { FleetError, messageOf } from '../base/errors.ts'
import { renderDiagnostic } from '../model/diagnostic.ts'
import { loadConfig, type LoadedConfig } from '../notify/config/config-file.ts'
import { readTemplateFiles } from '../notify/config/read-config.ts'

/** Top-level keys of an Alertmanager configuration, none of which is an option of `daytwo serve`. */
const TOP_KEYS = ['route', 'receivers', 'inhibit_rules', 'global', 'templates', 'time_intervals', 'mute_time_intervals']

/** Whether a file is a notification configuration and not a server configuration; also when its YAML is invalid. */
export function isNotifyConfig(text: string): boolean {
  try {
    const tree: unknown = parse(text, { logLevel: 'silent' })
    return typeof tree === 'object' && tree !== null && TOP_KEYS.some((key) => Object.hasOwn(tree, key))
  } catch {
    return new RegExp(`^(?:${TOP_KEYS.join('|')})[ \\t]*:`, 'm').test(text)
  }
}

export function readNotifyFile(path: string): LoadedConfig {
  try {
    return loadConfig(path, readFileSync(path, 'utf8'), readTemplateFiles)
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown) {
      throw new FleetError('config_invalid', `cannot read ${path}: ${messageOf(thrown)}`, { cause: thrown })
    }
    throw thrown
  }
}

/** Prints the output of `amtool check-config`; returns whether the file is valid. */
export function reportNotifyConfig(path: string): LoadedConfig {
  const loaded = readNotifyFile(path)
  const { config, diagnostics, maskedText, counts } = loaded
  console.log(`Checking '${path}'  ${config === undefined ? 'FAILED' : 'SUCCESS'}`)
  for (const finding of diagnostics) console.error(renderDiagnostic(maskedText, finding))
  if (config !== undefined) {
    console.log('Found:')
    console.log(' - global config')
    console.log(' - route')
    console.log(` - ${counts.inhibitRules} inhibit rules`)
    console.log(` - ${counts.receivers} receivers`)
    console.log(` - ${counts.templates} templates`)
  }
  console.log('')
  return loaded
}
