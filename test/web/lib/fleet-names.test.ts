import { expect, test } from 'vitest'
import { phaseName, phaseWords } from '../../../src/web/lib/fleet-names.ts'

test.each([
  ['olm.installing', 'Installing', 'install: operators starting'],
  ['virt_handler.waves', 'virt-handler waves', 'node by node'],
  ['operands.network-addons', 'CNAO', 'component network-addons'],
  ['operands.strange', 'strange', 'component strange'],
  ['platform.worker', 'Pool worker', 'nodes of worker'],
  ['new.phase', 'new.phase', 'new phase'],
])('the phase %s is called %s, and in a sentence %s', (phase, name, words) => {
  expect([phaseName(phase), phaseWords(phase)]).toEqual([name, words])
})

test('a phase nobody told is no phase', () => {
  expect(phaseWords(null)).toBe('phase not reported')
})
