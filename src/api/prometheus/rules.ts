import type { FastifyInstance } from 'fastify'
import { FleetError } from '../../base/errors.ts'
import { groupBy } from '../../base/group-by.ts'
import type { PrometheusRuleGroup } from '../../contract/prometheus.ts'
import { Labels } from '../../model/labels.ts'
import { compileMatcher, type Matcher } from '../../model/matcher.ts'
import { groupKeyOf } from '../../rules/rule.ts'
import type { RuleAlert } from '../../model/alert.ts'
import type { RuleGroupStatus, RuleStatus } from '../../rules/rule-status.ts'
import { formatExponent, formatTime } from './format-value.ts'
import { invalidParam, paramsOf, type Params } from './params.ts'
import { HEAD, separated, tailOf } from './answer-json.ts'
import { JSON_TYPE } from './prometheus-json.ts'
import { sendInPieces, VALUES_OF_ALERT } from '../server/pieces.ts'
import type { QueryParser } from './query-parser.ts'
import { selectors } from './series.ts'
import type { PortsOf } from '../scope/ports-of.ts'

/** `/api/v1/rules` and `/api/v1/alerts`, with Prometheus' filters. */

/** The rule engine, which runs on another thread, and its alerts, which are on this one. */
export interface RuleReader {
  groups(): Promise<readonly RuleGroupStatus[]>
  /** As of the last evaluation: pending, firing, and resolved ones of the last minutes. */
  alerts(): readonly RuleAlert[]
}

export function registerRuleRoutes(
  app: FastifyInstance,
  ports: PortsOf<{ readonly rules: RuleReader }>,
  parser: QueryParser,
): void {
  const config = { access: 'viewer', dialect: 'prometheus', scope: 'clusters' } as const

  app.get('/api/v1/rules', { config }, async (request, reply) => {
    const params = paramsOf(request)
    const keeps = await ruleFilter(params, parser)
    const withAlerts = !booleanParam(params, 'exclude_alerts')
    const page = groupPage(params)
    const { rules } = ports(request)
    const groups = [...(await rules.groups())]
      .filter((group) => includesOrAny(params.all('file[]'), group.file))
      .filter((group) => includesOrAny(params.all('rule_group[]'), group.name))
      .sort((a, b) => (groupKeyOf(a) < groupKeyOf(b) ? -1 : 1))
      .flatMap((group) => {
        // A group without rules is omitted, because of a filter or of its file.
        const kept = group.rules.filter(keeps)
        return kept.length > 0 ? [{ ...group, rules: kept }] : []
      })
    const first = page.token === '' ? 0 : groups.findIndex((group) => groupToken(group) === page.token)
    if (first === -1) throw invalidParam('group_next_token', 'invalid group_next_token')
    const shown = groups.slice(first, first + page.limit)
    const next = groups[first + page.limit]
    const alerts = withAlerts ? rules.alerts().filter(isActive) : []
    const ofRules = groupBy(alerts, ruleOf)
    const values = (alerts.length + shown.length) * VALUES_OF_ALERT
    return sendInPieces(reply, JSON_TYPE, values, function* () {
      yield `${HEAD}{"groups":[`
      for (const [i, group] of shown.entries()) {
        if (i > 0) yield ','
        yield* groupJson(group, ofRules)
      }
      yield `]${next === undefined ? '' : `,"groupNextToken":${JSON.stringify(groupToken(next))}`}}${tailOf({})}`
    })
  })

  app.get('/api/v1/alerts', { config }, (request, reply) => {
    const alerts = ports(request).rules.alerts().filter(isActive)
    return sendInPieces(reply, JSON_TYPE, alerts.length * VALUES_OF_ALERT, function* () {
      yield `${HEAD}{"alerts":[`
      yield* separated(alerts, alertJson)
      yield `]}${tailOf({})}`
    })
  })
}

async function ruleFilter(params: Params, parser: QueryParser): Promise<(rule: RuleStatus) => boolean> {
  const type = params.get('type').toLowerCase()
  if (type !== '' && type !== 'alert' && type !== 'record') {
    throw invalidParam('type', `not supported value ${JSON.stringify(type)}`)
  }
  const names = params.all('rule_name[]')
  const tests = (await selectors(params, parser)).map((matchers) => labelTest(matchers))
  return (rule) =>
    (type === '' || (type === 'alert') === (rule.kind === 'alerting')) &&
    includesOrAny(names, rule.name) &&
    (tests.length === 0 || tests.some((test) => test(Labels.of(rule.labels))))
}

function labelTest(matchers: readonly Matcher[]): (labels: Labels) => boolean {
  const tests = matchers.map((matcher) => ({ name: matcher.name, test: compileMatcher(matcher) }))
  return (labels) => tests.every(({ name, test }) => test(labels.get(name)))
}

function includesOrAny(wanted: readonly string[], value: string): boolean {
  return wanted.length === 0 || wanted.includes(value)
}

function booleanParam(params: Params, name: string): boolean {
  const text = params.get(name).toLowerCase()
  if (/^(1|t|true)$/.test(text)) return true
  if (text === '' || /^(0|f|false)$/.test(text)) return false
  const cause = `strconv.ParseBool: parsing ${JSON.stringify(text)}: invalid syntax`
  throw invalidParam(name, `error converting ${name}: ${cause}`)
}

function groupPage(params: Params): { readonly limit: number; readonly token: string } {
  const [limit, token] = [params.get('group_limit'), params.get('group_next_token')]
  if (limit === '' && token !== '') {
    throw new FleetError('bad_request', 'group_limit needs to be set in order to paginate over the groups')
  }
  if (limit !== '' && !/^[1-9]\d*$/.test(limit)) {
    throw invalidParam('group_limit', 'group_limit needs to be greater than 0')
  }
  return { limit: limit === '' ? Infinity : Number(limit), token }
}

/** Names the group at which the next page begins; opaque to clients. */
function groupToken(group: RuleGroupStatus): string {
  return Buffer.from(groupKeyOf(group)).toString('base64url')
}

/** Names the rule of an alert among all rules. */
function ruleOf({ rule: { group, file }, ruleKey }: RuleAlert): string {
  return ruleId({ name: group, file }, ruleKey)
}

function ruleId(group: Pick<RuleGroupStatus, 'name' | 'file'>, ruleKey: string): string {
  return `${groupKeyOf(group)}\u0000${ruleKey}`
}

/** The lists of rules and of alerts are the last fields of what has them, so that they are written one item at a time. */
function* groupJson(
  group: RuleGroupStatus,
  alertsOfRules: ReadonlyMap<string, readonly RuleAlert[]>,
): Generator<string> {
  yield withoutEnd(groupView(group))
  for (const [i, rule] of group.rules.entries()) {
    if (i > 0) yield ','
    const view = ruleView(rule)
    if (view.type === 'recording') {
      yield JSON.stringify(view)
      continue
    }
    yield withoutEnd(view)
    yield* separated(alertsOfRules.get(ruleId(group, rule.ruleKey)) ?? [], alertJson)
    yield ']}'
  }
  yield ']}'
}

/** The JSON of an object whose last field is an empty list, up to where the items of the list begin. */
function withoutEnd(value: object): string {
  return JSON.stringify(value).slice(0, -2)
}

function groupView(group: RuleGroupStatus): PrometheusRuleGroup {
  return {
    name: group.name,
    file: group.file,
    interval: group.intervalMs / 1000,
    limit: group.limit,
    evaluationTime: group.evaluationMs / 1000,
    lastEvaluation: formatTime(group.lastEvaluationMs),
    rules: [],
  }
}

function ruleView(rule: RuleStatus): PrometheusRuleGroup['rules'][number] {
  const common = {
    name: rule.name,
    query: rule.query,
    labels: { ...rule.labels },
    health: rule.health,
    ...(rule.lastError === undefined ? {} : { lastError: rule.lastError }),
    evaluationTime: rule.evaluationMs / 1000,
    lastEvaluation: formatTime(rule.lastEvaluationMs),
  }
  if (rule.kind === 'recording') return { ...common, type: 'recording' }
  return {
    ...common,
    type: 'alerting',
    state: rule.state,
    duration: rule.forMs / 1000,
    keepFiringFor: rule.keepFiringForMs / 1000,
    annotations: { ...rule.annotations },
    alerts: [],
  }
}

/** Prometheus' answers have no resolved alerts. */
function isActive({ state }: RuleAlert): boolean {
  return state !== 'resolved'
}

function alertJson(alert: RuleAlert): string {
  return JSON.stringify({
    labels: alert.labels.toObject(),
    annotations: { ...alert.annotations },
    state: alert.state,
    activeAt: formatTime(alert.activeAtMs),
    ...(alert.keepFiringSinceMs === undefined ? {} : { keepFiringSince: formatTime(alert.keepFiringSinceMs) }),
    value: formatExponent(alert.value),
  })
}
