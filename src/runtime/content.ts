/** The content folders: read at the start, reloaded while the server runs, and refused as a whole. */
import { readFileSync } from 'node:fs'
import { engineOptionsOf } from '../config/folder-options.ts'
import { FleetError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { loadCatalog, type Catalog, type ContentFile } from '../catalog/catalog.ts'
import type { Config } from '../config/config.ts'
import { renderDiagnostic, type Diagnostic } from '../model/diagnostic.ts'
import type { Reloadable } from './reload.ts'

export interface Content {
  /** A live view of the content in use: hold this object, not its fields. The first access reads the folders. */
  readonly catalog: Catalog
  /** @param useRules passes new rule files to the rule engine */
  reloadable(useRules: (files: readonly ContentFile[]) => Promise<void>): Reloadable
}

/** The first read throws FleetError `content_invalid` for invalid rule files; other faults are logged. */
export function createContent(config: Config, log: Log): Content {
  let current: Catalog | undefined
  const inUse = (): Catalog => (current ??= readFirst(config, log))
  return {
    catalog: liveCatalog(inUse),
    reloadable: (useRules) => ({
      name: 'content',
      places: [config.rules, config.runbooks, config.dashboards],
      read: () => {
        const next = readAgain(config, inUse())
        return async () => {
          await useRules(next.ruleFiles)
          current = next
        }
      },
    }),
  }
}

function readFolders(config: Config): Catalog {
  const folders = { rulesDir: config.rules, runbooksDir: config.runbooks, dashboardsDir: config.dashboards }
  return loadCatalog(folders, engineOptionsOf(config))
}

/** Invalid rules prevent the start of the server; other faults are logged once. */
function readFirst(config: Config, log: Log): Catalog {
  const catalog = readFolders(config)
  const errors = errorsOf(catalog)
  const paths = new Set(catalog.ruleFiles.map(({ path }) => path))
  const ofRules = errors.filter(({ file }) => file !== undefined && paths.has(file))
  if (ofRules.length > 0) {
    throw new FleetError('content_invalid', `the rule files in ${config.rules} cannot be used\n${render(ofRules)}`)
  }
  for (const { file, message } of errors) log.warn({ file, finding: message }, 'content has a fault')
  return catalog
}

/** Refuses all files when one of them has a fault that the content in use does not have. */
function readAgain(config: Config, before: Catalog): Catalog {
  const catalog = readFolders(config)
  const known = new Set(errorsOf(before).map(identityOf))
  const news = errorsOf(catalog).filter((error) => !known.has(identityOf(error)))
  if (news.length > 0) throw new FleetError('content_invalid', `the content cannot be used\n${render(news)}`)
  return catalog
}

function errorsOf(catalog: Catalog): readonly Diagnostic[] {
  return catalog.diagnostics.filter(({ severity }) => severity === 'error')
}

function identityOf({ file, message }: Diagnostic): string {
  return JSON.stringify([file, message])
}

function render(errors: readonly Diagnostic[]): string {
  const texts = new Map<string, string>()
  const textOf = (path: string): string => {
    const text = texts.get(path) ?? readFileSync(path, 'utf8')
    texts.set(path, text)
    return text
  }
  return errors.map((error) => renderDiagnostic(error.file === undefined ? '' : textOf(error.file), error)).join('\n\n')
}

/** Each property is read from the content in use. */
function liveCatalog(inUse: () => Catalog): Catalog {
  return new Proxy({} as Catalog, { get: (_target, name) => Reflect.get(inUse(), name) as unknown })
}
