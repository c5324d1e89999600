import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fingerprintOf, type Alert } from '../../src/model/alert.ts'
import { Labels } from '../../src/model/labels.ts'
import { DuplicateAlerts } from '../../src/notify/duplicate-alerts.ts'
import { externalAlertOf, type ExternalAlert } from '../../src/notify/external-alert.ts'
import { atOnce } from '../support/at-once.ts'

const NOW_MS = 1_800_000_000_000

interface Given {
  readonly labels: Readonly<Record<string, string>>
  readonly isOfRule: boolean
  readonly firstMs: number
}

function alertOf({ labels: given, isOfRule, firstMs }: Given): Alert | ExternalAlert {
  const labels = Labels.of({ alertname: 'A', cluster: 'c', ...given })
  const fingerprint = fingerprintOf(labels)
  const [annotations, generatorUrl] = [{}, '']
  if (!isOfRule) {
    const times = { startsAtMs: firstMs, endsAtMs: NOW_MS + 1, updatedAtMs: firstMs, receivedAtMs: firstMs }
    return externalAlertOf(
      { fingerprint, labels, annotations, ...times, isTimeout: false, generatorUrl, sender: '' },
      NOW_MS,
    )
  }
  return { fingerprint, labels, annotations, state: 'firing', activeAtMs: firstMs, lastHeldAtMs: firstMs, value: 1 }
}

/** Each alert compared with each original before it. */
function compareAll(given: readonly Given[]): Map<string, string> {
  const alerts = given.map((one) => ({ ...one, alert: alertOf(one), isTaken: false }))
  alerts.sort(
    (a, b) =>
      a.firstMs - b.firstMs ||
      Number(b.isOfRule) - Number(a.isOfRule) ||
      (a.alert.fingerprint < b.alert.fingerprint ? -1 : 1),
  )
  const originals: typeof alerts = []
  const found = new Map<string, string>()
  for (const one of alerts) {
    const original = originals.find(
      (other) =>
        (!one.isOfRule || (!other.isOfRule && !other.isTaken)) &&
        other.alert.fingerprint !== one.alert.fingerprint &&
        Object.entries(one.labels).every(([name, value]) => (other.labels[name] ?? value) === value),
    )
    if (original === undefined) originals.push(one)
    else {
      if (one.isOfRule) original.isTaken = true
      found.set(one.alert.fingerprint, original.alert.fingerprint)
    }
  }
  return found
}

const GIVEN = fc.record({
  labels: fc.dictionary(fc.constantFrom('vm', 'ns', 'node'), fc.constantFrom('x', 'y'), { maxKeys: 3 }),
  isOfRule: fc.boolean(),
  firstMs: fc.integer({ min: NOW_MS - 3, max: NOW_MS }),
})
const firingOnce = (given: Given[]): Given[] => [
  ...new Map(given.map((one) => [`${one.isOfRule} ${alertOf(one).fingerprint}`, one])).values(),
]
const ALERTS = fc.array(GIVEN, { maxLength: 14 }).map(firingOnce)

describe('duplicates', () => {
  test('are those found by comparing each alert with each', () => {
    fc.assert(
      fc.property(ALERTS, (given) => {
        expect([...atOnce(new DuplicateAlerts().update(given.map(alertOf)))]).toEqual([...compareAll(given)])
      }),
      { numRuns: 500 },
    )
  })

  test('are the same whatever was compared before', () => {
    fc.assert(
      fc.property(fc.array(ALERTS, { minLength: 1, maxLength: 4 }), (cycles) => {
        const duplicates = new DuplicateAlerts()
        for (const given of cycles) {
          expect([...atOnce(duplicates.update(given.map(alertOf)))]).toEqual([...compareAll(given)])
          expect(duplicates.found.size).toBe(compareAll(given).size)
        }
      }),
    )
  })

  test('of 20,000 VMs of one cluster are found one by one', () => {
    const given = Array.from({ length: 20_000 }, (_, i): Given[] => [
      { labels: { vm: `vm-${i}`, ns: 'a' }, isOfRule: true, firstMs: NOW_MS },
      { labels: { vm: `vm-${i}`, pod: 'p' }, isOfRule: false, firstMs: NOW_MS - 1 },
    ]).flat()
    const alerts = given.map(alertOf)
    const found = atOnce(new DuplicateAlerts().update(alerts))
    expect(found.size).toBe(20_000)
    expect(found.get(alerts[0]!.fingerprint)).toBe(alerts[1]!.fingerprint)
  })

  test('are compared for 16 sets of label names; alerts with another set all notify', () => {
    const shapes = Array.from({ length: 17 }, (_, i) => ({ labels: { [`l${i}`]: 'x', vm: `vm-${i}` }, firstMs: i }))
    const external = shapes.map((one) => ({ ...one, isOfRule: false }))
    const ofRules = shapes.map((one) => ({ labels: one.labels, isOfRule: true, firstMs: NOW_MS }))
    const moreExact = ofRules.map((one, i) => ({
      ...one,
      labels: { ...one.labels, cluster: 'c', prometheus: `p${i}` },
    }))
    const found = atOnce(new DuplicateAlerts().update([...external, ...moreExact].map(alertOf)))
    expect(found.size).toBe(16)
    expect([...found.values()]).not.toContain(alertOf(external[16]!).fingerprint)
  })
})
