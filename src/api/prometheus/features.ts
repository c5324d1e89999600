import type { FastifyInstance } from 'fastify'
import {
  AGGREGATE_OPS,
  ARITHMETIC_OPS,
  COMPARISON_OPS,
  EXPERIMENTAL_AGGREGATE_OPS,
  SET_OPS,
  type AggregateOp,
} from '../../promql/ast.ts'
import { FUNCTIONS, UNSUPPORTED_FUNCTIONS } from '../../promql/functions.ts'
import { diagnose } from '../../promql/parse.ts'
import type { ParseOptions } from '../../promql/parse-options.ts'
import { PROMETHEUS_FUNCTIONS } from '../../rules/template-functions.ts'
import { sendSuccess } from './prometheus-json.ts'

/**
 * `/api/v1/features`: the supported features, by their names in Prometheus 3. Functions, operators and templates come
 * from the tables of the implementation, so the response cannot claim more than is implemented.
 */
export function registerFeatures(app: FastifyInstance, language: ParseOptions): void {
  const json = JSON.stringify(features(language))
  app.get(
    '/api/v1/features',
    { config: { access: 'viewer', dialect: 'prometheus', scope: 'none' } },
    (_request, reply) => sendSuccess(reply, json),
  )
}

const on = (names: Iterable<string>): Record<string, boolean> =>
  Object.fromEntries([...names].sort().map((name) => [name, true]))
const off = (names: Iterable<string>): Record<string, boolean> =>
  Object.fromEntries([...names].sort().map((name) => [name, false]))

/** Experimental modifiers, each with the shortest expression that uses it. */
const MODIFIERS = {
  anchored: 'x anchored',
  binop_fill_modifiers: 'x + fill (0) y',
  duration_expr: 'x[1m + 1m]',
  smoothed: 'x smoothed',
}

export function features(language: ParseOptions): Readonly<Record<string, Readonly<Record<string, boolean>>>> {
  const matchOps = ['=~', '!~', '!=', '==']
  const { experimental } = language
  const functions = Object.entries(FUNCTIONS).map(([name, { isExperimental }]) => [
    name,
    !isExperimental || experimental,
  ])
  const aggregations = Object.keys(AGGREGATE_OPS).map((name) => [
    name,
    experimental || !EXPERIMENTAL_AGGREGATE_OPS.has(name as AggregateOp),
  ])
  const modifiers = Object.entries(MODIFIERS).map(([name, expr]) => [name, diagnose(expr, language).length === 0])
  return {
    api: {
      ...off(['admin', 'lifecycle']),
      ...on([
        'exclude_alerts',
        'label_values_match',
        'otlp_write_receiver',
        'query_stats',
        'query_warnings',
        'remote_write_receiver',
        'time_range_labels',
        'time_range_series',
      ]),
    },
    otlp_receiver: { delta_conversion: true, native_delta_ingestion: false },
    prometheus: { agent_mode: false, auto_reload_config: false, server_mode: true },
    promql: {
      ...on(['at_modifier', 'bool', 'by', 'group_left', 'group_right', 'ignoring', 'negative_offset', 'offset', 'on']),
      ...on(['per_query_lookback_delta', 'per_step_stats', 'subqueries', 'without']),
      ...off(['delayed_name_removal', 'type_and_unit_labels']),
      ...(Object.fromEntries(modifiers) as Record<string, boolean>),
    },
    promql_functions: {
      ...(Object.fromEntries(functions) as Record<string, boolean>),
      ...off([...UNSUPPORTED_FUNCTIONS.keys()]),
    },
    promql_operators: {
      ...on([...ARITHMETIC_OPS, ...COMPARISON_OPS, ...SET_OPS, ...matchOps, '@']),
      ...(Object.fromEntries(aggregations) as Record<string, boolean>),
    },
    rules: { concurrent_rule_eval: false, keep_firing_for: true, query_offset: true },
    scrape: {},
    service_discovery_providers: {},
    templating_functions: on(Object.keys(PROMETHEUS_FUNCTIONS)),
    tsdb: {
      ...on(['exemplar_storage', 'native_histograms']),
      ...off(['delayed_compaction', 'isolation', 'use_uncached_io']),
    },
    ui: { ui_v2: false, ui_v3: false },
  }
}
