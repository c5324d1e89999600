/**
 * `/api/openapi.json`: Daytwo's own routes as OpenAPI 3.1, from the registered routes and the schemas of the contract.
 * Nothing here validates a request: the routes do.
 */
import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify'
import { OwnError } from '../../contract/ui.ts'
import type { Operation, RouteScope } from './route-config.ts'

/** The prefixes of Daytwo's own API, and of what it describes of others; all other paths follow the protocols of other projects. */
export const OWN_PREFIXES: readonly string[] = [
  '/api/fleet/v1/',
  '/api/adoption/v1/',
  '/api/runbooks/v1/',
  '/api/dashboards/v1',
  '/api/upgrades_info/',
]

/** Tags of the resources below `/api/fleet/v1`; all others are `fleet`. */
const FLEET_TAGS: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    alerts: 'alerts',
    audit: 'alerts',
    'external-alerts': 'alerts',
    silences: 'alerts',
    deliveries: 'notifications',
    receivers: 'notifications',
    routes: 'notifications',
    rules: 'rules',
  }),
)

/** Register before the routes it describes, and `registerOpenApi` with them. */
export async function installOpenApi(app: FastifyInstance, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Daytwo',
        version,
        description: 'API of a fleet of clusters with KubeVirt and HCO. Times are RFC 3339 or milliseconds.',
      },
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer' },
          basic: {
            type: 'http',
            scheme: 'basic',
            description: 'The token is the password; the user name is ignored.',
          },
        },
      },
      security: [{ bearer: [] }, { basic: [] }],
    },
    transform: ({ url, route }) => ({ url, schema: schemaOf(url, route) }),
  })
}

export function registerOpenApi(app: FastifyInstance): void {
  let document: string | undefined
  app.get('/api/openapi.json', { config: { access: 'viewer', dialect: 'own', scope: 'none' } }, (_request, reply) => {
    document ??= documentOf(app)
    return reply.type('application/json; charset=utf-8').send(document)
  })
}

function schemaOf(url: string, { method, config }: RouteOptions): FastifySchema {
  const operation = config?.operation
  if (operation === undefined) return { hide: true }
  const { summary, path = {}, query, body, answer, mediaType, status = 200 } = operation
  const params = Object.fromEntries(
    Object.entries(path).map(([name, description]) => [name, { type: 'string', description }]),
  )
  return {
    summary,
    tags: [tagOf(url)],
    description: `Needs the role \`${config?.access ?? 'admin'}\`${SCOPE_TEXTS[config?.scope ?? 'fleet']}.`,
    operationId: operationIdOf(method, url),
    ...(Object.keys(params).length === 0
      ? {}
      : { params: { type: 'object', properties: params, required: Object.keys(params) } }),
    ...(query === undefined ? {} : { querystring: plain(query) }),
    ...(body === undefined ? {} : { body: plain(body) }),
    response: {
      [status]:
        mediaType === undefined
          ? { description: 'Success.', ...(plain(answer) as object) }
          : { description: 'Success.', content: { [mediaType]: { schema: plain(answer) } } },
      '4XX': { description: 'What was received and what was expected.', ...(plain(OwnError) as object) },
    },
  }
}

/** Behind the role. */
const SCOPE_TEXTS: Readonly<Record<RouteScope, string>> = {
  clusters: '; limited to the clusters for which the caller has this role. Other clusters are reported as unknown',
  fleet: ' over all clusters',
  none: '',
}

function tagOf(url: string): string {
  const [area = '', , resource = ''] = url.replace('/api/', '').split('/')
  return area === 'fleet' ? (FLEET_TAGS.get(resource) ?? area) : area
}

/** `GET /api/fleet/v1/clusters/:cluster` is `get_fleet_clusters_cluster`. */
function operationIdOf(method: RouteOptions['method'], url: string): string {
  const parts = url.split('/').filter((part) => part !== '' && part !== 'api' && part !== 'v1')
  return [[method].flat().join('_').toLowerCase(), ...parts.map((part) => part.replace(/^:/, ''))].join('_')
}

/** The schema as JSON, without TypeBox's own properties. */
function plain(schema: NonNullable<Operation['answer']>): unknown {
  return JSON.parse(JSON.stringify(schema, (_name, value: unknown) => (isCyclic(value) ? toBeNamed(value) : value)))
}

/** A recursive schema: TypeBox names its parts locally, OpenAPI for the whole document. */
interface Cyclic {
  readonly $defs: Readonly<Record<string, object>>
  readonly $ref: string
}

/** Marks a reference until the document is complete, because the plugin would fail to resolve it. */
const NAMED = 'x-named'

function isCyclic(value: unknown): value is Cyclic {
  return typeof value === 'object' && value !== null && '$defs' in value && '$ref' in value
}

function toBeNamed({ $ref }: Cyclic): object {
  return { type: 'object', [NAMED]: $ref }
}

function documentOf(app: FastifyInstance): string {
  const whole = app.swagger() as { readonly components?: { readonly schemas?: object } }
  const named = app.routeTable.flatMap(({ operation }) =>
    isCyclic(operation?.answer) ? Object.entries(operation.answer.$defs) : [],
  )
  const schemas = { ...whole.components?.schemas, ...Object.fromEntries(named) }
  return JSON.stringify({ ...whole, components: { ...whole.components, schemas } }, (_name, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value
    const ref = NAMED in value ? value[NAMED] : '$ref' in value ? value.$ref : undefined
    return typeof ref === 'string' && Object.hasOwn(schemas, ref) ? { $ref: `#/components/schemas/${ref}` } : value
  })
}
