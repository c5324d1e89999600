import { useMutation, useQuery } from '@tanstack/react-query'
import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query'
import type { LintReport } from '../../contract/lint.ts'
import type { PrometheusRuleGroup } from '../../contract/prometheus.ts'
import type { Replay, ReplayRequest, RuleTests } from '../../contract/replay.ts'
import { askJson, fetchJson } from './fetch-json.ts'
import type { ApiFailure } from './fetch-json.ts'
import { usePollMs } from './use-poll.ts'

const RULES_POLL_MS = 15_000
/** Unit tests and lint read all content, and run after the evaluation of rules. */
const SLOW_TIMEOUT_MS = 90_000

export const RULES_PATH = '/api/v1/rules'
export const REPLAY_PATH = '/api/fleet/v1/rules/replay'
export const LINT_PATH = '/api/lint'

export function useRules(): UseQueryResult<readonly PrometheusRuleGroup[]> {
  return useQuery({
    queryKey: ['rules'],
    queryFn: async ({ signal }) => {
      const answer = await fetchJson<{ readonly data: { readonly groups: PrometheusRuleGroup[] } }>(RULES_PATH, signal)
      return answer.data.groups
    },
    refetchInterval: usePollMs('rules', RULES_POLL_MS),
  })
}

/** Runs the unit tests that mention an alert. They take seconds, so they are not polled. */
export function useRuleTests(alertname: string, isWanted: boolean): UseQueryResult<RuleTests> {
  return useQuery({
    queryKey: ['rule-tests', alertname],
    queryFn: ({ signal }) =>
      fetchJson<RuleTests>(
        `/api/fleet/v1/rules/tests?${new URLSearchParams({ alertname }).toString()}`,
        signal,
        SLOW_TIMEOUT_MS,
      ),
    enabled: isWanted,
    refetchOnWindowFocus: false,
    staleTime: 60_000,
  })
}

/** The formatted expression; the original while loading (`isPending`) and on failure. */
export function useFormatted(expr: string): { readonly text: string; readonly isPending: boolean } {
  const { data, isPending } = useQuery({
    queryKey: ['format', expr],
    queryFn: ({ signal }) =>
      fetchJson<{ readonly data: string }>(
        `/api/v1/format_query?${new URLSearchParams({ query: expr }).toString()}`,
        signal,
      ),
    staleTime: Infinity,
  })
  return { text: data?.data ?? expr, isPending }
}

/** Evaluates a rule over stored samples. Slow, so a button starts it. */
export function useReplay(): UseMutationResult<Replay, ApiFailure, ReplayRequest> {
  return useMutation<Replay, ApiFailure, ReplayRequest>({
    mutationFn: (request) => askJson<Replay>(REPLAY_PATH, request, undefined, REPLAY_TIMEOUT_MS),
    networkMode: 'always',
  })
}

/** Enough for 30 days of a large fleet. */
const REPLAY_TIMEOUT_MS = 180_000

export function useLint(): UseQueryResult<LintReport> {
  return useQuery({
    queryKey: ['lint'],
    queryFn: ({ signal }) => fetchJson<LintReport>(LINT_PATH, signal, SLOW_TIMEOUT_MS),
    staleTime: 60_000,
  })
}
