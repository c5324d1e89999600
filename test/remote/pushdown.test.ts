import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DIFFERENCES } from '../../src/remote/difference-table.ts'
import { findPeer } from '../support/peers.ts'
import { TARGETS, type RunningTarget } from './pushdown-targets.ts'
import { Pushdown, sectionsOf, type ComparedCase } from './pushdown.ts'

// The project's own scripts; `npm run bench pushdown` also runs the upstream ones where they are beside the project.
const SCRIPTS = join(import.meta.dirname, '../promql/scripts')
const files = readdirSync(SCRIPTS).filter((file) => file.endsWith('.test'))

/** The differences that a case shows, by their ids in the table; histograms are not in the table. */
function idsOf({ notes }: ComparedCase): readonly string[] {
  return notes.map(
    (note) =>
      DIFFERENCES.find(({ text }) => note.includes(` ${text} (`))?.id ??
      (/native histograms/.test(note) ? 'histograms' : note),
  )
}

/** In how many cases the answer differs at most. */
const MOST = { prometheus: 14, 'victoria-metrics': 40 } as const

describe.each(['prometheus', 'victoria-metrics'] as const)('scripts on %s', (program) => {
  const path = findPeer(program)
  describe.skipIf(path === undefined)(`(skipped where ${program} is not installed)`, () => {
    let target: RunningTarget
    let pushdown: Pushdown
    const cases: (ComparedCase & { readonly file: string })[] = []
    beforeAll(async () => {
      target = await TARGETS[program](path!)
      pushdown = new Pushdown(target)
      for (const file of files) {
        for (const section of sectionsOf(readFileSync(join(SCRIPTS, file), 'utf8'))) {
          for (const one of await pushdown.compare(section)) cases.push({ ...one, file })
        }
      }
    }, 120_000)
    afterAll(async () => {
      pushdown.close()
      await target.stop()
    })

    test('every other answer has its reason beside it', () => {
      const unexplained = cases.filter(({ isSame, notes }) => !isSame && notes.length === 0)
      expect(unexplained.map(({ file, line, expr, got, wanted }) => ({ file, line, expr, got, wanted }))).toEqual([])
      expect(cases.filter(({ isSame }) => !isSame).length).toBeLessThanOrEqual(MOST[program])
    })

    test('NaN is the only reason where there is NaN', () => {
      const ofNan = cases.filter((one) => !one.isSame && idsOf(one).every((id) => id === 'nan'))
      expect(ofNan.filter(({ hasNan }) => !hasNan).map(({ file, line, expr }) => ({ file, line, expr }))).toEqual([])
    })

    test('every reason is in the table', () => {
      const known = new Set([...DIFFERENCES.map(({ id }) => id), 'histograms'])
      expect(cases.flatMap(idsOf).filter((id) => !known.has(id))).toEqual([])
    })

    test('answers are pushed, rewritten and evaluated here', () => {
      const ways = new Map<string, number>()
      for (const { way } of cases) ways.set(way.split(':')[0]!, (ways.get(way.split(':')[0]!) ?? 0) + 1)
      const same = cases.filter(({ isSame }) => isSame).length
      process.stdout.write(
        `${program}: ${cases.length} cases, ${same} equal; ${JSON.stringify(Object.fromEntries(ways))}\n`,
      )
      expect(ways.get('pushed')).toBeGreaterThan(50)
      expect(ways.get('rewritten')).toBeGreaterThan(20)
      expect(ways.get('local')).toBeGreaterThan(50)
    })

    test('with exact answers only those of the store itself differ', async () => {
      const exact = new Pushdown(target, true, 2011)
      const text = readFileSync(join(SCRIPTS, 'rates.test'), 'utf8')
      const all: ComparedCase[] = []
      for (const section of sectionsOf(text)) all.push(...(await exact.compare(section)))
      exact.close()
      expect(all.filter(({ isSame, notes }) => !isSame && notes.length === 0)).toEqual([])
      const differing = all.filter(({ isSame }) => !isSame)
      expect(differing.every((one) => idsOf(one).includes('nan'))).toBe(true)
    })
  })
})
