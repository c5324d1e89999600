/** Reads the files of the notification configuration, at the start and on a reload. */
import { readFileSync, statSync } from 'node:fs'
import { FleetError, messageOf } from '../../base/errors.ts'
import { glob } from '../../base/glob.ts'
import type { Log } from '../../base/log.ts'
import { renderDiagnostic } from '../../model/diagnostic.ts'
import { emptyConfig, loadConfig, type NotifyConfig, type ReadTemplates } from './config-file.ts'

/** @param path empty for none. Throws FleetError `config_invalid` with carets. */
export function readNotifyConfig(path: string, log: Log): NotifyConfig {
  if (path === '') return emptyConfig()
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (thrown) {
    throw new FleetError('config_invalid', `cannot read the notification configuration ${path}: ${messageOf(thrown)}`, {
      cause: thrown,
    })
  }
  const { config, diagnostics, maskedText } = loadConfig(path, text, readTemplateFiles)
  if (config === undefined) {
    const errors = diagnostics.filter(({ severity }) => severity === 'error')
    const shown = errors.map((error) => renderDiagnostic(maskedText, error)).join('\n\n')
    throw new FleetError('config_invalid', `the notification configuration ${path} cannot be used\n${shown}`)
  }
  for (const { message } of diagnostics) log.warn({ file: path, finding: message }, 'the notification configuration')
  return config
}

/** Template files by Go's patterns, in the order of their names. Throws when one cannot be read. */
export const readTemplateFiles: ReadTemplates = (pattern) => {
  const files = (glob(pattern) ?? []).filter((path) => statSync(path).isFile())
  return files.map((path) => ({ path, text: readFileSync(path, 'utf8') }))
}
