import type { TObject, TSchema } from 'typebox'

/** What a route takes and answers, for those who read about it. Who may ask stands with the route itself. */
export interface Operation {
  /** One line. */
  readonly summary: string
  readonly tag: 'fleet' | 'alerts' | 'notifications' | 'rules' | 'runbooks' | 'dashboards' | 'adoption'
  /** What each parameter of the path is. */
  readonly path?: Readonly<Record<string, string>>
  readonly query?: TObject
  readonly body?: TSchema
  readonly answer: TSchema
  /** Of the answer when it is no JSON: a stream of events whose data are as `answer` says. */
  readonly mediaType?: 'text/event-stream'
  /** Of a good answer; 200 when absent. */
  readonly status?: number
}

/** By method and path as the route is declared: `GET /api/fleet/v1/clusters/:cluster`. */
export type Operations = Readonly<Record<string, Operation>>
