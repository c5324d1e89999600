import { describe, expect, test } from 'vitest'
import { clusterHistory } from '../../../src/fleet/derive/cluster-history.ts'
import { deriveModifications } from '../../../src/fleet/derive/modifications.ts'
import { parseJsonPatch } from '../../../src/fleet/derive/json-patches.ts'
import type { Modification } from '../../../src/model/cluster-record.ts'
import type { ClusterObservations } from '../../../src/model/observation.ts'
import type { UpgradeRecord } from '../../../src/model/upgrade.ts'
import { at, hyperConverged, look, observed, overwritten, run, T0 } from './observed.ts'

/** `out_of_band kubevirt 19..899 x3`, times in seconds. */
function shown(modifications: readonly Modification[]): readonly string[] {
  const seconds = (timeMs: number | undefined): string => (timeMs === undefined ? '' : String((timeMs - T0) / 1000))
  return modifications.map(({ kind, component, startedMs, endedMs, count, isUpgradeMode, resolutionSeconds }) => {
    const mode = isUpgradeMode ? ' in upgrade mode' : ''
    return `${kind} ${component} ${seconds(startedMs)}..${seconds(endedMs)} x${count} ±${resolutionSeconds}${mode}`
  })
}

const found = (observations: ClusterObservations, upgrades: readonly UpgradeRecord[] = []): readonly string[] =>
  shown(deriveModifications(clusterHistory(observations), upgrades))

const KUBEVIRT = { component_name: 'kubevirt/kubevirt-kubevirt-hyperconverged' }
const POD = (pod: string) => ({ ...KUBEVIRT, pod })
const ADDRESS = (instance: string) => ({ ...KUBEVIRT, instance })
const MESSAGE = 'Overwritten KubeVirt kubevirt-kubevirt-hyperconverged'

describe('out of band, from the counter', () => {
  test.each([
    ['its birth is the first edit', [run('out_of_band', KUBEVIRT, 1, [30, 90], { before: 0 })], ['30..30 x1 ±30']],
    ['one that was always there tells nothing', [run('out_of_band', KUBEVIRT, 4, [0, 90])], []],
    [
      'its increments',
      [
        run('out_of_band', KUBEVIRT, 4, [0, 60], { after: 90 }),
        run('out_of_band', KUBEVIRT, 6, [90, 120], { before: 60 }),
      ],
      ['90..90 x2 ±30'],
    ],
    [
      'a new operator counts from the beginning',
      [
        run('out_of_band', KUBEVIRT, 4, [0, 60], { after: 90 }),
        run('out_of_band', KUBEVIRT, 1, [90, 120], { before: 60 }),
      ],
      ['90..90 x1 ±30'],
    ],
    [
      'a series that was missing and is back is of a new process, also with the same or a higher count',
      [
        run('out_of_band', KUBEVIRT, 2, [30, 90], { before: 0, after: 120 }),
        run('out_of_band', KUBEVIRT, 2, [900, 960], { before: 870, after: 990 }),
        run('out_of_band', KUBEVIRT, 5, [1800, 1860], { before: 1770 }),
      ],
      ['30..30 x2 ±30', '900..900 x2 ±30', '1800..1800 x5 ±30'],
    ],
    [
      'each pod of HCO counts from 0, without a scrape between them',
      [
        run('out_of_band', POD('hco-a'), 3, [30, 870], { before: 0, after: 900 }),
        run('out_of_band', POD('hco-b'), 3, [900, 1800], { before: 870, after: 1830 }),
        run('out_of_band', POD('hco-c'), 4, [1830, 1860], { before: 1800 }),
      ],
      ['30..30 x3 ±30', '900..900 x3 ±30', '1830..1830 x4 ±30'],
    ],
    [
      'pods that overlap are counted apart',
      [
        run('out_of_band', POD('hco-a'), 3, [30, 930], { before: 0, after: 960 }),
        run('out_of_band', POD('hco-b'), 1, [900, 930], { before: 870, after: 960 }),
        run('out_of_band', POD('hco-b'), 2, [960, 990], { before: 930 }),
      ],
      ['30..30 x3 ±30', '900..960 x2 ±30'],
    ],
    [
      'where the pod label was dropped the address names the process',
      [
        run('out_of_band', ADDRESS('10.1.0.7:8443'), 2, [30, 870], { before: 0, after: 900 }),
        run('out_of_band', ADDRESS('10.1.0.9:8443'), 2, [900, 930], { before: 870 }),
      ],
      ['30..30 x2 ±30', '900..900 x2 ±30'],
    ],
    [
      'a sender that stops reporting the pod, and reports it again, counts nothing twice',
      [
        run('out_of_band', POD('hco-a'), 2, [30, 870], { before: 0, after: 900 }),
        run('out_of_band', ADDRESS('10.1.0.7:8443'), 3, [900, 1770], { before: 870, after: 1800 }),
        run('out_of_band', POD('hco-a'), 3, [1800, 2670], { before: 1770, after: 2700 }),
        run('out_of_band', POD('hco-a'), 4, [2700, 2730], { before: 2670 }),
      ],
      ['30..30 x2 ±30', '900..900 x1 ±30', '2700..2700 x1 ±30'],
    ],
    [
      'less than ten minutes apart is one burst, ten minutes is not',
      [
        run('out_of_band', KUBEVIRT, 1, [30, 600], { before: 0, after: 629 }),
        run('out_of_band', KUBEVIRT, 2, [629, 1200], { before: 600, after: 1229 }),
        run('out_of_band', KUBEVIRT, 3, [1229, 1500], { before: 1200 }),
      ],
      ['30..629 x2 ±30', '1229..1229 x1 ±29'],
    ],
  ])('%s', (_name, runs, want) => {
    expect(found(observed([], runs))).toEqual(want.map((line) => `out_of_band kubevirt ${line}`))
  })

  test.each([
    ['kubevirt-kubevirt-hyperconverged', 'kubevirt'],
    ['networkaddonsconfig/cluster', 'network-addons'],
    ['configmap/kubevirt-storage-class-defaults', 'configmap/kubevirt-storage-class-defaults'],
  ])('component %s is %s', (component_name, want) => {
    const runs = [run('out_of_band', { component_name }, 1, [30, 90], { before: 0 })]
    expect(deriveModifications(clusterHistory(observed([], runs)), []).map(({ component }) => component)).toEqual([
      want,
    ])
  })
})

describe('out of band, from Events', () => {
  test('each look at a repeating Event adds what it rose by', () => {
    const event = (count: number, last: number) =>
      look(last + 1, overwritten(MESSAGE, { firstMs: at(19), lastMs: at(last), count }), { name: 'e' })
    expect(found(observed([event(1, 19), event(2, 300), event(5, 2000)]))).toEqual([
      'out_of_band kubevirt 19..300 x2 ±1',
      'out_of_band kubevirt 2000..2000 x3 ±1',
    ])
  })

  test('the times of edits are stored, of a long burst some, with the first and the last', () => {
    const burst = (edits: number) =>
      Array.from({ length: edits }, (_, i) =>
        look(i + 1, overwritten(MESSAGE, { firstMs: at(0), lastMs: at(i), count: i + 1 }), { name: 'e' }),
      )
    const editsOf = (edits: number) => deriveModifications(clusterHistory(observed(burst(edits))), [])[0]!.edits!
    expect(editsOf(3)).toEqual([0, 1, 2].map((i) => [at(i), i + 1]))
    expect(editsOf(200)).toHaveLength(200)
    const some = editsOf(402)
    expect([some[0], some[1], some.at(-1), some.length]).toEqual([[at(0), 1], [at(3), 4], [at(401), 402], 135])
  })

  test('other Events are no edits', () => {
    expect(found(observed([look(5, overwritten(MESSAGE, { reason: 'Updated' }))]))).toEqual([])
  })

  test('Events and counter of one burst are one, with the exact start and the larger count', () => {
    const objects = [look(20, overwritten(MESSAGE, { firstMs: at(19), lastMs: at(19) }))]
    const runs = [run('out_of_band', KUBEVIRT, 2, [30, 90], { before: 0 })]
    expect(found(observed(objects, runs))).toEqual(['out_of_band kubevirt 19..30 x2 ±1'])
  })

  test('edits while HCO upgrades are marked', () => {
    const upgrade = {
      upgrade: { operator: 'kubevirt-hyperconverged', state: 'succeeded', startedMs: at(0), endedMs: at(840) },
      detail: { hco: { startedMs: at(96), endedMs: at(840) }, observedUntilMs: at(9000) },
    } as UpgradeRecord
    const event = (seconds: number) =>
      look(seconds, overwritten(MESSAGE, { firstMs: at(seconds), lastMs: at(seconds) }), { name: `e${seconds}` })
    expect(found(observed([event(50), event(2000)]), [upgrade])).toEqual([
      'out_of_band kubevirt 50..50 x1 ±1',
      'out_of_band kubevirt 2000..2000 x1 ±1',
    ])
    expect(found(observed([event(200)]), [upgrade])).toEqual(['out_of_band kubevirt 200..200 x1 ±1 in upgrade mode'])
  })
})

describe('JSON patches', () => {
  const NAME = 'kubevirt.kubevirt.io/jsonpatch'
  const ADD = '[{"op":"add","path":"/spec/configuration/x","value":{"a":1}}]'
  const patched = (text?: string, tainted?: number) =>
    hyperConverged({
      jsonPatches: text === undefined ? {} : { [NAME]: text },
      conditions:
        tainted === undefined
          ? []
          : [
              {
                type: 'TaintedConfiguration',
                status: 'True',
                reason: 'UnsupportedFeatureAnnotation',
                message: '',
                lastTransitionMs: at(tainted),
              },
            ],
    })

  test.each([
    ['added and taken away', [look(0, patched()), look(60, patched(ADD)), look(90, patched())], ['60..90 x1 ±1']],
    ['since HCO became tainted, by its clock', [look(0, patched()), look(60, patched(ADD, 134))], ['134.. x1 ±1']],
    ['still there', [look(0, patched()), look(60, patched(ADD))], ['60.. x1 ±1']],
    ['there at the first look: tainted since', [look(60, patched(ADD, -500))], ['-500.. x1 ±1']],
    ['there at the first look, and nothing says since when', [look(60, patched(ADD))], ['.. x1 ±1']],
    [
      'rewritten: another one',
      [look(0, patched()), look(60, patched(ADD)), look(90, patched('[]'))],
      ['60..90 x1 ±1', '90.. x0 ±1'],
    ],
    [
      'gone with its object',
      [look(0, patched()), look(60, patched(ADD)), look(90, patched(ADD), { change: 'deleted' as const })],
      ['60..90 x1 ±1'],
    ],
  ])('%s', (_name, objects, want) => {
    expect(found(observed(objects))).toEqual(want.map((line) => `jsonpatch kubevirt ${line}`))
  })

  test('its operations are told, or why it is none', () => {
    const [good] = deriveModifications(clusterHistory(observed([look(60, patched(ADD))])), [])
    expect([good!.operations, good!.annotation]).toEqual([
      [{ op: 'add', path: '/spec/configuration/x', value: { a: 1 } }],
      NAME,
    ])
    const [bad] = deriveModifications(clusterHistory(observed([look(60, patched('{"op":"add"}'))])), [])
    expect(bad!.operations).toBeUndefined()
    expect(bad!.text).toBe(`the annotation ${NAME} is not a JSON patch: got an object, want an array of operations`)
  })

  test('metrics tell how many operations, where no object tells more', () => {
    const runs = [
      run('unsafe_modifications', { annotation_name: NAME }, 0, [0, 30], { after: 60 }),
      run('unsafe_modifications', { annotation_name: NAME }, 2, [60, 90], { before: 30, after: 120 }),
      run('unsafe_modifications', { annotation_name: NAME }, 0, [120, 600], { before: 90 }),
    ]
    expect(found(observed([], runs))).toEqual(['jsonpatch kubevirt 60..120 x2 ±30'])
    expect(found(observed([look(0, patched()), look(61, patched(ADD)), look(100, patched())], runs))).toEqual([
      'jsonpatch kubevirt 61..100 x1 ±1',
    ])
  })

  test('HCO that restarts reports no patches, which ends none', () => {
    const counted = (value: number, first: number, last: number, ends: Parameters<typeof run>[4]) =>
      run('unsafe_modifications', { annotation_name: NAME }, value, [first, last], ends)
    const runs = [
      counted(0, 0, 30, { after: 60 }),
      counted(2, 60, 90, { before: 30, after: 120 }),
      counted(2, 180, 600, { before: 150, after: 630 }),
      counted(3, 720, 900, { before: 690 }),
    ]
    expect(found(observed([], runs))).toEqual(['jsonpatch kubevirt 60..720 x2 ±30', 'jsonpatch kubevirt 720.. x3 ±120'])
  })

  test('a patch that its object told last is no second one when a scrape counts it afterwards', () => {
    const objects = [look(0, patched()), look(60, patched(ADD))]
    const counted = (operations: number) =>
      run('unsafe_modifications', { annotation_name: NAME }, operations, [62, 600], { before: 32 })
    expect(found(observed(objects, [counted(1)]))).toEqual(['jsonpatch kubevirt 60.. x1 ±1'])
    // Another number of operations is another patch, of which no object told.
    expect(found(observed(objects, [counted(2)]))).toEqual([
      'jsonpatch kubevirt 60.. x1 ±1',
      'jsonpatch kubevirt 62.. x2 ±30',
    ])
    // It was taken away, and nobody tells of the object since.
    const again = run('unsafe_modifications', { annotation_name: NAME }, 1, [120, 600], { before: 90 })
    expect(found(observed([...objects, look(80, patched())], [again]))).toEqual([
      'jsonpatch kubevirt 60..80 x1 ±1',
      'jsonpatch kubevirt 120.. x1 ±30',
    ])
  })
})

test.each([
  ['', 'it is not JSON: Unexpected end of JSON input'],
  ['null', 'got null, want an array of operations'],
  ['[1]', 'operation 1: got a number, want an object'],
  ['[[]]', 'operation 1: got an array, want an object'],
  [
    '[{"op":"test","path":"/a","value":null},{"op":"patch","path":"/"}]',
    'operation 2: got op "patch", want one of add, remove, replace, move, copy, test',
  ],
  [
    '[{"op":"toString","path":"/"}]',
    'operation 1: got op "toString", want one of add, remove, replace, move, copy, test',
  ],
  ['[{"op":"add","path":"spec","value":1}]', 'operation 1: got path "spec", want a JSON pointer'],
  ['[{"op":"add","path":"/a~2","value":1}]', 'operation 1: got path "/a~2", want a JSON pointer'],
  ['[{"op":"add","path":"/a"}]', 'operation 1: add has no value'],
  ['[{"op":"move","path":"/a"}]', 'operation 1: move has no from'],
  ['[{"op":"move","path":"/a","from":"b"}]', 'operation 1: got from "b", want a JSON pointer'],
])('%s is no JSON patch', (text, fault) => {
  expect(parseJsonPatch(text)).toEqual({ fault })
})

test('an empty path is the whole document, and an empty array is a patch', () => {
  expect(parseJsonPatch('[{"op":"replace","path":"","value":{}}]')).toEqual({
    operations: [{ op: 'replace', path: '', value: {} }],
  })
  expect(parseJsonPatch('[]')).toEqual({ operations: [] })
})
