import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import type { LintReport } from '../../contract/lint.ts'
import type { PrometheusRuleGroup } from '../../contract/prometheus.ts'
import type { Replay, ReplayRequest, RuleTests } from '../../contract/replay.ts'
import { searchOf, withSearch } from '../lib/address.ts'
import { fetchData, postJson } from './fetch-json.ts'
import { useApiAction, type ApiAction } from './use-api-action.ts'
import { useApiAnswer } from './use-api-answer.ts'
import { usePollMs } from './live.ts'

const RULES_POLL_MS = 15_000
/** Unit tests and lint read all content, and run after the evaluation of rules. */
const SLOW_TIMEOUT_MS = 90_000

export const RULES_PATH = '/api/v1/rules'
export const REPLAY_PATH = '/api/fleet/v1/rules/replay'
export const LINT_PATH = '/api/lint'

export function useRules(): UseQueryResult<readonly PrometheusRuleGroup[]> {
  return useQuery({
    queryKey: ['rules'],
    queryFn: async ({ signal }) =>
      (await fetchData<{ readonly groups: PrometheusRuleGroup[] }>(RULES_PATH, signal)).groups,
    refetchInterval: usePollMs('rules', RULES_POLL_MS),
  })
}

/** Runs the unit tests that mention an alert. They take seconds, so they are not polled. */
export function useRuleTests(alertname: string, isWanted: boolean): UseQueryResult<RuleTests> {
  return useApiAnswer<RuleTests>('rule-tests', withSearch('/api/fleet/v1/rules/tests', searchOf({ alertname })), {
    timeoutMs: SLOW_TIMEOUT_MS,
    enabled: isWanted,
    refetchOnWindowFocus: false,
    staleTime: 60_000,
  })
}

/** The formatted expression; the original while loading (`isPending`) and on failure. */
export function useFormatted(expr: string): { readonly text: string; readonly isPending: boolean } {
  const path = withSearch('/api/v1/format_query', searchOf({ query: expr }))
  const { data, isPending } = useApiAnswer<{ readonly data: string }>('format', path, { staleTime: Infinity })
  return { text: data?.data ?? expr, isPending }
}

/** Evaluates a rule over stored samples. Slow, so a button starts it. */
export function useReplay(): ApiAction<ReplayRequest, Replay> {
  return useApiAction((request) => postJson<Replay>(REPLAY_PATH, request, undefined, REPLAY_TIMEOUT_MS))
}

/** Enough for 30 days of a large fleet. */
const REPLAY_TIMEOUT_MS = 180_000

export function useLint(): UseQueryResult<LintReport> {
  return useApiAnswer<LintReport>('lint', LINT_PATH, { timeoutMs: SLOW_TIMEOUT_MS, staleTime: 60_000 })
}
