import { Type } from 'typebox'
import type { Shape } from './common.ts'

/**
 * `GET /api/fleet/v1/events`: a stream of server-sent events. Each event names a topic whose data changed, without the
 * data: a client requests them from their route, with its access. At most one event per topic and second.
 */

/** The topics, by what changes the data. */
export const EventTopic = Type.Union([
  Type.Literal('alerts'),
  Type.Literal('silences'),
  Type.Literal('upgrades'),
  Type.Literal('clusters'),
  Type.Literal('rules'),
  Type.Literal('dashboards'),
  Type.Literal('work'),
])
export type EventTopic = Shape<typeof EventTopic>
export const EVENT_TOPICS: readonly EventTopic[] = EventTopic.anyOf.map((topic) => topic.const)

/** The `data` of an event named `change`. Its `id` returns as `Last-Event-ID`: later changes are then sent again. */
export const ChangeEvent = Type.Object({
  topic: EventTopic,
  /** Increases with each change while the server runs. */
  version: Type.Number(),
})
export type ChangeEvent = Shape<typeof ChangeEvent>
