/** The option `--data` of commands that work on data that is there: none of them makes an empty folder of a wrong name. */
import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { configFileFromEnvironment } from '../config/config-sources.ts'
import { OPTIONS, readConfig } from '../config/config.ts'
import { factsStoreOf } from '../config/facts-store.ts'
import { DATABASE_FILE } from '../store/database.ts'
import { openFacts, openFactsIn, type Facts } from '../store/facts/facts.ts'
import type { PostgresOptions } from '../store/postgres/options.ts'
import { inputError } from './arguments.ts'

type Options = ReadonlyMap<string, string>

export const DATA_HELP = `  --data DIR\n      Folder of the data, as given to the server (default ${OPTIONS.data.default}).`

/** The actor in the audit: the account that runs the command. */
export function commandLine(): string {
  try {
    return `command line (${userInfo().username})`
  } catch {
    // In a container the account may have no name.
    return `command line (user ${process.getuid?.() ?? 'unknown'})`
  }
}

/** The folder that `--data` names. Throws `config_invalid` when it does not exist. */
export function existingFolder(options: Options): string {
  const dir = options.get('data') ?? OPTIONS.data.default
  if (existsSync(dir)) return dir
  throw inputError(
    `there is no folder ${dir}`,
    '--data names the folder of the server; for a new server, make it first',
  )
}

/** The folder that `--data` names. Throws `config_invalid` when it does not exist, or has no database. */
export function dataFolder(options: Options): string {
  return checkData(existingFolder(options))
}

/** Throws `config_invalid` when a folder has no database. */
export function checkData(dir: string): string {
  if (existsSync(join(dir, DATABASE_FILE))) return dir
  throw inputError(`no data in ${dir}: the file ${DATABASE_FILE} is missing`)
}

/** The options of commands that work on facts, which are in a folder or in PostgreSQL. */
export const FACTS_OPTIONS: ReadonlySet<string> = new Set([
  ...['data', 'store.facts', 'store.facts-password-file', 'store.facts-tls', 'store.facts-ca'],
])

export const FACTS_HELP = [
  DATA_HELP,
  '  --store.facts URL',
  '      PostgreSQL with the facts, when the server has it; with the other options store.facts-... of the server. Like the',
  "      server's, they may also be in the environment.",
].join('\n')

/** Where the facts are. Throws `config_invalid`. @param folderOf the folder, when they are in one */
export function factsPlace(options: Options, folderOf: (options: Options) => string = dataFolder) {
  const ofStore = new Map([...options].filter(([key]) => key.startsWith('store.')))
  return factsStoreOf(readConfig(ofStore, configFileFromEnvironment())) ?? folderOf(options)
}

/** Opens the facts for one operation; a server may be running on them. */
export async function withFacts<T>(place: string | PostgresOptions, work: (facts: Facts) => Promise<T>): Promise<T> {
  const facts: Facts & { close(): void | Promise<void> } =
    typeof place === 'string' ? openFacts(place) : await openFactsIn(place)
  try {
    return await work(facts)
  } finally {
    await facts.close()
  }
}
