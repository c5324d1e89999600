import { useMutation, useQuery } from '@tanstack/react-query'
import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query'
import type { LintReport } from '../../contract/lint.ts'
import type { PrometheusRuleGroup } from '../../contract/prometheus.ts'
import type { Replay, ReplayRequest, RuleTests } from '../../contract/replay.ts'
import { askJson, fetchJson } from './fetch-json.ts'
import type { ApiFailure } from './fetch-json.ts'
import { usePollMs } from './use-poll.ts'

const RULES_POLL_MS = 15_000
/** Unit tests and lint read all content, and take their turn behind the rules. */
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

/** The unit tests that mention an alert, run when asked for: they take seconds, so they are not run again by a poll. */
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

/** The expression over several lines; as it was written until the answer is there (`isPending`), or when there is none. */
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

/** A rule over what is stored: a question that takes its time, asked by a press of a button. */
export function useReplay(): UseMutationResult<Replay, ApiFailure, ReplayRequest> {
  return useMutation<Replay, ApiFailure, ReplayRequest>({
    mutationFn: (request) => askJson<Replay>(REPLAY_PATH, request, undefined, REPLAY_TIMEOUT_MS),
    networkMode: 'always',
  })
}

/** Thirty days of a large fleet. */
const REPLAY_TIMEOUT_MS = 180_000

export function useLint(): UseQueryResult<LintReport> {
  return useQuery({
    queryKey: ['lint'],
    queryFn: ({ signal }) => fetchJson<LintReport>(LINT_PATH, signal, SLOW_TIMEOUT_MS),
    staleTime: 60_000,
  })
}
