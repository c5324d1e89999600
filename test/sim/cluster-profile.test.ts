import { describe, expect, test } from 'vitest'
import { createProfile, csvName, productVersion } from '../../sim/cluster-profile.ts'

const profiles = Array.from({ length: 300 }, (_, i) => createProfile('seed', i, 30_000))

describe('cluster profiles', () => {
  test('no two clusters share a name or an id', () => {
    expect(new Set(profiles.map(({ name }) => name)).size).toBe(300)
    expect(new Set(profiles.map(({ id }) => id)).size).toBe(300)
  })

  test('ids are uuids and names are host names', () => {
    for (const { id, name } of profiles) {
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      expect(name).toMatch(/^[a-z]+-(prod|stage|edge|lab)-\d{2,}$/)
    }
  })

  test('the two products live in their own namespaces and count in their own way', () => {
    for (const profile of profiles) {
      const version = productVersion(profile, profile.firstRelease)
      const { minor, patch } = profile.firstRelease
      if (profile.flavour === 'openshift') {
        expect(profile.installNamespace).toBe('openshift-cnv')
        expect(version).toBe(`4.${minor + 4}.${patch}`)
        expect(profile.platform).toBe('openshift')
      } else {
        expect(profile.installNamespace).toBe('kubevirt-hyperconverged')
        expect(version).toBe(`1.${minor}.${patch}`)
      }
      expect(csvName(profile, profile.firstRelease)).toBe(`kubevirt-hyperconverged-operator.v${version}`)
    }
  })

  test('a wish changes what it names and nothing else', () => {
    const plain = createProfile('seed', 3, 30_000)
    const wished = createProfile('seed', 3, 30_000, { firstRelease: '1.16.0', isMultiArch: true })
    expect({ ...wished, firstRelease: plain.firstRelease, isMultiArch: plain.isMultiArch }).toEqual(plain)
    expect(wished.firstRelease.hco).toBe('1.16.0')
    expect(createProfile('seed', 3, 30_000, { nodesMin: 20 }).nodes).toHaveLength(20)
  })

  test('the fleet has both products, several versions, single nodes and a few pairs of Prometheus', () => {
    expect(new Set(profiles.map(({ flavour }) => flavour)).size).toBe(2)
    expect(new Set(profiles.map(({ firstRelease }) => firstRelease.hco)).size).toBeGreaterThan(8)
    expect(profiles.some(({ nodes }) => nodes.length === 1)).toBe(true)
    const pairs = profiles.filter(({ isHa }) => isHa).length
    expect(pairs).toBeGreaterThan(5)
    expect(pairs).toBeLessThan(60)
  })
})
