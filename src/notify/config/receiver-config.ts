/** `receivers:` of the configuration. Each integration has a record of its keys and a function that fills in the rest. */
import { parseDuration } from '../../model/duration.ts'
import {
  count,
  flag,
  listOf,
  pairsOf,
  record,
  scalar,
  secretFile,
  secretOf,
  secretTemplate,
  secretUrl,
  template,
  text,
  url,
  type Kind,
  type Kinds,
  type Reading,
  type RecordOf,
  type Values,
} from './fields.ts'
import { hostPort, type GlobalConfig } from './global-config.ts'
import { httpConfig, tlsConfig } from './http-config.ts'
import type {
  AlertmanagerConfig,
  EmailConfig,
  IntegrationConfig,
  MsteamsConfig,
  Msteamsv2Config,
  PagerdutyConfig,
  Receiver,
  SlackAction,
  SlackConfig,
  SlackConfirm,
  SlackField,
  WebhookConfig,
} from './integration-config.ts'
import type { Secret } from './secret.ts'

/** An integration as written, to be completed by `global:`, which may follow it in the file. */
type Draft = (global: GlobalConfig) => IntegrationConfig | readonly IntegrationConfig[] | undefined

export interface ReceiverDraft {
  readonly name: string
  readonly at: { readonly from: number; readonly to: number }
  readonly complete: (global: GlobalConfig) => Receiver
}

const COMMON = { send_resolved: flag, http_config: httpConfig }

/** Prometheus' durations and Go's fractions of a unit. */
const timeout: Kind<number> = scalar((raw) => {
  const fraction = /^(\d+\.\d+)(ms|s|m|h)$/.exec(raw)
  const unitMs = fraction === null ? undefined : parseDuration(`1${fraction[2]!}`)
  const value = unitMs === undefined ? parseDuration(raw) : Number(fraction![1]) * unitMs
  return value === undefined ? { wanted: 'a duration such as 10s' } : { value }
})

/** A secret without which nothing can be sent. */
function neededSecret<K extends Kinds>(
  read: RecordOf<K>,
  reading: Reading,
  key: keyof K & string,
  what: string,
): Secret | undefined {
  const found = secretOf(read, reading, key)
  if (found === undefined) reading.reader.error(read.at(key), `${what} needs ${key} or ${key}_file`)
  return found
}

/** What all integrations over HTTP share. */
function common(values: Values<typeof COMMON>, global: GlobalConfig, sendsResolved = true) {
  return { sendResolved: values.send_resolved ?? sendsResolved, http: values.http_config ?? global.http }
}

/** Its fault is reported, and then the file is not used. */
const NOTHING: Draft = () => undefined

const webhook: Kind<Draft> = record(
  { ...COMMON, url: secretUrl, url_file: secretFile, max_alerts: count, timeout },
  (read, reading, what) => {
    const { values } = read
    const target = neededSecret(read, reading, 'url', what)
    if (target === undefined) return NOTHING
    return (global): WebhookConfig => ({
      kind: 'webhook',
      ...common(values, global),
      url: target,
      maxAlerts: values.max_alerts ?? 0,
      timeoutMs: values.timeout ?? 0,
    })
  },
)

const slackConfirm: Kind<SlackConfirm> = record(
  { text: template, title: template, ok_text: template, dismiss_text: template },
  (read, reading, what) => {
    const { values } = read
    if ((values.text ?? '') === '') reading.reader.error(read.at('text'), `${what} needs a text`)
    return {
      text: values.text ?? '',
      ...(values.title === undefined ? {} : { title: values.title }),
      ...(values.ok_text === undefined ? {} : { okText: values.ok_text }),
      ...(values.dismiss_text === undefined ? {} : { dismissText: values.dismiss_text }),
    }
  },
)

const slackAction: Kind<SlackAction> = record(
  {
    type: template,
    text: template,
    url: template,
    style: template,
    name: template,
    value: template,
    confirm: slackConfirm,
  },
  (read, reading, what) => {
    const { values } = read
    for (const key of ['type', 'text'] as const) {
      if ((values[key] ?? '') === '') reading.reader.error(read.at(key), `${what} needs a ${key}`)
    }
    const hasUrl = (values.url ?? '') !== ''
    if (!hasUrl && (values.name ?? '') === '') reading.reader.error(read.at('url'), `${what} needs a url or a name`)
    return {
      type: values.type ?? '',
      text: values.text ?? '',
      ...(values.style === undefined ? {} : { style: values.style }),
      // A link has no name and asks nothing.
      ...(hasUrl
        ? { url: values.url ?? '' }
        : {
            name: values.name ?? '',
            ...(values.value === undefined ? {} : { value: values.value }),
            ...(values.confirm === undefined ? {} : { confirm: values.confirm }),
          }),
    }
  },
)

const slackField: Kind<SlackField> = record(
  { title: template, value: template, short: flag },
  (read, reading, what) => {
    const { values } = read
    for (const key of ['title', 'value'] as const) {
      if ((values[key] ?? '') === '') reading.reader.error(read.at(key), `${what} needs a ${key}`)
    }
    return {
      title: values.title ?? '',
      value: values.value ?? '',
      ...(values.short === undefined ? {} : { short: values.short }),
    }
  },
)

const slack: Kind<Draft> = record(
  {
    ...COMMON,
    api_url: secretUrl,
    api_url_file: secretFile,
    channel: template,
    username: template,
    color: template,
    title: template,
    title_link: template,
    pretext: template,
    text: template,
    footer: template,
    fallback: template,
    callback_id: template,
    icon_emoji: template,
    icon_url: template,
    image_url: template,
    thumb_url: template,
    fields: listOf(slackField),
    short_fields: flag,
    actions: listOf(slackAction),
    link_names: flag,
    mrkdwn_in: listOf(text),
  },
  (read, reading, what) => {
    const { values } = read
    const ownUrl = secretOf(read, reading, 'api_url')
    return (global): SlackConfig | undefined => {
      const apiUrl = ownUrl ?? global.slackUrl
      if (apiUrl === undefined) {
        reading.reader.error(read.at('api_url'), `${what} needs api_url, or slack_api_url in global`)
        return undefined
      }
      const of = (name: string): string => `{{ template "slack.default.${name}" . }}`
      return {
        kind: 'slack',
        ...common(values, global, false),
        apiUrl,
        channel: values.channel ?? '',
        username: values.username ?? of('username'),
        color: values.color ?? of('color'),
        title: values.title ?? of('title'),
        titleLink: values.title_link ?? of('titlelink'),
        pretext: values.pretext ?? of('pretext'),
        text: values.text ?? of('text'),
        footer: values.footer ?? of('footer'),
        fallback: values.fallback ?? of('fallback'),
        callbackId: values.callback_id ?? of('callbackid'),
        iconEmoji: values.icon_emoji ?? of('iconemoji'),
        iconUrl: values.icon_url ?? of('iconurl'),
        imageUrl: values.image_url ?? '',
        thumbUrl: values.thumb_url ?? '',
        fields: values.fields ?? [],
        shortFields: values.short_fields ?? false,
        actions: values.actions ?? [],
        linkNames: values.link_names ?? false,
        mrkdwnIn: values.mrkdwn_in === undefined || values.mrkdwn_in.length === 0 ? MARKDOWN_IN : values.mrkdwn_in,
      }
    }
  },
)

const MARKDOWN_IN = ['fallback', 'pretext', 'text']

const pagerduty: Kind<Draft> = record(
  {
    ...COMMON,
    url,
    routing_key: secretTemplate,
    routing_key_file: secretFile,
    service_key: secretTemplate,
    service_key_file: secretFile,
    client: template,
    client_url: template,
    description: template,
    source: template,
    severity: template,
    class: template,
    component: template,
    group: template,
    details: pairsOf(template),
    images: listOf(record({ src: template, alt: template, href: template }, ({ values }) => values)),
    links: listOf(record({ href: template, text: template }, ({ values }) => values)),
  },
  (read, reading, what) => {
    const { values } = read
    for (const key of ['service_key', 'service_key_file'] as const) {
      if (values[key] === undefined) continue
      reading.reader.error(
        read.at(key),
        `${key} belongs to PagerDuty's Events API v1, which is not offered here`,
        'make an integration "Events API v2" in PagerDuty and write its key as routing_key',
      )
    }
    const routingKey = neededSecret(read, reading, 'routing_key', what)
    if (routingKey === undefined) return NOTHING
    const written = (values.details ?? []).map(({ name, value }) => [name, value] as const)
    const of = (name: string): string => `{{ template "pagerduty.default.${name}" . }}`
    const client = values.client ?? of('client')
    return (global): PagerdutyConfig => ({
      kind: 'pagerduty',
      ...common(values, global),
      url: values.url ?? global.pagerdutyUrl,
      routingKey,
      client,
      clientUrl: values.client_url ?? of('clientURL'),
      description: values.description ?? of('description'),
      source: values.source ?? client,
      severity: values.severity ?? of('severity'),
      class: values.class ?? '',
      component: values.component ?? '',
      group: values.group ?? '',
      details: [...PAGERDUTY_DETAILS.filter(([name]) => !written.some(([own]) => own === name)), ...written],
      images: (values.images ?? []).map(({ src = '', alt = '', href = '' }) => ({ src, alt, href })),
      links:
        values.links === undefined
          ? [{ href: of('runbookURL'), text: 'Runbook' }]
          : values.links.map(({ href = '', text: label = '' }) => ({ href, text: label })),
    })
  },
)

const PAGERDUTY_DETAILS: readonly (readonly [string, string])[] = [
  ['firing', '{{ template "pagerduty.default.instances" .Alerts.Firing }}'],
  ['resolved', '{{ template "pagerduty.default.instances" .Alerts.Resolved }}'],
  ['num_firing', '{{ .Alerts.Firing | len }}'],
  ['num_resolved', '{{ .Alerts.Resolved | len }}'],
]

const email: Kind<Draft> = record(
  {
    send_resolved: flag,
    to: template,
    from: template,
    hello: text,
    smarthost: hostPort,
    auth_username: text,
    auth_password: secretTemplate,
    auth_password_file: secretFile,
    auth_secret: secretTemplate,
    auth_secret_file: secretFile,
    auth_identity: text,
    headers: pairsOf(template),
    html: template,
    text: template,
    require_tls: flag,
    tls_config: tlsConfig,
  },
  (read, reading, what) => {
    const { values, at } = read
    const ownPassword = secretOf(read, reading, 'auth_password')
    const ownSecret = secretOf(read, reading, 'auth_secret')
    if ((values.to ?? '') === '') reading.reader.error(at('to'), `${what} needs to: whom to write to`)
    const headers = new Map<string, string>()
    for (const header of values.headers ?? []) {
      const name = canonicalHeader(header.name)
      if (headers.has(name)) reading.reader.error(header.at, `header ${name} is given twice`)
      headers.set(name, header.value)
    }
    return (global): EmailConfig | undefined => {
      const smarthost = values.smarthost ?? global.smtpSmarthost
      const from = values.from ?? global.smtpFrom
      if (smarthost === undefined) {
        reading.reader.error(at('smarthost'), `${what} needs smarthost, or smtp_smarthost in global`)
      }
      if (from === '') reading.reader.error(at('from'), `${what} needs from, or smtp_from in global`)
      if (smarthost === undefined || from === '') return undefined
      const password = ownPassword ?? global.smtpPassword
      const authSecret = ownSecret ?? global.smtpSecret
      return {
        kind: 'email',
        sendResolved: values.send_resolved ?? false,
        to: values.to ?? '',
        from,
        hello: values.hello ?? global.smtpHello,
        smarthost,
        username: values.auth_username ?? global.smtpUsername,
        ...(password === undefined ? {} : { password }),
        ...(authSecret === undefined ? {} : { authSecret }),
        identity: values.auth_identity ?? global.smtpIdentity,
        headers: [...headers],
        html: values.html ?? '{{ template "email.default.html" . }}',
        text: values.text ?? '',
        requiresTls: values.require_tls ?? global.smtpRequiresTls,
        tls: values.tls_config ?? global.smtpTls,
      }
    }
  },
)

/** `reply-to` is `Reply-To`. */
function canonicalHeader(name: string): string {
  return name.toLowerCase().replace(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase())
}

const TEAMS = { ...COMMON, webhook_url: secretUrl, webhook_url_file: secretFile, title: template, text: template }

const msteams: Kind<Draft> = record({ ...TEAMS, summary: template }, (read, reading, what) => {
  const { values } = read
  const target = neededSecret(read, reading, 'webhook_url', what)
  if (target === undefined) return NOTHING
  return (global): MsteamsConfig => ({
    kind: 'msteams',
    ...common(values, global),
    url: target,
    title: values.title ?? '{{ template "msteams.default.title" . }}',
    summary: values.summary ?? '{{ template "msteams.default.summary" . }}',
    text: values.text ?? '{{ template "msteams.default.text" . }}',
  })
})

const msteamsv2: Kind<Draft> = record(TEAMS, (read, reading, what) => {
  const { values } = read
  const target = neededSecret(read, reading, 'webhook_url', what)
  if (target === undefined) return NOTHING
  return (global): Msteamsv2Config => ({
    kind: 'msteamsv2',
    ...common(values, global),
    url: target,
    title: values.title ?? '{{ template "msteamsv2.default.title" . }}',
    text: values.text ?? '{{ template "msteamsv2.default.text" . }}',
  })
})

const alertmanager: Kind<Draft> = record({ ...COMMON, urls: listOf(url), timeout }, (read, reading, what) => {
  const { values } = read
  if ((values.urls ?? []).length === 0) {
    reading.reader.error(read.at('urls'), `${what} needs urls: the addresses of all members of the cluster`)
  }
  return (global): readonly AlertmanagerConfig[] =>
    (values.urls ?? []).map((written) => ({
      kind: 'alertmanager',
      ...common(values, global),
      url: written.replace(/\/+$/, ''),
      timeoutMs: values.timeout ?? 0,
    }))
})

/** In the order in which a receiver's integrations are notified. */
const INTEGRATIONS: Readonly<Record<string, Kind<Draft>>> = {
  email_configs: email,
  pagerduty_configs: pagerduty,
  slack_configs: slack,
  webhook_configs: webhook,
  msteams_configs: msteams,
  msteamsv2_configs: msteamsv2,
  alertmanager_configs: alertmanager,
}

/** Integrations of Alertmanager that Daytwo does not have. */
const ABSENT = [
  'opsgenie_configs',
  'victorops_configs',
  'pushover_configs',
  'wechat_configs',
  'sns_configs',
  'telegram_configs',
  'webex_configs',
  'discord_configs',
  'jira_configs',
  'rocketchat_configs',
  'mattermost_configs',
  'incidentio_configs',
] as const

const absent: Kind<readonly Draft[]> = {
  read: (reading, _node, what, at) => {
    const help = 'hand these alerts to an Alertmanager with alertmanager_configs, or use its webhook'
    reading.reader.error(at, `${what} is not offered here`, help)
    return undefined
  },
}

const LISTS: Readonly<Record<string, Kind<readonly Draft[]>>> = {
  ...Object.fromEntries(Object.entries(INTEGRATIONS).map(([key, kind]) => [key, listOf(kind)])),
  ...Object.fromEntries(ABSENT.map((key) => [key, absent])),
}

export const receiver: Kind<ReceiverDraft> = record({ name: text, ...LISTS }, (read, reading) => {
  const lists = read.values as Readonly<Record<string, readonly Draft[] | undefined>>
  const name = read.values.name ?? ''
  if (name === '') reading.reader.error(read.at('name'), 'a receiver needs a name')
  const drafts = Object.keys(INTEGRATIONS).flatMap((key) => lists[key] ?? [])
  return {
    name,
    at: read.at('name'),
    complete: (global) => ({
      name,
      integrations: drafts.flatMap((draft) => draft(global) ?? []),
    }),
  }
})
