/**
 * `receivers:` of the configuration. Each integration has a table of its keys, from which its type follows. Texts marked as
 * templates are expanded for each message; `default-templates.ts` defines the default templates.
 */
import { parseDuration } from '../../model/duration.ts'
import type { Range } from '../../yaml/yaml-reader.ts'
import {
  count,
  flag,
  listOf,
  or,
  pairsOf,
  record,
  refused,
  scalar,
  secretFile,
  secretTemplate,
  secretUrl,
  template,
  text,
  url,
  type Kind,
  type Kinds,
  type Values,
} from './fields.ts'
import { hostPort, type GlobalConfig, type HostPort } from './global-config.ts'
import { httpConfig, tlsConfig, type HttpConfig, type TlsConfig } from './http-config.ts'
import type { Secret } from './secret.ts'

const HTTP = { http_config: httpConfig, send_resolved: or(flag, true) }

/** The configuration of an integration: its keys, and those of `More`, which are required and completed from `global:`. */
type Integration<Name extends string, K extends Kinds, More> = { readonly kind: Name } & Readonly<More> &
  Omit<Values<K>, keyof More | 'httpConfig'>

interface OverHttp {
  readonly http: HttpConfig
}

function overHttp<V extends { readonly httpConfig?: HttpConfig }>(values: V, global: GlobalConfig) {
  const { httpConfig: http = global.httpConfig, ...own } = values
  return { ...own, http }
}

/** Prometheus' durations and Go's fractions of a unit. */
const timeout: Kind<number> = scalar((raw) => {
  const fraction = /^(\d+\.\d+)(ms|s|m|h)$/.exec(raw)
  const unitMs = fraction === null ? undefined : parseDuration(`1${fraction[2]!}`)
  const value = unitMs === undefined ? parseDuration(raw) : Number(fraction![1]) * unitMs
  return value === undefined ? { wanted: 'a duration such as 10s' } : { value }
})

const WEBHOOK = {
  ...HTTP,
  url: secretUrl,
  url_file: secretFile,
  /** 0 for all. */
  max_alerts: or(count, 0),
  /** 0 for the server's default. */
  timeout: or(timeout, 0),
}

export type WebhookConfig = Integration<'webhook', typeof WEBHOOK, OverHttp & { url: Secret }>

function webhook(global: GlobalConfig): Kind<WebhookConfig> {
  return record(WEBHOOK, (values, { what, fault }) => {
    if (values.url !== undefined) return { kind: 'webhook', ...overHttp(values, global), url: values.url }
    fault('url', `${what} needs url or url_file`)
    return undefined
  })
}

const slackConfirm = record(
  {
    text: or(template, ''),
    title: or(template, ''),
    ok_text: or(template, ''),
    dismiss_text: or(template, ''),
  },
  (values, { what, fault }) => {
    if (values.text === '') fault('text', `${what} needs a text`)
    return values
  },
)

const slackAction = record(
  {
    type: or(template, ''),
    text: or(template, ''),
    url: or(template, ''),
    style: or(template, ''),
    name: or(template, ''),
    value: or(template, ''),
    confirm: slackConfirm,
  },
  (values, { what, fault }) => {
    for (const key of ['type', 'text'] as const) if (values[key] === '') fault(key, `${what} needs a ${key}`)
    if (values.url === '' && values.name === '') fault('url', `${what} needs a url or a name`)
    return values
  },
)

const slackField = record(
  { title: or(template, ''), value: or(template, ''), short: flag },
  (values, { what, fault }) => {
    for (const key of ['title', 'value'] as const) if (values[key] === '') fault(key, `${what} needs a ${key}`)
    return values
  },
)

const MARKDOWN_IN = ['fallback', 'pretext', 'text']
const SLACK = {
  ...HTTP,
  send_resolved: or(flag, false),
  api_url: secretUrl,
  api_url_file: secretFile,
  channel: or(template, ''),
  username: or(template, '{{ template "slack.default.username" . }}'),
  color: or(template, '{{ template "slack.default.color" . }}'),
  title: or(template, '{{ template "slack.default.title" . }}'),
  title_link: or(template, '{{ template "slack.default.titlelink" . }}'),
  pretext: or(template, '{{ template "slack.default.pretext" . }}'),
  text: or(template, '{{ template "slack.default.text" . }}'),
  footer: or(template, '{{ template "slack.default.footer" . }}'),
  fallback: or(template, '{{ template "slack.default.fallback" . }}'),
  callback_id: or(template, '{{ template "slack.default.callbackid" . }}'),
  icon_emoji: or(template, '{{ template "slack.default.iconemoji" . }}'),
  icon_url: or(template, '{{ template "slack.default.iconurl" . }}'),
  image_url: or(template, ''),
  thumb_url: or(template, ''),
  fields: or(listOf(slackField), []),
  short_fields: or(flag, false),
  actions: or(listOf(slackAction), []),
  link_names: or(flag, false),
  mrkdwn_in: or(listOf(text), MARKDOWN_IN),
}

export type SlackConfig = Integration<'slack', typeof SLACK, OverHttp & { apiUrl: Secret }>

function slack(global: GlobalConfig): Kind<SlackConfig> {
  return record(SLACK, (values, { what, fault }) => {
    const apiUrl = values.apiUrl ?? global.slackApiUrl
    const mrkdwnIn = values.mrkdwnIn.length === 0 ? MARKDOWN_IN : values.mrkdwnIn
    if (apiUrl !== undefined) return { kind: 'slack', ...overHttp(values, global), mrkdwnIn, apiUrl }
    fault('api_url', `${what} needs api_url, or slack_api_url in global`)
    return undefined
  })
}

const pagerdutyV1 = refused(
  "belongs to PagerDuty's Events API v1, which is not offered here",
  'make an integration "Events API v2" in PagerDuty and write its key as routing_key',
)

const PAGERDUTY_DETAILS: Readonly<Record<string, string>> = {
  firing: '{{ template "pagerduty.default.instances" .Alerts.Firing }}',
  resolved: '{{ template "pagerduty.default.instances" .Alerts.Resolved }}',
  num_firing: '{{ .Alerts.Firing | len }}',
  num_resolved: '{{ .Alerts.Resolved | len }}',
}

const CLIENT = '{{ template "pagerduty.default.client" . }}'
const PAGERDUTY = {
  ...HTTP,
  url,
  routing_key: secretTemplate,
  routing_key_file: secretFile,
  service_key: pagerdutyV1,
  service_key_file: pagerdutyV1,
  client: or(template, CLIENT),
  client_url: or(template, '{{ template "pagerduty.default.clientURL" . }}'),
  description: or(template, '{{ template "pagerduty.default.description" . }}'),
  source: template,
  severity: or(template, '{{ template "pagerduty.default.severity" . }}'),
  class: or(template, ''),
  component: or(template, ''),
  group: or(template, ''),
  details: or(pairsOf(template), []),
  images: or(
    listOf(record({ src: or(template, ''), alt: or(template, ''), href: or(template, '') }, (values) => values)),
    [],
  ),
  links: or(listOf(record({ href: or(template, ''), text: or(template, '') }, (values) => values)), [
    { href: '{{ template "pagerduty.default.runbookURL" . }}', text: 'Runbook' },
  ]),
}

/** Events API v2. The keys may be templates too. */
export type PagerdutyConfig = Integration<
  'pagerduty',
  typeof PAGERDUTY,
  OverHttp & { url: string; routingKey: Secret; source: string; details: Readonly<Record<string, string>> }
>

function pagerduty(global: GlobalConfig): Kind<PagerdutyConfig> {
  return record(PAGERDUTY, (values, { what, fault }) => {
    const { url: target = global.pagerdutyUrl, routingKey, source = values.client } = values
    const own = Object.fromEntries(values.details.map(({ name, value }) => [name, value]))
    const details = { ...PAGERDUTY_DETAILS, ...own }
    if (routingKey !== undefined) {
      return { kind: 'pagerduty', ...overHttp(values, global), url: target, routingKey, source, details }
    }
    fault('routing_key', `${what} needs routing_key or routing_key_file`)
    return undefined
  })
}

const EMAIL = {
  send_resolved: or(flag, false),
  to: or(template, ''),
  from: template,
  hello: text,
  smarthost: hostPort,
  auth_username: text,
  auth_password: secretTemplate,
  auth_password_file: secretFile,
  /** For CRAM-MD5. */
  auth_secret: secretTemplate,
  auth_secret_file: secretFile,
  auth_identity: text,
  headers: or(pairsOf(template), []),
  html: or(template, '{{ template "email.default.html" . }}'),
  text: or(template, ''),
  require_tls: flag,
  tls_config: tlsConfig,
}

export type EmailConfig = Integration<
  'email',
  typeof EMAIL,
  {
    from: string
    hello: string
    smarthost: HostPort
    authUsername: string
    authIdentity: string
    headers: ReadonlyMap<string, string>
    requireTls: boolean
    tlsConfig: TlsConfig
  }
>

function email(global: GlobalConfig): Kind<EmailConfig> {
  return record(EMAIL, (values, { what, reading, fault }) => {
    if (values.to === '') fault('to', `${what} needs to: whom to write to`)
    const headers = new Map<string, string>()
    for (const header of values.headers) {
      const name = canonicalHeader(header.name)
      if (headers.has(name)) reading.reader.error(header.at, `header ${name} is given twice`)
      headers.set(name, header.value)
    }
    const { smarthost = global.smtpSmarthost, from = global.smtpFrom } = values
    if (from === '') fault('from', `${what} needs from, or smtp_from in global`)
    if (smarthost === undefined) {
      fault('smarthost', `${what} needs smarthost, or smtp_smarthost in global`)
      return undefined
    }
    const { smtpAuthPassword, smtpAuthSecret } = global
    return {
      kind: 'email',
      ...(smtpAuthPassword === undefined ? {} : { authPassword: smtpAuthPassword }),
      ...(smtpAuthSecret === undefined ? {} : { authSecret: smtpAuthSecret }),
      hello: global.smtpHello,
      authUsername: global.smtpAuthUsername,
      authIdentity: global.smtpAuthIdentity,
      requireTls: global.smtpRequireTls,
      tlsConfig: global.smtpTlsConfig,
      ...values,
      from,
      smarthost,
      headers,
    }
  })
}

/** `reply-to` is `Reply-To`. */
function canonicalHeader(name: string): string {
  return name.toLowerCase().replace(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase())
}

const TEAMS_HTTP = { ...HTTP, webhook_url: secretUrl, webhook_url_file: secretFile }
const TEAMS = {
  ...TEAMS_HTTP,
  title: or(template, '{{ template "msteams.default.title" . }}'),
  summary: or(template, '{{ template "msteams.default.summary" . }}'),
  text: or(template, '{{ template "msteams.default.text" . }}'),
}
const TEAMS_V2 = {
  ...TEAMS_HTTP,
  title: or(template, '{{ template "msteamsv2.default.title" . }}'),
  text: or(template, '{{ template "msteamsv2.default.text" . }}'),
}

/** Office 365 connectors: a message card. */
export type MsteamsConfig = Integration<'msteams', typeof TEAMS, OverHttp & { webhookUrl: Secret }>
/** Workflows: an adaptive card. */
export type Msteamsv2Config = Integration<'msteamsv2', typeof TEAMS_V2, OverHttp & { webhookUrl: Secret }>

function msteams(global: GlobalConfig): Kind<MsteamsConfig> {
  return record(TEAMS, (values, { what, fault }) => {
    const { webhookUrl } = values
    if (webhookUrl !== undefined) return { kind: 'msteams', ...overHttp(values, global), webhookUrl }
    fault('webhook_url', `${what} needs webhook_url or webhook_url_file`)
    return undefined
  })
}

function msteamsv2(global: GlobalConfig): Kind<Msteamsv2Config> {
  return record(TEAMS_V2, (values, { what, fault }) => {
    const { webhookUrl } = values
    if (webhookUrl !== undefined) return { kind: 'msteamsv2', ...overHttp(values, global), webhookUrl }
    fault('webhook_url', `${what} needs webhook_url or webhook_url_file`)
    return undefined
  })
}

/**
 * One Alertmanager, which receives the alerts of a group as Prometheus would send them. The members of a cluster do not
 * forward alerts to each other, so each address is an integration of its own, with its own retries.
 */
export interface AlertmanagerConfig extends OverHttp {
  readonly kind: 'alertmanager'
  readonly sendResolved: boolean
  /** Without a slash at the end. */
  readonly url: string
  readonly timeout: number
}

function alertmanager(global: GlobalConfig): Kind<readonly AlertmanagerConfig[]> {
  return record({ ...HTTP, urls: or(listOf(url), []), timeout: or(timeout, 0) }, (values, { what, fault }) => {
    if (values.urls.length === 0) fault('urls', `${what} needs urls: the addresses of all members of the cluster`)
    const { urls, ...own } = overHttp(values, global)
    return urls.map((written) => ({ kind: 'alertmanager', ...own, url: written.replace(/\/+$/, '') }))
  })
}

export type IntegrationConfig =
  WebhookConfig | SlackConfig | PagerdutyConfig | EmailConfig | MsteamsConfig | Msteamsv2Config | AlertmanagerConfig

const absent = refused(
  'is not offered here',
  'hand these alerts to an Alertmanager with alertmanager_configs, or use its webhook',
)

export interface Receiver {
  readonly name: string
  /** Position of the name. */
  readonly at: Range
  /** In the order in which they are notified. */
  readonly integrations: readonly IntegrationConfig[]
}

export function receiver(global: GlobalConfig): Kind<Receiver> {
  const kinds = {
    name: or(text, ''),
    email_configs: or(listOf(email(global)), []),
    pagerduty_configs: or(listOf(pagerduty(global)), []),
    slack_configs: or(listOf(slack(global)), []),
    webhook_configs: or(listOf(webhook(global)), []),
    msteams_configs: or(listOf(msteams(global)), []),
    msteamsv2_configs: or(listOf(msteamsv2(global)), []),
    alertmanager_configs: or(listOf(alertmanager(global)), []),
    opsgenie_configs: absent,
    victorops_configs: absent,
    pushover_configs: absent,
    wechat_configs: absent,
    sns_configs: absent,
    telegram_configs: absent,
    webex_configs: absent,
    discord_configs: absent,
    jira_configs: absent,
    rocketchat_configs: absent,
    mattermost_configs: absent,
    incidentio_configs: absent,
  }
  return record(kinds, ({ name, ...lists }, { at, fault }) => {
    if (name === '') fault('name', 'a receiver needs a name')
    return { name, at: at('name'), integrations: Object.values(lists).flat(2) }
  })
}
