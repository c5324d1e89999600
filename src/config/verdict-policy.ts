/**
 * The file of `verdict.policy`: how rollouts are judged. YAML, checked as a whole; what is absent has its default:
 *
 *     error_rate: 0.05              # of a wrong hold over all signals and looks, and of a wrong proceed
 *     horizon: 6h                   # an upgrade that has not ended by then counts as failed
 *     window: 1d                    # alerts and modifications are counted this long before and after an upgrade
 *     strata: [platform, size]      # only equal ones are compared: platform, size, region, channel, environment
 *     signals: { modifications: false }
 *     proceed: { canaries_min: 20, failure_margin: 0.1 }
 *     hold: { slowdown_min: 1.1, failure_difference_min: 0 }
 */
import { readFileSync } from 'node:fs'
import { parse as parseYaml } from 'yaml'
import { FleetError, messageOf } from '../base/errors.ts'
import { didYouMean } from '../base/nearest.ts'
import { formatDuration, parseDuration } from '../model/duration.ts'
import {
  DEFAULT_ROLLOUT_POLICY,
  ROLLOUT_SIGNALS,
  ROLLOUT_STRATA,
  type RolloutPolicy,
  type RolloutSignal,
} from '../model/rollout-verdict.ts'
import { fieldsOf, listOf } from './file-fields.ts'

/** @param path empty: the defaults. Throws FleetError `config_invalid`. */
export function readVerdictPolicy(path: string): RolloutPolicy {
  if (path === '') return DEFAULT_ROLLOUT_POLICY
  try {
    return verdictPolicyOf(parseYaml(readFileSync(path, 'utf8')) ?? {})
  } catch (thrown) {
    throw new FleetError('config_invalid', `cannot use the policy of verdicts in ${path}: ${messageOf(thrown)}`, {
      cause: thrown,
    })
  }
}

const HOUR_MS = 3600_000

/** Throws an error that names the field, what it has, and what is expected. */
export function verdictPolicyOf(tree: unknown): RolloutPolicy {
  const top = fieldsOf('the file', tree, ['error_rate', 'horizon', 'window', 'strata', 'signals', 'proceed', 'hold'])
  const proceed = fieldsOf('proceed', top.get('proceed') ?? {}, ['canaries_min', 'failure_margin'])
  const hold = fieldsOf('hold', top.get('hold') ?? {}, ['slowdown_min', 'failure_difference_min'])
  const byDefault = DEFAULT_ROLLOUT_POLICY
  return {
    alpha: numberOf('error_rate', top.get('error_rate'), byDefault.alpha, 0.0001, 0.5),
    horizonMs: durationOf('horizon', top.get('horizon'), byDefault.horizonMs, HOUR_MS / 4, 30 * 24 * HOUR_MS),
    windowMs: durationOf('window', top.get('window'), byDefault.windowMs, HOUR_MS, 30 * 24 * HOUR_MS),
    strata: top.has('strata') ? wordsOf('strata', top.get('strata'), ROLLOUT_STRATA) : byDefault.strata,
    signals: signalsOf(top.get('signals')),
    canariesMin: wholeOf('proceed.canaries_min', proceed.get('canaries_min'), byDefault.canariesMin, 1, 100_000),
    failureMargin: numberOf('proceed.failure_margin', proceed.get('failure_margin'), byDefault.failureMargin, 0, 1),
    slowdownMin: numberOf('hold.slowdown_min', hold.get('slowdown_min'), byDefault.slowdownMin, 1, 100),
    failureDifferenceMin: numberOf(
      'hold.failure_difference_min',
      hold.get('failure_difference_min'),
      byDefault.failureDifferenceMin,
      0,
      1,
    ),
  }
}

/** On, unless the file switches it off. */
function signalsOf(tree: unknown): readonly RolloutSignal[] {
  const fields = fieldsOf('signals', tree ?? {}, ROLLOUT_SIGNALS)
  const signals = ROLLOUT_SIGNALS.filter((signal) => {
    const value = fields.get(signal) ?? true
    if (typeof value === 'boolean') return value
    throw new Error(`signals.${signal}: got ${JSON.stringify(value)}, want true or false`)
  })
  if (signals.length === 0) throw new Error('signals: got all of them false, want at least one true')
  return signals
}

function wordsOf<T extends string>(what: string, tree: unknown, known: readonly T[]): readonly T[] {
  const words = listOf(what, tree).map((item, i): T => {
    const found = known.find((word) => word === item)
    if (found !== undefined) return found
    const wanted = didYouMean(String(item), known) ?? `want ${known.join(', ')}`
    throw new Error(`${what}[${i}]: got ${JSON.stringify(item)}; ${wanted}`)
  })
  return [...new Set(words)]
}

function numberOf(what: string, tree: unknown, byDefault: number, least: number, most: number): number {
  if (tree === undefined || tree === null) return byDefault
  if (typeof tree === 'number' && tree >= least && tree <= most) return tree
  throw new Error(`${what}: got ${JSON.stringify(tree)}, want a number from ${least} to ${most}`)
}

function wholeOf(what: string, tree: unknown, byDefault: number, least: number, most: number): number {
  const found = numberOf(what, tree, byDefault, least, most)
  if (Number.isInteger(found)) return found
  throw new Error(`${what}: got ${JSON.stringify(tree)}, want a whole number`)
}

function durationOf(what: string, tree: unknown, byDefault: number, leastMs: number, mostMs: number): number {
  if (tree === undefined || tree === null) return byDefault
  const found = typeof tree === 'string' ? parseDuration(tree) : undefined
  if (found !== undefined && found >= leastMs && found <= mostMs) return found
  const range = `from ${formatDuration(leastMs)} to ${formatDuration(mostMs)}`
  throw new Error(`${what}: got ${JSON.stringify(tree)}, want a duration such as 6h, ${range}`)
}
