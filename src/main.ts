#!/usr/bin/env node
/** Picks the command. */
import { FleetError } from './base/errors.ts'
import { didYouMean } from './base/nearest.ts'
import { COMMANDS } from './cli/commands.ts'

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
    '`daytwo COMMAND --help` describes one command. Start with `daytwo demo`.',
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
