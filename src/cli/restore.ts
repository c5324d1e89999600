/** `daytwo restore`: makes a data directory from a backup. */
import { restoreBackup } from '../store/backup.ts'
import { parseArguments, unexpected, inputError } from './arguments.ts'
import type { Command } from './command.ts'

export const restoreCommand: Command = {
  help: () =>
    [
      'Usage: daytwo restore FILE --data DIR [--force]',
      '',
      'Makes the data directory DIR from a backup: checks its version and every page of it, then puts it in place, whole or',
      'not at all. Refuses a folder that a server uses, or that is not empty. The server that is started on it has what the',
      'backup has; what was received afterwards is missing, unless its senders still have it and send it again.',
      '',
      '  --data DIR\n      The folder to restore into; made when it is not there.',
      '  --force\n      Deletes the data that is in DIR permanently.',
    ].join('\n'),
  run: async (args) => {
    const { words, options } = parseArguments(args, new Set(['data']), new Set(['force']))
    const [file, ...others] = words
    if (file === undefined || others.length > 0) {
      throw unexpected('daytwo restore', words.join(' '), 'one file')
    }
    const dir = options.get('data')
    if (dir === undefined) throw inputError('daytwo restore: got no --data, want the folder to restore into')
    const { atMs } = await restoreBackup({ file, dir, replaces: options.get('force') === 'true' })
    console.log(`${dir} has what there was at ${new Date(atMs).toISOString()}`)
    return 0
  },
}
