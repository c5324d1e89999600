/** The option `--data` of commands that work on data that is there: none of them makes an empty folder of a wrong name. */
import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { OPTIONS } from '../config/config.ts'
import { DATABASE_FILE } from '../store/database.ts'
import { openFacts, type Facts } from '../store/facts/facts.ts'
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

/** Opens the facts of a folder for one operation; a server may be running on it. */
export async function withFacts<T>(dir: string, work: (facts: Facts) => Promise<T>): Promise<T> {
  const facts = openFacts(dir)
  try {
    return await work(facts)
  } finally {
    facts.close()
  }
}
