import { Type, type Static } from 'typebox'

/**
 * `GET /api/fleet/v1/events`: a stream of server-sent events. Each says that what a topic is about has changed, and no
 * more: who wants to know asks the route of the data, with the rights of that route. At most one a topic and second.
 */

/** What a page may show, by what makes it change. */
export const EventTopic = Type.Union([
  Type.Literal('alerts'),
  Type.Literal('silences'),
  Type.Literal('upgrades'),
  Type.Literal('clusters'),
  Type.Literal('rules'),
  Type.Literal('dashboards'),
])
export type EventTopic = Static<typeof EventTopic>
export const EVENT_TOPICS: readonly EventTopic[] = EventTopic.anyOf.map((topic) => topic.const)

/** The `data` of an event named `change`. Its `id` goes back as `Last-Event-ID`: what changed since is told again. */
export const ChangeEvent = Type.Object({
  topic: EventTopic,
  /** Rises with each change of anything while the server runs. */
  version: Type.Number(),
})
export type ChangeEvent = Static<typeof ChangeEvent>
