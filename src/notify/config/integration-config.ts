/**
 * Integrations as the configuration describes them, one shape each. Texts marked as templates are expanded
 * for each message; their defaults are written in `default-templates.ts`.
 */
import type { HttpConfig, TlsConfig } from './http-config.ts'
import type { Secret } from './secret.ts'

interface Common {
  readonly sendResolved: boolean
}

interface OverHttp extends Common {
  readonly http: HttpConfig
}

export interface WebhookConfig extends OverHttp {
  readonly kind: 'webhook'
  readonly url: Secret
  /** 0 for all. */
  readonly maxAlerts: number
  /** 0 for the usual. */
  readonly timeoutMs: number
}

export interface SlackField {
  readonly title: string
  readonly value: string
  readonly short?: boolean
}

export interface SlackAction {
  readonly type: string
  readonly text: string
  readonly url?: string
  readonly style?: string
  readonly name?: string
  readonly value?: string
  readonly confirm?: SlackConfirm
}

export interface SlackConfirm {
  readonly text: string
  readonly title?: string
  readonly okText?: string
  readonly dismissText?: string
}

/** Every text is a template. */
export interface SlackConfig extends OverHttp {
  readonly kind: 'slack'
  readonly apiUrl: Secret
  readonly channel: string
  readonly username: string
  readonly color: string
  readonly title: string
  readonly titleLink: string
  readonly pretext: string
  readonly text: string
  readonly footer: string
  readonly fallback: string
  readonly callbackId: string
  readonly iconEmoji: string
  readonly iconUrl: string
  readonly imageUrl: string
  readonly thumbUrl: string
  readonly fields: readonly SlackField[]
  readonly shortFields: boolean
  readonly actions: readonly SlackAction[]
  readonly linkNames: boolean
  readonly mrkdwnIn: readonly string[]
}

/** Events API v2. Every text is a template, the key too. */
export interface PagerdutyConfig extends OverHttp {
  readonly kind: 'pagerduty'
  readonly url: string
  readonly routingKey: Secret
  readonly client: string
  readonly clientUrl: string
  readonly description: string
  readonly source: string
  readonly severity: string
  readonly class: string
  readonly component: string
  readonly group: string
  readonly details: readonly (readonly [string, string])[]
  readonly images: readonly { readonly src: string; readonly alt: string; readonly href: string }[]
  readonly links: readonly { readonly href: string; readonly text: string }[]
}

/** `to`, `from`, headers and bodies are templates. */
export interface EmailConfig extends Common {
  readonly kind: 'email'
  readonly to: string
  readonly from: string
  readonly hello: string
  readonly smarthost: { readonly host: string; readonly port: number }
  readonly username: string
  readonly password?: Secret
  /** For CRAM-MD5. */
  readonly authSecret?: Secret
  readonly identity: string
  readonly headers: readonly (readonly [string, string])[]
  readonly html: string
  readonly text: string
  readonly requiresTls: boolean
  readonly tls: TlsConfig
}

/** Office 365 connectors: a message card. */
export interface MsteamsConfig extends OverHttp {
  readonly kind: 'msteams'
  readonly url: Secret
  readonly title: string
  readonly summary: string
  readonly text: string
}

/** Workflows: an adaptive card. */
export interface Msteamsv2Config extends OverHttp {
  readonly kind: 'msteamsv2'
  readonly url: Secret
  readonly title: string
  readonly text: string
}

/**
 * One Alertmanager that gets the group's alerts as Prometheus would send them. Members of a cluster do not send each
 * other alerts, so each address is an integration of its own, with its own retries.
 */
export interface AlertmanagerConfig extends OverHttp {
  readonly kind: 'alertmanager'
  /** Without a slash at the end. */
  readonly url: string
  readonly timeoutMs: number
}

export type IntegrationConfig =
  WebhookConfig | SlackConfig | PagerdutyConfig | EmailConfig | MsteamsConfig | Msteamsv2Config | AlertmanagerConfig

export interface Receiver {
  readonly name: string
  readonly integrations: readonly IntegrationConfig[]
}
