import { VALUE_DEPTH_MAX } from '../../../src/wire/decode-error.ts'
import { factsText, packFacts, unpackFacts } from '../../../src/store/observations/object-codec.ts'
import { readObjectRecord } from '../../../src/wire/k8s/object-record.ts'
import { otlpValueOf } from '../../support/otlp-logs.ts'
import { OBJECTS } from '../../wire/k8s/objects.ts'
import { NOW_MS } from '../bodies.ts'
import { mutatedJson, pick } from '../mutate.ts'
import { NOTHING_TO_CLOSE, oneByOne, type Target } from '../target.ts'

interface ObjectInput {
  readonly resource: string
  /** Of the watch event; empty: a pull found it. */
  readonly type: string
  readonly object: unknown
}

/** Levels of values inside values. Without recursion: a mutated value may have thousands. */
function depthOf(value: unknown): number {
  let depth = 0
  for (let level: unknown[] = [value]; level.length > 0; depth++) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? (Object.values(one) as unknown[]) : []))
  }
  return depth
}

/** Kubernetes objects with fields that no API server has, as the Collector puts them into a log record. */
const objects: Target<ObjectInput> = {
  name: 'k8s-objects',
  claim: 'An object is read, left out or refused with an example; its facts are stored and read back as they are.',
  inputs: { suite: 500, long: 500_000 },
  shares: { object: 0.1, refused: 0.02 },
  open: () => ({
    make: (random) => {
      const { resource, object } = pick(random, OBJECTS)
      let changed: unknown = object
      for (let i = random(4); i >= 0; i--) changed = mutatedJson(random, changed)
      const type = pick(random, ['', 'ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'constructor'])
      // What is deeper is refused when the body is decoded, and never gets here.
      const isDeep = depthOf(changed) > VALUE_DEPTH_MAX
      return { resource: random(30) === 0 ? '__proto__' : resource, type, object: isDeep ? object : changed }
    },
    check: oneByOne(({ resource, type, object }) => {
      const body = otlpValueOf(type === '' ? object : { type, object })
      const attributes = [{ key: 'k8s.resource.name', value: resource }]
      const reading = readObjectRecord({ attributes, body, observedMs: NOW_MS })
      if (reading.kind === 'refused' && reading.example.length > 2000) throw new Error('the example is too long')
      if (reading.kind === 'object') {
        const text = factsText(reading.observation.facts)
        const read = factsText(unpackFacts(packFacts(text)))
        if (read !== text) throw new Error(`stored facts are read as ${read}, want ${text}`)
      }
      return reading.kind
    }),
    simpler: function* ({ object, ...rest }) {
      if (typeof object !== 'object' || object === null) return
      for (const name of Object.keys(object)) {
        yield { ...rest, object: Object.fromEntries(Object.entries(object).filter(([other]) => other !== name)) }
      }
    },
    show: (input) => JSON.stringify(input),
    ...NOTHING_TO_CLOSE,
  }),
}

export const K8S = [objects]
