import type { TObject, TSchema } from 'typebox'

/** The documentation of a route's parameters and response. The route itself declares its access. */
export interface Operation {
  /** One line. */
  readonly summary: string
  readonly tag: 'fleet' | 'alerts' | 'notifications' | 'rules' | 'runbooks' | 'dashboards' | 'adoption'
  /** The description of each path parameter. */
  readonly path?: Readonly<Record<string, string>>
  readonly query?: TObject
  readonly body?: TSchema
  readonly answer: TSchema
  /** When the response is not JSON: a stream of events with data of the schema `answer`. */
  readonly mediaType?: 'text/event-stream'
  /** The status of success; 200 when absent. */
  readonly status?: number
}

/** By method and path as the route is declared: `GET /api/fleet/v1/clusters/:cluster`. */
export type Operations = Readonly<Record<string, Operation>>
