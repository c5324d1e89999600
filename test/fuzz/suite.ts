import { test } from 'vitest'
import { runTarget } from './run-target.ts'
import type { Target } from './target.ts'

/** The inputs of the suite are the same ones in every run; `npm run fuzz` draws others. */
const SEED = 1

/** The short form of targets: a test of each. */
export function testTargets(targets: readonly Target[]): void {
  test.each(targets.map((target) => [target.name, target.inputs.suite, target] as const))(
    '%s, %d inputs',
    { timeout: 300_000 },
    async (_name, inputs, target) => {
      await runTarget(target, { inputs, seed: SEED })
    },
  )
}
