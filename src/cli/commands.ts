/** All commands, by name, in the order of `daytwo --help`. */
import type { Command } from './command.ts'

/** Each command's code is loaded when it is asked for: `daytwo version` need not load a server. */
export const COMMANDS: readonly {
  readonly name: string
  readonly summary: string
  readonly load: () => Promise<Command>
}[] = [
  { name: 'serve', summary: 'Run the server.', load: async () => (await import('./serve.ts')).serveCommand },
  {
    name: 'demo',
    summary: 'Run the whole product on a simulated fleet with history.',
    load: async () => (await import('./demo.ts')).demoCommand,
  },
  {
    name: 'sim',
    summary: 'Send months of a simulated fleet to a server, with the truth in a file.',
    load: async () => (await import('./sim.ts')).simCommand,
  },
  {
    name: 'token',
    summary: 'Create, list and remove the tokens of clients and users.',
    load: async () => (await import('./token.ts')).tokenCommand,
  },
  {
    name: 'session',
    summary: 'List user sessions, and sign a user out.',
    load: async () => (await import('./session.ts')).sessionCommand,
  },
  {
    name: 'audit',
    summary: 'Check that no entry of the audit was changed or removed.',
    load: async () => (await import('./audit.ts')).auditCommand,
  },
  {
    name: 'fleet',
    summary: 'Recompute the facts of all clusters and list differences.',
    load: async () => (await import('./fleet.ts')).fleetCommand,
  },
  {
    name: 'backup',
    summary: 'Copy the data of a running server into one file, or check such a copy.',
    load: async () => (await import('./backup.ts')).backupCommand,
  },
  {
    name: 'restore',
    summary: 'Make a data directory from a backup.',
    load: async () => (await import('./restore.ts')).restoreCommand,
  },
  {
    name: 'migrate',
    summary: 'Copy the data of a running server to PostgreSQL and a metrics store.',
    load: async () => (await import('./migrate.ts')).migrateCommand,
  },
  {
    name: 'privacy',
    summary: 'Show what is stored about a cluster, or erase all of it.',
    load: async () => (await import('./privacy.ts')).privacyCommand,
  },
  {
    name: 'ready',
    summary: 'List the clusters that can be upgraded to a version, with exit codes for pipelines.',
    load: async () => (await import('./ready.ts')).readyCommand,
  },
  {
    name: 'verdict',
    summary: 'Print whether other clusters may follow to a version, with exit codes for pipelines.',
    load: async () => (await import('./verdict.ts')).verdictCommand,
  },
  {
    name: 'decommission',
    summary: 'Declare clusters decommissioned, or revert the declaration.',
    load: async () => (await import('./decommission.ts')).decommissionCommand,
  },
  {
    name: 'configuration',
    summary: 'Compare the settings of a cluster with those of another one or of the fleet.',
    load: async () => (await import('./configuration.ts')).configurationCommand,
  },
  {
    name: 'doctor',
    summary: 'Verify a data directory, and repair it.',
    load: async () => (await import('./doctor.ts')).doctorCommand,
  },
  {
    name: 'query',
    summary: 'Query a running server: PromQL, series or label values.',
    load: async () => (await import('./query.ts')).queryCommand,
  },
  {
    name: 'plan',
    summary: 'Plan an upgrade of clusters: steps, durations and maintenance windows.',
    load: async () => (await import('./plan.ts')).planCommand,
  },
  {
    name: 'bundle',
    summary: 'Store the evidence of an upgrade or an alert as one file, or verify such a file.',
    load: async () => (await import('./bundle.ts')).bundleCommand,
  },
  {
    name: 'review',
    summary: 'Export the review of an alert or an upgrade, or the outcomes of runbooks.',
    load: async () => (await import('./review.ts')).reviewCommand,
  },
  {
    name: 'check',
    summary: 'Check rules, configuration or expressions, or whether a server is up.',
    load: async () => (await import('./check.ts')).checkCommand,
  },
  {
    name: 'config',
    summary: 'Show the routes of a notification configuration, and where an alert goes.',
    load: async () => (await import('./config.ts')).configCommand,
  },
  {
    name: 'test',
    summary: 'Run unit tests of rules.',
    load: async () => (await import('./test-rules.ts')).testCommand,
  },
  {
    name: 'lint',
    summary: 'Check alerts against their runbooks, metrics, tests and dashboards.',
    load: async () => (await import('./lint.ts')).lintCommand,
  },
  {
    name: 'runbook',
    summary: 'Write the file that a new runbook starts from.',
    load: async () => (await import('./runbook.ts')).runbookCommand,
  },
  {
    name: 'import',
    summary: 'Convert a Grafana dashboard, or import a catalog or update graph.',
    load: async () => (await import('./import.ts')).importCommand,
  },
  {
    name: 'version',
    summary: 'Print the version of Daytwo and of Node.',
    load: async () => (await import('./version.ts')).versionCommand,
  },
]
