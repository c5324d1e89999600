import { expect, test } from 'vitest'
import { UNAVAILABLE } from '../../../src/api/fleet/moment.ts'
import { describeUnavailable } from '../../../src/web/lib/unavailable-fields.ts'

test.each(Object.entries(UNAVAILABLE))('what %s does not tell of the past has words', (_, fields) => {
  for (const field of fields) expect(describeUnavailable([field]), field).not.toEqual([field])
})

test('each thing is said once, and a field that nobody wrote words for stands for itself', () => {
  expect(describeUnavailable(['coverage.silent', 'gates.on', 'gates.off', 'clusters.silent', 'new.field'])).toEqual([
    'which clusters were silent',
    'gates set in HyperConverged',
    'new.field',
  ])
})
