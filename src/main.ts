#!/usr/bin/env node
/** Picks the command. */
import { FleetError } from './base/errors.ts'
import { didYouMean } from './base/nearest.ts'
import type { Command } from './cli/command.ts'

/** Each command's code is loaded when it is asked for: `daytwo version` need not load a server. */
const COMMANDS: readonly { readonly name: string; readonly summary: string; readonly load: () => Promise<Command> }[] =
  [
    { name: 'serve', summary: 'Run the server.', load: async () => (await import('./cli/serve.ts')).serveCommand },
    {
      name: 'demo',
      summary: 'Run the whole product on a simulated fleet with two hours of history.',
      load: async () => (await import('./cli/demo.ts')).demoCommand,
    },
    {
      name: 'sim',
      summary: 'Send months of a simulated fleet to a server, with the truth in a file.',
      load: async () => (await import('./cli/sim.ts')).simCommand,
    },
    {
      name: 'token',
      summary: 'Make, list and remove the tokens that clients and people show.',
      load: async () => (await import('./cli/token.ts')).tokenCommand,
    },
    {
      name: 'session',
      summary: 'List the sessions of people, and sign a person out.',
      load: async () => (await import('./cli/session.ts')).sessionCommand,
    },
    {
      name: 'audit',
      summary: 'Check that no entry of the audit was changed or removed.',
      load: async () => (await import('./cli/audit.ts')).auditCommand,
    },
    {
      name: 'fleet',
      summary: 'Derive the facts of all clusters again, and say what is different.',
      load: async () => (await import('./cli/fleet.ts')).fleetCommand,
    },
    {
      name: 'backup',
      summary: 'Copy the data of a running server into one file, or check such a copy.',
      load: async () => (await import('./cli/backup.ts')).backupCommand,
    },
    {
      name: 'restore',
      summary: 'Make a data directory from a backup.',
      load: async () => (await import('./cli/restore.ts')).restoreCommand,
    },
    {
      name: 'privacy',
      summary: 'Show what is stored about a cluster, or erase all of it.',
      load: async () => (await import('./cli/privacy.ts')).privacyCommand,
    },
    {
      name: 'decommission',
      summary: 'Say of clusters that they were switched off for good, or take it back.',
      load: async () => (await import('./cli/decommission.ts')).decommissionCommand,
    },
    {
      name: 'doctor',
      summary: 'Verify a data directory, and repair it.',
      load: async () => (await import('./cli/doctor.ts')).doctorCommand,
    },
    {
      name: 'query',
      summary: 'Ask a running server in PromQL, for its series or its label values.',
      load: async () => (await import('./cli/query.ts')).queryCommand,
    },
    {
      name: 'check',
      summary: 'Check rules, configuration or expressions, or whether a server is up.',
      load: async () => (await import('./cli/check.ts')).checkCommand,
    },
    {
      name: 'config',
      summary: 'Show the routes of a notification configuration, and where an alert goes.',
      load: async () => (await import('./cli/config.ts')).configCommand,
    },
    {
      name: 'test',
      summary: 'Run unit tests of rules.',
      load: async () => (await import('./cli/test-rules.ts')).testCommand,
    },
    {
      name: 'lint',
      summary: 'Check alerts against their runbooks, metrics, tests and dashboards.',
      load: async () => (await import('./cli/lint.ts')).lintCommand,
    },
    {
      name: 'runbook',
      summary: 'Write the file that a new runbook starts from.',
      load: async () => (await import('./cli/runbook.ts')).runbookCommand,
    },
    {
      name: 'import',
      summary: 'Turn a Grafana dashboard into one of Perses.',
      load: async () => (await import('./cli/import.ts')).importCommand,
    },
    {
      name: 'version',
      summary: 'Print the version of Daytwo and of Node.',
      load: async () => (await import('./cli/version.ts')).versionCommand,
    },
  ]

function help(): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length))
  const lines = COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`)
  return [
    'daytwo: the telemetry backend for day 2 of a KubeVirt operator fleet.',
    '',
    'Usage: daytwo COMMAND [options]',
    '',
    'Commands:',
    ...lines,
    '',
    '`daytwo COMMAND --help` says all about one. Start with `daytwo demo`.',
  ].join('\n')
}

async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    console.log(help())
    return name === undefined ? 2 : 0
  }
  const wanted = name === '--version' ? 'version' : name
  const entry = COMMANDS.find((candidate) => candidate.name === wanted)
  if (entry === undefined) {
    const names = COMMANDS.map((candidate) => candidate.name)
    const hint = didYouMean(name, names) ?? '`daytwo --help` lists the commands'
    throw new FleetError('config_invalid', `unknown command ${name}`, { hint })
  }
  const command = await entry.load()
  if (rest.includes('--help') || rest.includes('-h')) {
    console.log(command.help())
    return 0
  }
  return command.run(rest)
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (thrown) {
  if (!(thrown instanceof FleetError)) throw thrown
  console.error(`daytwo: ${thrown.message}${thrown.hint === undefined ? '' : `\nhint: ${thrown.hint}`}`)
  process.exitCode = 2
}
