/** PagerDuty's Events API v2: one incident a group, opened and resolved under the same key. */
import { createHash } from 'node:crypto'
import type { PagerdutyConfig } from '../config/integration-config.ts'
import { resolveSecret } from '../config/secret.ts'
import { statusOf, type Message } from '../message.ts'
import { attempting, expanding, postJson, truncate, type Attempt, type Sending } from './attempt.ts'

const SUMMARY_CHARS_MAX = 1024
/** Bytes PagerDuty takes; above it the details are left out. */
const EVENT_BYTES_MAX = 512_000

export function sendPagerduty(config: PagerdutyConfig, message: Message, sending: Sending): Promise<Attempt> {
  const { url, http } = config
  return expanding(url, () =>
    attempting({ kind: 'text', value: url }, '', sending, async () => {
      const routingKey = sending.templates.text(await resolveSecret(config.routingKey), message)
      const event = pagerdutyEvent(config, message, sending)
      const body = (details: Readonly<Record<string, string>>): unknown => ({
        routing_key: routingKey,
        ...event,
        payload: { ...event.payload, ...(Object.keys(details).length === 0 ? {} : { custom_details: details }) },
      })
      const details = Object.fromEntries(
        config.details.map(([name, template]) => [name, sending.templates.text(template, message)]),
      )
      const isTooLong = Buffer.byteLength(JSON.stringify(body(details))) > EVENT_BYTES_MAX
      const error = `the details were left out: with them the event is longer than ${EVENT_BYTES_MAX} bytes`
      return postJson(sending, {
        url: { kind: 'text', value: url },
        hidesPath: false,
        http,
        body: body(isTooLong ? { error } : details),
        secrets: [routingKey],
      })
    }),
  )
}

/** The same for the same group for ever: Alertmanager's key, the SHA-256 of the group's. */
export function dedupKeyOf(groupKey: string): string {
  return createHash('sha256').update(groupKey, 'utf8').digest('hex')
}

function pagerdutyEvent(config: PagerdutyConfig, message: Message, { templates }: Sending) {
  const text = (template: string): string => templates.text(template, message)
  const some = (key: string, template: string): Record<string, string> => {
    const value = text(template)
    return value === '' ? {} : { [key]: value }
  }
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
      ...some('class', config.class),
      ...some('component', config.component),
      ...some('group', config.group),
    },
    ...some('client', config.client),
    ...some('client_url', config.clientUrl),
    ...(images.length === 0 ? {} : { images }),
    ...(links.length === 0 ? {} : { links }),
  }
}
