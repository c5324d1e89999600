/** `daytwo token`: adds, lists and removes tokens; a server may run on the same data. */
import { systemClock } from '../base/clock.ts'
import { OPTIONS } from '../config/config.ts'
import { ROLES, type Role } from '../model/token.ts'
import { openFacts, type Facts } from '../store/facts/facts.ts'
import { hashToken, newToken } from '../runtime/token-index.ts'
import { inputError, parseArguments, unexpected, verbOf } from './arguments.ts'
import type { Command } from './command.ts'

type Options = ReadonlyMap<string, string>

const VALUED = new Set(['data', 'role', 'name', 'cluster'])

export const tokenCommand: Command = {
  help: () =>
    [
      'Usage: daytwo token add --role ROLE --name NAME [--cluster CLUSTER] [--data DIR]',
      '       daytwo token list [--data DIR]',
      '       daytwo token remove ID [--data DIR]',
      '',
      'A token is shown once, when it is made; only its hash is kept. Clients send it as a Bearer token or as the password',
      'of Basic auth (any user name), so Prometheus, curl and a browser can all show it. A running server learns of it',
      'within seconds. A server without tokens serves only this machine; once there are tokens, it asks for one from its',
      'next start on.',
      '',
      'Roles:',
      '  ingest     may only send; with --cluster only for that cluster, and everything it sends gets that name',
      '  viewer     may read everything',
      '  responder  may also silence, acknowledge, and say that a cluster was switched off for good',
      '  admin      may do everything',
      '',
      `  --data DIR\n      Folder of the data, as given to the server (default ${OPTIONS.data.default})`,
    ].join('\n'),
  run: async (args) => {
    const { words, options } = parseArguments(args, VALUED, new Set())
    const [verb = '', ...rest] = words
    return verbOf('token', { add, list, remove }, verb)(options, rest)
  },
}

/** Opens the facts for one operation. Checks come before, because a missing folder is created. */
async function withTokens<T>(options: Options, work: (tokens: Facts['tokens']) => Promise<T>): Promise<T> {
  const facts = openFacts(options.get('data') ?? OPTIONS.data.default)
  try {
    return await work(facts.tokens)
  } finally {
    facts.close()
  }
}

async function add(options: Options): Promise<number> {
  const role = readRole(options.get('role'))
  const name = options.get('name') ?? ''
  const cluster = options.get('cluster')
  if (name === '') throw inputError('option --name: got nothing, want a name to know the token by')
  if (cluster !== undefined && role !== 'ingest') {
    throw inputError(`option --cluster: got role ${role}, want ingest: only senders are bound to a cluster`)
  }
  if (cluster === '') throw inputError('option --cluster: got an empty name, want a cluster')
  const token = newToken()
  const bound = cluster === undefined ? {} : { cluster }
  const fresh = { role, name, hash: hashToken(token), createdAtMs: systemClock.nowMs(), ...bound }
  const record = await withTokens(options, (tokens) => tokens.add(fresh))
  console.error(
    `token ${record.id}, role ${role}${cluster === undefined ? '' : `, cluster ${cluster}`}; it is shown only now:`,
  )
  console.log(token)
  return 0
}

async function list(options: Options): Promise<number> {
  const records = await withTokens(options, (tokens) => tokens.list())
  const rows = records.map(({ id, role, name, cluster, createdAtMs }) => [
    String(id),
    role,
    cluster ?? '',
    new Date(createdAtMs).toISOString().slice(0, 16),
    name,
  ])
  const table = [['ID', 'ROLE', 'CLUSTER', 'CREATED', 'NAME'], ...rows]
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)))
  for (const row of table)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
  return 0
}

async function remove(options: Options, words: readonly string[]): Promise<number> {
  const id = Number(words[0])
  if (!Number.isSafeInteger(id)) {
    throw unexpected('daytwo token remove', words[0] ?? '', 'the ID of a token')
  }
  if (await withTokens(options, (tokens) => tokens.remove(id))) return 0
  throw inputError(`there is no token ${id}`, '`daytwo token list` lists them')
}

function readRole(text: string | undefined): Role {
  const role = ROLES.find((known) => known === text)
  if (role !== undefined) return role
  throw unexpected('option --role', text ?? '', `one of ${ROLES.join(', ')}`)
}
