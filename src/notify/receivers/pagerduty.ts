/** PagerDuty's Events API v2: one incident per group, opened and resolved with the same key. */
import { createHash } from 'node:crypto'
import type { PagerdutyConfig } from '../config/receiver-config.ts'
import { resolveSecret } from '../config/secret.ts'
import { statusOf, type Message } from '../message.ts'
import { attempting, expanding, nonEmptyTexts, postJson, truncate, type Attempt, type Sending } from './attempt.ts'

const SUMMARY_CHARS_MAX = 1024
/** The largest event that PagerDuty accepts; the details of a larger one are omitted. */
const EVENT_BYTES_MAX = 512_000

export function sendPagerduty(config: PagerdutyConfig, message: Message, sending: Sending): Promise<Attempt> {
  const { url, http } = config
  const target = { kind: 'text', value: url } as const
  return expanding(url, () =>
    attempting(target, '', sending, async () => {
      const text = (template: string): string => sending.templates.text(template, message)
      const routingKey = text(await resolveSecret(config.routingKey))
      const { payload, ...event } = pagerdutyEvent(config, message, text)
      const bodyWith = (details: Readonly<Record<string, string>>): object => ({
        routing_key: routingKey,
        ...event,
        payload: { ...payload, custom_details: details },
      })
      const details = Object.entries(config.details).map(([name, template]) => [name, text(template)] as const)
      let body = bodyWith(Object.fromEntries(details))
      if (Buffer.byteLength(JSON.stringify(body)) > EVENT_BYTES_MAX) {
        const error = `the details were left out: with them the event is longer than ${EVENT_BYTES_MAX} bytes`
        body = bodyWith({ error })
      }
      return postJson(sending, { url: target, hidesPath: false, http, body, secrets: [routingKey] })
    }),
  )
}

/** Alertmanager's key, which never changes for a group: the SHA-256 of the group key. */
export function dedupKeyOf(groupKey: string): string {
  return createHash('sha256').update(groupKey, 'utf8').digest('hex')
}

function pagerdutyEvent(config: PagerdutyConfig, message: Message, text: (template: string) => string) {
  const images = config.images
    .map(({ src, alt, href }) => ({ src: text(src), alt: text(alt), href: text(href) }))
    .filter(({ src }) => src !== '')
  const links = config.links
    .map(({ href, text: label }) => ({ href: text(href), text: text(label) }))
    .filter(({ href }) => href !== '')
  return {
    event_action: statusOf(message.alerts) === 'firing' ? 'trigger' : 'resolve',
    dedup_key: dedupKeyOf(message.groupKey),
    payload: {
      summary: truncate(text(config.description), SUMMARY_CHARS_MAX),
      source: text(config.source),
      severity: text(config.severity),
      ...nonEmptyTexts({ class: config.class, component: config.component, group: config.group }, text),
    },
    ...nonEmptyTexts({ client: config.client, client_url: config.clientUrl }, text),
    ...(images.length === 0 ? {} : { images }),
    ...(links.length === 0 ? {} : { links }),
  }
}
