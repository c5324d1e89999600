/** `daytwo test`: runs unit tests of rules like promtool, with its exit codes. */
import { FleetError } from '../base/errors.ts'
import type { Command } from './command.ts'
import { TEST_RULES_HELP, testRules } from './test-rules.ts'

const VERBS: Readonly<Record<string, (args: readonly string[]) => Promise<number>>> = { rules: testRules }

export const testCommand: Command = {
  help: () => TEST_RULES_HELP,
  run: async (args) => {
    const [verb = '', ...rest] = args
    const test = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined
    if (test !== undefined) return test(rest)
    throw new FleetError('config_invalid', `daytwo test: got ${JSON.stringify(verb)}, want rules`)
  },
}
