import { describe, expect, test } from 'vitest'
import { admit } from '../../src/ingest/admission.ts'
import { INGEST_DEFAULTS } from '../../src/ingest/options.ts'
import type { RawLabel } from '../../src/wire/label-fields.ts'

function raw(...labels: (readonly [string | undefined, string | undefined])[]): RawLabel[] {
  return labels.map(([name, value]) => ({
    name,
    value,
    nameBytes: Buffer.byteLength(name ?? ''),
    valueBytes: Buffer.byteLength(value ?? ''),
  }))
}

const UID = '6f3c1d52-9f0e-4c1b-8a53-0d6c5a1e7b10'
const OTHER_UID = '2c0d4e9a-5b77-4d0c-9c55-8f1e2a3b4c5d'
const NAMED = ['__name__', 'up'] as const

function admitted(labels: RawLabel[], cluster?: string, options = INGEST_DEFAULTS): Record<string, string> | string {
  const admission = admit(labels, cluster, options)
  return admission.kind === 'admitted' ? admission.labels.toObject() : `${admission.reason}: ${admission.example}`
}

describe('a label set', () => {
  test.each([
    ['is sorted', raw(['z', '1'], NAMED, ['a', '2']), { __name__: 'up', a: '2', z: '1' }],
    ['loses empty values', raw(NAMED, ['a', ''], ['b', '1']), { __name__: 'up', b: '1' }],
    [
      'may have any UTF-8 in names and values',
      raw(['__name__', 'metric.with.dots'], ['žluť kůň', 'a\n"b"\t😀']),
      { __name__: 'metric.with.dots', 'žluť kůň': 'a\n"b"\t😀' },
    ],
    ['may be the name alone', raw(NAMED), { __name__: 'up' }],
  ])('%s', (_, labels, want) => {
    expect(admitted(labels)).toEqual(want)
  })

  test.each([
    ['without labels', raw(), 'no_metric_name: series {} has no label __name__, or an empty one'],
    ['without a name', raw(['a', 'x']), 'no_metric_name: series {a="x"} has no label __name__, or an empty one'],
    ['with an empty name', raw(['__name__', ''], ['a', 'x']), 'no_metric_name: series {a="x"} has no label __name__'],
    ['that repeats a label', raw(NAMED, ['b', '1'], ['b', '2']), 'repeated_label: label "b" is repeated in up'],
    ['that repeats an empty label', raw(NAMED, ['b', ''], ['b', '']), 'repeated_label: label "b" is repeated in up'],
    ['with a label without a name', raw(NAMED, ['', 'x']), 'bad_labels: up has a label without a name'],
    [
      'with a name that is not UTF-8',
      raw(NAMED, [undefined, 'x']),
      'bad_labels: up has a label name that is not UTF-8',
    ],
    [
      'with a value that is not UTF-8',
      raw(NAMED, ['b', undefined]),
      'bad_labels: label "b" of up has a value that is not UTF-8',
    ],
    [
      'with a metric name that is not UTF-8',
      raw(['__name__', undefined]),
      'bad_labels: label "__name__" of a series without a name has',
    ],
    ['with NUL in a value', raw(NAMED, ['b', 'x\0c\0d']), 'bad_labels: label "b" of up contains the character U+0000'],
    ['with NUL in a name', raw(NAMED, ['b\0x', 'c']), 'bad_labels: label "b x" of up contains the character U+0000'],
  ])('%s is refused', (_, labels, want) => {
    expect(admitted(labels)).toContain(want)
  })

  const SMALL = { ...INGEST_DEFAULTS, labelsPerSeriesMax: 3, labelNameBytesMax: 8, labelValueBytesMax: 4 }
  test.each([
    ['3 labels', raw(NAMED, ['a', '1'], ['b', '2']), undefined],
    [
      '4 labels',
      raw(NAMED, ['a', '1'], ['b', '2'], ['c', '3']),
      'too_many_labels: up has more labels than ingest.labels-max, 3',
    ],
    ['a name of 8 bytes', raw(NAMED, ['abcdefgh', '1']), undefined],
    [
      'a name of 9 bytes',
      raw(NAMED, ['abcdefghi', '1']),
      'label_name_too_long: up has a label name of 9 bytes, want at most ingest.label-name-bytes-max, 8',
    ],
    ['a value of 4 bytes', raw(NAMED, ['a', 'žž']), undefined],
    [
      'a value of 5 bytes',
      raw(NAMED, ['a', 'žžx']),
      'label_value_too_long: label "a" of up has 5 bytes, want at most ingest.label-value-bytes-max, 4',
    ],
  ])('of %s against limits', (_, labels, want) => {
    const got = admitted(labels, undefined, SMALL)
    if (want === undefined) expect(got).toBeTypeOf('object')
    else expect(got).toContain(want)
  })

  test('texts that were not decoded for their length are refused by it', () => {
    const labels = [...raw(NAMED), { name: '', value: '', nameBytes: 2000, valueBytes: 0 }]
    expect(admitted(labels)).toContain('label_name_too_long: up has a label name of 2000 bytes')
  })
})

describe('the cluster', () => {
  test.each([
    ['stays where it is', raw(NAMED, ['cluster', 'a'], ['cluster_id', 'b']), { cluster: 'a', cluster_id: 'b' }],
    [
      'is copied from the first alias',
      raw(NAMED, ['clusterID', 'c'], ['_id', 'b']),
      { _id: 'b', cluster: 'b', clusterID: 'c' },
    ],
    [
      'is copied past empty ones',
      raw(NAMED, ['cluster', ''], ['cluster_id', ''], ['cluster_name', 'n']),
      { cluster: 'n', cluster_name: 'n' },
    ],
  ])('%s', (_, labels, want) => {
    expect(admitted(labels)).toEqual({ __name__: 'up', ...want })
  })

  test('may be absent, and that is noted', () => {
    expect(admit(raw(NAMED), undefined, INGEST_DEFAULTS)).toMatchObject({ kind: 'admitted', isIdentified: false })
    expect(admit(raw(NAMED, ['_id', 'a']), undefined, INGEST_DEFAULTS)).toMatchObject({ isIdentified: true })
  })

  test('is named by the labels that the options list', () => {
    const options = { ...INGEST_DEFAULTS, identityLabels: ['site'] }
    expect(admitted(raw(NAMED, ['site', 's'], ['cluster_id', 'x']), undefined, options)).toMatchObject({ cluster: 's' })
    expect(admitted(raw(NAMED, ['cluster_id', 'x']), undefined, options)).toEqual({ __name__: 'up', cluster_id: 'x' })
  })

  test.each([
    ['nothing claimed', raw(NAMED), { cluster: 'a' }],
    ['itself claimed', raw(NAMED, ['cluster', 'a']), { cluster: 'a' }],
    ['itself claimed by an alias', raw(NAMED, ['cluster_id', 'a']), { cluster: 'a', cluster_id: 'a' }],
    [
      'itself claimed by a label that counts more',
      raw(NAMED, ['cluster_id', 'a'], ['cluster_name', 'n']),
      { cluster: 'a', cluster_id: 'a', cluster_name: 'n' },
    ],
    [
      'a UUID that the token knows nothing of',
      raw(NAMED, ['k8s_cluster_uid', UID]),
      { cluster: 'a', k8s_cluster_uid: UID },
    ],
    [
      'a UUID, and its name after it',
      raw(NAMED, ['k8s_cluster_uid', UID], ['k8s_cluster_name', 'a']),
      { cluster: 'a', k8s_cluster_name: 'a', k8s_cluster_uid: UID },
    ],
  ])('of a bound token is stamped: %s', (_, labels, want) => {
    expect(admitted(labels, 'a')).toEqual({ __name__: 'up', ...want })
  })

  test.each([
    ['cluster', raw(NAMED, ['cluster', 'b'])],
    ['cluster', raw(NAMED, ['cluster', 'b'], ['cluster_id', 'a'])],
    ['cluster_name', raw(NAMED, ['cluster_name', 'b'], ['cluster_id', UID])],
    ['_id', raw(NAMED, ['_id', 'b'])],
  ])('of a bound token is not given away by label %s', (label, labels) => {
    expect(admitted(labels, 'a')).toBe(
      `cluster_mismatch: up claims cluster "b" by label ${label}, the token is bound to "a"`,
    )
  })

  test.each([
    ['its own UUID', raw(NAMED, ['cluster_id', UID]), undefined],
    [
      'its own UUID and another one of the same cluster',
      raw(NAMED, ['_id', OTHER_UID], ['cluster_id', UID]),
      undefined,
    ],
    ['a name beside it', raw(NAMED, ['cluster_id', UID], ['cluster_name', 'a']), undefined],
    ['a name alone', raw(NAMED, ['cluster_name', 'a']), undefined],
    ['another UUID', raw(NAMED, ['cluster_id', OTHER_UID]), 'cluster_id'],
    ['a name that pages would show', raw(NAMED, ['cluster_id', UID], ['cluster', 'a']), 'cluster'],
  ])('of a token bound to a UUID: %s', (_, labels, claim) => {
    const got = admitted(labels, UID)
    if (claim === undefined) expect(got).toMatchObject({ cluster: UID })
    else expect(got).toContain(`by label ${claim}, the token is bound to "${UID}"`)
  })
})
