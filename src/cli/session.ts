/** `daytwo session`: lists and ends the sessions of people; a server may run on the same data. */
import { systemClock } from '../base/clock.ts'
import { auditedSession } from '../runtime/sessions.ts'
import { inputError, parseArguments, unexpected, verbOf } from './arguments.ts'
import type { Command } from './command.ts'
import { commandLine, FACTS_HELP, FACTS_OPTIONS, factsPlace, withFacts } from './data-folder.ts'
import { printTable, timeText } from './table.ts'

export const sessionCommand: Command = {
  help: () =>
    [
      'Usage: daytwo session list [--data DIR]',
      '       daytwo session end PERSON [--data DIR]',
      '',
      'Sessions of users who signed in at the identity provider. `end` signs a user out in all browsers, within seconds',
      'and with an entry in the audit. PERSON is a name of the list. Remove the person, or their groups, at the provider first:',
      'otherwise they can sign in again.',
      '',
      FACTS_HELP,
    ].join('\n'),
  run: async (args) => {
    const { words, options } = parseArguments(args, FACTS_OPTIONS, new Set())
    const [verb = '', ...rest] = words
    return verbOf('session', { list, end }, verb)(options, rest)
  },
}

async function list(options: ReadonlyMap<string, string>): Promise<number> {
  const records = await withFacts(factsPlace(options), ({ sessions }) => sessions.list())
  const rows = records
    .toSorted((a, b) => a.startedAtMs - b.startedAtMs)
    .map(({ name, groups, startedAtMs, lastSeenMs }) => [
      ...[timeText(startedAtMs), timeText(lastSeenMs), name],
      groups.join(','),
    ])
  printTable(['STARTED', 'LAST SEEN', 'PERSON', 'GROUPS'], rows)
  return 0
}

async function end(options: ReadonlyMap<string, string>, [person, ...others]: readonly string[]): Promise<number> {
  if (person === undefined || others.length > 0) {
    throw unexpected('daytwo session end', [person, ...others].join(' '), 'the name of one person')
  }
  const nowMs = systemClock.nowMs()
  const ended = await withFacts(factsPlace(options), async ({ sessions }) => {
    const own = (await sessions.list()).filter(({ name }) => name === person)
    return sessions.write([], own.map((record) => auditedSession('session.end', record, commandLine(), nowMs))) // prettier-ignore
  })
  if (ended === 0) throw inputError(`${JSON.stringify(person)} has no session`, '`daytwo session list` lists them')
  console.error(`${ended} sessions of ${person} ended`)
  return 0
}
