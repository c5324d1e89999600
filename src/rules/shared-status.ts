/**
 * The last evaluation of each group, for the processes that do not evaluate it: without it they would show a group as never
 * evaluated. The evaluator stores it after each evaluation; a missed write is replaced by the next one.
 */
import type { RuleGroupStatus, RuleHealth, RuleStatus } from './rule-status.ts'

/** What the evaluator of a group knows and the rule files do not have. Plain JSON. */
export interface GroupEvaluationStatus {
  readonly evaluationMs: number
  readonly lastEvaluationMs: number
  readonly nextEvaluationMs: number
  readonly missed: number
  readonly rules: readonly RuleEvaluationStatus[]
}

interface RuleEvaluationStatus {
  readonly ruleKey: string
  readonly health: RuleHealth
  readonly lastError?: string
  readonly warnings: readonly string[]
  readonly evaluationMs: number
  readonly lastEvaluationMs?: number
  readonly lastSamples: number
}

/** Implemented by `store`. */
export interface GroupStatusStore {
  /** A status under an older lease than the stored one is left out. */
  write(statuses: readonly StoredGroupStatus[]): Promise<void>
  read(groupKeys: readonly string[]): Promise<readonly StoredGroupStatus[]>
}

export interface StoredGroupStatus {
  readonly groupKey: string
  /** Of the evaluator's lease. */
  readonly fence: number
  readonly status: GroupEvaluationStatus
}

const TEXT_CHARS_MAX = 1000
const WARNINGS_MAX = 10

/** `undefined`: it was not evaluated here. */
export function evaluationOf(group: RuleGroupStatus): GroupEvaluationStatus | undefined {
  const { evaluationMs, lastEvaluationMs, nextEvaluationMs, missed, rules } = group
  if (lastEvaluationMs === undefined || nextEvaluationMs === undefined) return undefined
  return { evaluationMs, lastEvaluationMs, nextEvaluationMs, missed, rules: rules.map(ruleEvaluationOf) }
}

function ruleEvaluationOf(rule: RuleStatus): RuleEvaluationStatus {
  const { ruleKey, health, lastError, warnings, evaluationMs, lastEvaluationMs, lastSamples } = rule
  return {
    ...{ ruleKey, health, evaluationMs, lastSamples },
    ...(lastError !== undefined && { lastError: lastError.slice(0, TEXT_CHARS_MAX) }),
    ...(lastEvaluationMs !== undefined && { lastEvaluationMs }),
    warnings: warnings.slice(0, WARNINGS_MAX).map((warning) => warning.slice(0, TEXT_CHARS_MAX)),
  }
}

/** The group as its evaluator knows it. Rules that the evaluator does not have, during a reload, stay as they are. */
export function withEvaluation(
  group: RuleGroupStatus,
  { rules, ...evaluation }: GroupEvaluationStatus,
): RuleGroupStatus {
  const byKey = new Map(rules.map((rule) => [rule.ruleKey, rule]))
  return { ...group, ...evaluation, rules: group.rules.map((rule) => ({ ...rule, ...byKey.get(rule.ruleKey) })) }
}

interface SharedGroupStatusParts {
  readonly store: GroupStatusStore
  readonly keyOf: (group: RuleGroupStatus) => string
  /** The lease under which this process evaluates a group; `undefined`: another one does. */
  readonly fenceOf: (groupKey: string) => number | undefined
}

export class SharedGroupStatus {
  readonly #parts: SharedGroupStatusParts
  /** As they were read last: shown while the store cannot be read. */
  #read: ReadonlyMap<string, GroupEvaluationStatus> = new Map()
  readonly #written = new Map<string, number>()
  #writing: Promise<void> | undefined

  constructor(parts: SharedGroupStatusParts) {
    this.#parts = parts
  }

  /** Stores what was evaluated since the last call. Never rejects, and does not wait for a call that is under way. */
  async write(groups: readonly RuleGroupStatus[]): Promise<void> {
    if (this.#writing !== undefined) return
    const { store, keyOf, fenceOf } = this.#parts
    const statuses = groups.flatMap((group) => {
      const [groupKey, status] = [keyOf(group), evaluationOf(group)]
      const fence = fenceOf(groupKey)
      if (fence === undefined || status === undefined) return []
      return this.#written.get(groupKey) === status.lastEvaluationMs ? [] : [{ groupKey, fence, status }]
    })
    if (statuses.length === 0) return
    this.#writing = store.write(statuses).then(
      () => {
        for (const { groupKey, status } of statuses) this.#written.set(groupKey, status.lastEvaluationMs)
      },
      // The next evaluation writes it again.
      () => undefined,
    )
    await this.#writing
    this.#writing = undefined
  }

  /** The groups as their evaluators know them. Never rejects. */
  async complete(groups: readonly RuleGroupStatus[]): Promise<RuleGroupStatus[]> {
    const { store, keyOf, fenceOf } = this.#parts
    const isOthers = (group: RuleGroupStatus): boolean =>
      fenceOf(keyOf(group)) === undefined || group.lastEvaluationMs === undefined
    try {
      const stored = await store.read(groups.filter(isOthers).map(keyOf))
      this.#read = new Map(stored.map(({ groupKey, status }) => [groupKey, status]))
    } catch {
      // As they were read last.
    }
    return groups.map((group) => {
      const known = isOthers(group) ? this.#read.get(keyOf(group)) : undefined
      return known === undefined ? group : withEvaluation(group, known)
    })
  }
}
