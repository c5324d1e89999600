import { expect, test } from 'vitest'
import { RELEASES, releaseOf } from '../../src/fleet/releases.ts'
import { compareVersions } from '../../src/fleet/version-order.ts'

test('releases are in the order of their versions, each once', () => {
  const versions = RELEASES.map(({ version }) => version)
  expect(versions).toEqual([...new Set(versions)].sort(compareVersions))
  expect(versions).toHaveLength(34)
})

test('a release has what it replaces and the versions of its operands', () => {
  expect(releaseOf('1.18.0')).toMatchObject({
    name: 'kubevirt-hyperconverged-operator.v1.18.0',
    replaces: 'kubevirt-hyperconverged-operator.v1.17.0',
    operands: { kubevirt: 'v1.8.4', cdi: 'v1.65.0' },
  })
  expect(releaseOf('1.99.0')).toBeUndefined()
})
