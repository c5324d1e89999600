/** `daytwo audit`: verifies the hash chain of the audit; a server may run on the same data. */
import type { AuditLink } from '../model/audit-chain.ts'
import { parseArguments, unexpected, verbOf } from './arguments.ts'
import type { Command } from './command.ts'
import { FACTS_HELP, FACTS_OPTIONS, factsPlace, withFacts } from './data-folder.ts'

const VALUED = new Set([...FACTS_OPTIONS, 'expect'])

export const auditCommand: Command = {
  help: () =>
    [
      'Usage: daytwo audit verify [--expect ID:HASH] [--data DIR]',
      '',
      'Checks that no entry of the audit was changed, added or removed: each entry has the hash of its content and of the',
      'entry before it. Prints the newest entry as ID:HASH. Store that text elsewhere and give it to --expect later: then a',
      'chain that was computed again from an older entry on is found too.',
      'Ends with 0, with 1 at the first broken entry, and with 2 for wrong usage.',
      '',
      FACTS_HELP,
    ].join('\n'),
  run: async (args) => {
    const { words, options } = parseArguments(args, VALUED, new Set())
    return verbOf('audit', { verify }, words[0] ?? '')(options)
  },
}

async function verify(options: ReadonlyMap<string, string>): Promise<number> {
  const noted = options.get('expect')
  const expected = noted === undefined ? undefined : readLink(noted)
  const verdict = await withFacts(factsPlace(options), ({ audit }) => audit.verify(expected))
  const { last, entries, unchained, erased, fault } = verdict
  if (unchained > 0) console.error(`${unchained} entries are from before the chain and have no hash`)
  if (erased > 0)
    console.error(`${erased} entries were erased with a cluster: only their place in the chain is checked`)
  if (fault !== undefined) {
    console.error(`the audit is broken after ${entries} sound entries: ${fault}`)
    return 1
  }
  console.error(`${entries} entries are sound; the newest one is:`)
  console.log(`${last.id}:${last.hash}`)
  return 0
}

function readLink(text: string): AuditLink {
  const [, id, hash] = /^(\d{1,15}):([0-9a-f]{64}|)$/.exec(text) ?? []
  if (id !== undefined && hash !== undefined) return { id: Number(id), hash }
  throw unexpected('option --expect', text, 'ID:HASH, as `daytwo audit verify` prints it')
}
