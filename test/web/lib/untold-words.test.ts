import { expect, test } from 'vitest'
import { UNTOLD } from '../../../src/api/fleet/moment.ts'
import { untoldWords } from '../../../src/web/lib/untold-words.ts'

test.each(Object.entries(UNTOLD))('what %s does not tell of the past has words', (_, fields) => {
  for (const field of fields) expect(untoldWords([field]), field).not.toEqual([field])
})

test('each thing is said once, and a field that nobody wrote words for stands for itself', () => {
  expect(untoldWords(['coverage.silent', 'gates.on', 'gates.off', 'clusters.silent', 'new.field'])).toEqual([
    'which clusters were silent',
    'gates set in HyperConverged',
    'new.field',
  ])
})
