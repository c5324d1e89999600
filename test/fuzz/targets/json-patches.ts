import { parseJsonPatch } from '../../../src/fleet/derive/json-patches.ts'
import { analysePatches, type OperandPatch } from '../../../src/fleet/patches/analyse-patches.ts'
import { applyPatch } from '../../../src/fleet/patches/apply-patch.ts'
import { patchDifferences } from '../../../src/fleet/patches/patch-differences.ts'
import { patchKeyOf } from '../../../src/fleet/patches/patch-key.ts'
import { REAL_PATCHES } from '../../fleet/patches/real-patches.ts'
import { mutatedJson, pick, type Random } from '../mutate.ts'
import { NOTHING_TO_CLOSE, oneByOne, simplerText, type Target } from '../target.ts'

interface PatchInput {
  readonly component: string
  readonly text: string
  readonly from: string
  readonly to: string
}

const VERSIONS = [
  '1.5.0',
  '1.13.0',
  '1.17.3',
  '1.18.1',
  '1.19.0',
  '1.20.0',
  '4.20.3',
  '5.0.0',
  '9.9.9',
  '',
  '__proto__',
]
const COMPONENTS = ['kubevirt', 'cdi', 'network-addons', 'ssp', 'constructor']
const STEPS = ['-', '0', '01', '__proto__', 'constructor', 'spec', '~0', '~1', '', 'length', '999999999999']

function changedPath(random: Random, path: string): string {
  const steps = path.split('/')
  steps.splice(random(steps.length + 1), random(2), pick(random, STEPS))
  return steps.join('/')
}

/** Annotations of HyperConverged that nobody should write. */
const patches: Target<PatchInput> = {
  name: 'json-patches',
  claim:
    'A patch is analysed, and its key and findings do not depend on the order of names, or it is refused with a reason.',
  inputs: { suite: 600, long: 300_000 },
  shares: { analysed: 0.1, refused: 0.05 },
  open: () => ({
    make: (random) => {
      const { component, text } = pick(random, REAL_PATCHES)
      let value: unknown = JSON.parse(text)
      for (let i = random(3); i > 0; i--) value = mutatedJson(random, value)
      if (Array.isArray(value) && random(2) === 0) {
        value = (value as readonly unknown[]).map((one) => {
          const operation = one as { readonly path?: unknown } | null
          if (typeof operation?.path !== 'string') return one
          return { ...operation, path: changedPath(random, operation.path) }
        })
      }
      return {
        component: random(10) === 0 ? pick(random, COMPONENTS) : component,
        text: random(50) === 0 ? `${JSON.stringify(value)}]` : JSON.stringify(value),
        from: pick(random, VERSIONS),
        to: pick(random, VERSIONS),
      }
    },
    check: oneByOne(({ component, text, from, to }) => {
      const parsed = parseJsonPatch(text)
      if ('fault' in parsed) return 'refused'
      const { operations } = parsed
      const patch = (own: OperandPatch['operations']): OperandPatch => ({
        component,
        operations: own!,
        count: 1,
        text: '',
      })
      const findings = analysePatches(patch(operations), from, to)
      const turned = operations.map((one) => turnedNames(one) as typeof one)
      if (JSON.stringify(analysePatches(patch(turned), from, to)) !== JSON.stringify(findings)) {
        throw new Error('the findings depend on the order of names')
      }
      if (patchKeyOf(patch(turned)) !== patchKeyOf(patch(operations)))
        throw new Error('the key depends on the order of names')
      const applied = applyPatch(component, operations, from)
      if (applied !== undefined) patchDifferences(applied.before, applied.after)
      if (({} as Readonly<Record<string, unknown>>)['polluted'] !== undefined)
        throw new Error('a prototype was changed')
      return 'analysed'
    }),
    simpler: function* ({ text, ...rest }) {
      for (const shorter of simplerText(text)) yield { ...rest, text: shorter }
    },
    show: (input) => JSON.stringify(input),
    ...NOTHING_TO_CLOSE,
  }),
}

/** The same value, with the names of each object in the opposite order. */
function turnedNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turnedNames)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, inner]) => [name, turnedNames(inner)] as const)
  const turned = Object.create(null) as Record<string, unknown>
  for (const [name, inner] of entries.reverse()) turned[name] = inner
  return turned
}

export const JSON_PATCHES = [patches]
