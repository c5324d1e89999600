/** `global:` of the configuration: what receivers use when they do not say it themselves. */
import {
  atMostOne,
  duration,
  flag,
  record,
  scalar,
  secret,
  secretFile,
  secretOf,
  secretUrl,
  template,
  text,
  url,
  type Kind,
} from './fields.ts'
import { HTTP_DEFAULTS, httpConfig, tlsConfig, type HttpConfig, type TlsConfig } from './http-config.ts'
import type { Secret } from './secret.ts'

export interface GlobalConfig {
  readonly resolveTimeoutMs: number
  readonly http: HttpConfig
  readonly smtpFrom: string
  readonly smtpHello: string
  readonly smtpSmarthost?: HostPort
  readonly smtpUsername: string
  readonly smtpPassword?: Secret
  readonly smtpSecret?: Secret
  readonly smtpIdentity: string
  readonly smtpRequiresTls: boolean
  readonly smtpTls: TlsConfig
  readonly slackUrl?: Secret
  readonly pagerdutyUrl: string
}

export interface HostPort {
  readonly host: string
  readonly port: number
}

export const GLOBAL_DEFAULTS: GlobalConfig = {
  resolveTimeoutMs: 5 * 60_000,
  http: HTTP_DEFAULTS,
  smtpFrom: '',
  smtpHello: 'localhost',
  smtpUsername: '',
  smtpIdentity: '',
  smtpRequiresTls: true,
  smtpTls: HTTP_DEFAULTS.tls,
  pagerdutyUrl: 'https://events.pagerduty.com/v2/enqueue',
}

export const hostPort: Kind<HostPort> = scalar((raw) => {
  const parts = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(raw)
  const port = Number(parts?.[3])
  return parts === null || port > 65_535
    ? { wanted: 'an address such as mail.example.com:587' }
    : { value: { host: parts[1] ?? parts[2] ?? '', port } }
})

/** Of receivers that are not offered here: read, so that a file that has them is not refused for it, and not used. */
const UNUSED = {
  opsgenie_api_url: url,
  opsgenie_api_key: secret,
  opsgenie_api_key_file: secretFile,
  wechat_api_url: url,
  wechat_api_secret: secret,
  wechat_api_corp_id: text,
  victorops_api_url: url,
  victorops_api_key: secret,
  victorops_api_key_file: secretFile,
  telegram_api_url: url,
  webex_api_url: url,
  jira_api_url: url,
  rocketchat_api_url: url,
  rocketchat_token: secret,
  rocketchat_token_file: secretFile,
  rocketchat_token_id: secret,
  rocketchat_token_id_file: secretFile,
} as const

export const globalConfig: Kind<GlobalConfig> = record(
  {
    resolve_timeout: duration,
    http_config: httpConfig,
    smtp_from: template,
    smtp_hello: text,
    smtp_smarthost: hostPort,
    smtp_auth_username: text,
    smtp_auth_password: secret,
    smtp_auth_password_file: secretFile,
    smtp_auth_secret: secret,
    smtp_auth_secret_file: secretFile,
    smtp_auth_identity: text,
    smtp_require_tls: flag,
    smtp_tls_config: tlsConfig,
    slack_api_url: secretUrl,
    slack_api_url_file: secretFile,
    pagerduty_url: url,
    ...UNUSED,
  },
  (read, reading) => {
    const { values } = read
    const slackUrl = secretOf(read, reading, 'slack_api_url')
    const password = secretOf(read, reading, 'smtp_auth_password')
    const smtpSecret = secretOf(read, reading, 'smtp_auth_secret')
    atMostOne(read, reading, ['opsgenie_api_key', 'opsgenie_api_key_file'])
    atMostOne(read, reading, ['victorops_api_key', 'victorops_api_key_file'])
    for (const key of Object.keys(UNUSED) as (keyof typeof UNUSED)[]) {
      if (values[key] !== undefined) reading.reader.warning(read.at(key), `${key} is not used: no such receiver here`)
    }
    return {
      resolveTimeoutMs: values.resolve_timeout ?? GLOBAL_DEFAULTS.resolveTimeoutMs,
      http: values.http_config ?? GLOBAL_DEFAULTS.http,
      smtpFrom: values.smtp_from ?? '',
      smtpHello: values.smtp_hello ?? GLOBAL_DEFAULTS.smtpHello,
      ...(values.smtp_smarthost === undefined ? {} : { smtpSmarthost: values.smtp_smarthost }),
      smtpUsername: values.smtp_auth_username ?? '',
      ...(password === undefined ? {} : { smtpPassword: password }),
      ...(smtpSecret === undefined ? {} : { smtpSecret }),
      smtpIdentity: values.smtp_auth_identity ?? '',
      smtpRequiresTls: values.smtp_require_tls ?? true,
      smtpTls: values.smtp_tls_config ?? GLOBAL_DEFAULTS.smtpTls,
      ...(slackUrl === undefined ? {} : { slackUrl }),
      pagerdutyUrl: values.pagerduty_url ?? GLOBAL_DEFAULTS.pagerdutyUrl,
    }
  },
)
