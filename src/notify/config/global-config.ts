/** `global:` of the configuration: the values that receivers use for the keys that they do not have. */
import {
  defaultsOf,
  duration,
  flag,
  or,
  record,
  scalar,
  secret,
  secretFile,
  secretUrl,
  template,
  text,
  url,
  type Kind,
  type Values,
} from './fields.ts'
import { HTTP_DEFAULTS, httpConfig, tlsConfig } from './http-config.ts'

export interface HostPort {
  readonly host: string
  readonly port: number
}

export const hostPort: Kind<HostPort> = scalar((raw) => {
  const parts = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(raw)
  const port = Number(parts?.[3])
  return parts === null || port > 65_535
    ? { wanted: 'an address such as mail.example.com:587' }
    : { value: { host: parts[1] ?? parts[2] ?? '', port } }
})

/** For receivers that do not exist here: accepted, so that a file with such a key can be used, and ignored. */
function unused(kind: Kind<unknown>): Kind<never> {
  return (reading, node, what, at) => {
    if (kind(reading, node, what, at) !== undefined) {
      reading.reader.warning(at, `${what} is not used: no such receiver here`)
    }
    return undefined
  }
}

const GLOBAL = {
  resolve_timeout: or(duration, 5 * 60_000),
  http_config: or(httpConfig, HTTP_DEFAULTS),
  smtp_from: or(template, ''),
  smtp_hello: or(text, 'localhost'),
  smtp_smarthost: hostPort,
  smtp_auth_username: or(text, ''),
  smtp_auth_password: secret,
  smtp_auth_password_file: secretFile,
  smtp_auth_secret: secret,
  smtp_auth_secret_file: secretFile,
  smtp_auth_identity: or(text, ''),
  smtp_require_tls: or(flag, true),
  smtp_tls_config: or(tlsConfig, HTTP_DEFAULTS.tlsConfig),
  slack_api_url: secretUrl,
  slack_api_url_file: secretFile,
  pagerduty_url: or(url, 'https://events.pagerduty.com/v2/enqueue'),
  opsgenie_api_url: unused(url),
  opsgenie_api_key: unused(secret),
  opsgenie_api_key_file: unused(secretFile),
  wechat_api_url: unused(url),
  wechat_api_secret: unused(secret),
  wechat_api_corp_id: unused(text),
  victorops_api_url: unused(url),
  victorops_api_key: unused(secret),
  victorops_api_key_file: unused(secretFile),
  telegram_api_url: unused(url),
  webex_api_url: unused(url),
  jira_api_url: unused(url),
  rocketchat_api_url: unused(url),
  rocketchat_token: unused(secret),
  rocketchat_token_file: unused(secretFile),
  rocketchat_token_id: unused(secret),
  rocketchat_token_id_file: unused(secretFile),
}

export type GlobalConfig = Values<typeof GLOBAL>
export const globalConfig: Kind<GlobalConfig> = record(GLOBAL, (values) => values)
export const GLOBAL_DEFAULTS: GlobalConfig = defaultsOf(GLOBAL)
