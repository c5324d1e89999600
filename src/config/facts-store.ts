/** Derives how PostgreSQL is reached from the configuration. */
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { FleetError, messageOf } from '../base/errors.ts'
import { PROCESS_ROLES } from '../model/process-role.ts'
import type { PostgresOptions } from '../store/postgres/options.ts'
import type { Config } from './config.ts'
import { isLoopback } from './folder-options.ts'

/**
 * `undefined`: facts are in the data folder. Throws FleetError `config_invalid` for a file that cannot be read.
 * @param instance random, of this start of the process; absent: a short command
 */
export function factsStoreOf(config: Config, instance?: string): PostgresOptions | undefined {
  const { 'store.facts': url, 'store.facts-tls': tls } = config
  if (url === '') {
    if (config.roles.length === PROCESS_ROLES.length) return undefined
    throw new FleetError(
      'config_invalid',
      `option roles: got ${config.roles.join(',')} without store.facts, want all`,
      {
        hint: 'processes share the work only where they share the facts: set store.facts',
      },
    )
  }
  const passwordFile = config['store.facts-password-file']
  const ca = config['store.facts-ca']
  const isRemote = !isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ''))
  if (ca !== '' && tls === 'off') {
    throw new FleetError('config_invalid', 'option store.facts-ca: got a file, and store.facts-tls is off')
  }
  return {
    url,
    ...(instance === undefined ? {} : { instance }),
    connectionsMax: config['store.facts-connections-max'],
    statementTimeoutMs: config['store.facts-statement-timeout'],
    ...(passwordFile === '' ? {} : { password: readOption('store.facts-password-file', passwordFile) }),
    ...(tls === 'on' || ca !== '' || (tls === 'auto' && isRemote)
      ? { tls: ca === '' ? {} : { ca: readOption('store.facts-ca', ca) } }
      : {}),
  }
}

/** Of this process among those that share PostgreSQL. */
export function processNameOf(config: Config): string {
  const { host, port } = config.listen
  return config['process.name'] === '' ? `${isLoopback(host) ? hostname() : host}:${port}` : config['process.name']
}

function readOption(option: string, path: string): string {
  try {
    const text = readFileSync(path, 'utf8').trim()
    if (text !== '') return text
  } catch (thrown) {
    throw new FleetError('config_invalid', `option ${option}: cannot read ${path}: ${messageOf(thrown)}`)
  }
  throw new FleetError('config_invalid', `option ${option}: ${path} is empty`)
}
