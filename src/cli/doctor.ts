/** `daytwo doctor`: lists what is damaged in a data directory that no server uses, and repairs it. */
import { systemClock } from '../base/clock.ts'
import { examine, repair, withDirectory, type Finding, type Repair } from '../store/doctor/doctor.ts'
import { inputError, parseArguments } from './arguments.ts'
import type { Command } from './command.ts'
import { DATA_HELP, dataFolder } from './data-folder.ts'

const SOUND = 0
const DAMAGED = 1

export const doctorCommand: Command = {
  help: () =>
    [
      'Usage: daytwo doctor [--repair] [--data DIR]',
      '',
      'Verifies everything in a data directory: checksums, encoded bytes, pages and indexes of the database file. Lists what is',
      'damaged, and what is lost with it. Stop the server first. Reading changes nothing.',
      '',
      'Ends with 0 when nothing is damaged, or all is repaired; with 1 when something is damaged; with 2 when the directory',
      'cannot be examined or repaired.',
      '',
      '  --repair\n      Writes a new file with all readable data, and replaces the old one. The damaged file is renamed',
      '      (daytwo.db.damaged-TIME). Needs free space of the size of the file. Lists what is lost.',
      DATA_HELP,
    ].join('\n'),
  run: (args) => {
    const { words, options } = parseArguments(args, new Set(['data']), new Set(['repair']))
    if (words.length > 0) throw inputError(`daytwo doctor: got ${words.join(' ')}, want only options`)
    const dir = dataFolder(options)
    const code = withDirectory(dir, (db, isReadOnly) => {
      const findings = examine(db, dir)
      for (const finding of findings) console.log(findingText(finding))
      console.log(findings.length === 0 ? 'nothing is damaged' : `${findings.length} damaged`)
      if (findings.length === 0 || options.get('repair') !== 'true') return findings.length === 0 ? SOUND : DAMAGED
      if (isReadOnly) throw inputError(`daytwo doctor: ${dir} is read-only`, 'copy it elsewhere and repair the copy')
      for (const line of repairLines(repair(db, dir, systemClock.nowMs()))) console.log(line)
      return SOUND
    })
    return Promise.resolve(code)
  },
}

function findingText({ what, message, lost }: Finding): string {
  return `${what}: ${message}${lost === undefined ? '' : `; lost with it: ${lost}`}`
}

function repairLines({ tables, lost, restored, damagedPath }: Repair): readonly string[] {
  const rows = tables.reduce((sum, { copied }) => sum + copied, 0)
  return [
    `repaired: ${rows} rows of ${tables.length} tables copied; the damaged file is ${damagedPath}`,
    lost.length === 0 ? 'nothing is lost' : 'lost:',
    ...lost.map((line) => `  ${line}`),
    ...(restored.length === 0 ? [] : ['restored:', ...restored.map((line) => `  ${line}`)]),
  ]
}
