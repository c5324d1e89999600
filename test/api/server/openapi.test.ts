import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OWN_PREFIXES } from '../../../src/api/server/openapi.ts'
import { UPGRADE_FIELDS } from '../../support/upgrade-record.ts'
import { makeServer, type TestServer } from '../test-server.ts'

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: Readonly<Record<string, unknown>>
  readonly description?: string
}
interface Document {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string }
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly summary: string
            readonly operationId: string
            readonly description: string
            readonly parameters?: readonly Parameter[]
            readonly requestBody?: object
            readonly responses: Readonly<Record<string, { readonly content: object }>>
          }
        >
      >
    >
  >
}

let server: TestServer
let document: Document
beforeAll(async () => {
  server = await makeServer()
  const answer = await server.app.inject('/api/openapi.json')
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
  document = answer.json()
})
afterAll(() => server.app.close())

const inBraces = (url: string): string => url.replaceAll(/:(\w+)/g, '{$1}')
const isOwn = (url: string): boolean => OWN_PREFIXES.some((prefix) => url.startsWith(prefix))

test('it is OpenAPI 3.1 of this version', () => {
  expect([document.openapi, document.info.version]).toEqual(['3.1.0', '0.0.0-test'])
})

test('every own route is described, and nothing else', () => {
  const routes = server.app.routeTable
    .filter(({ url, method, isWrongMethod }) => isOwn(url) && !isWrongMethod && method !== 'HEAD')
    .map(({ method, url }) => `${method} ${inBraces(url)}`)
  const described = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(described.sort()).toEqual(routes.sort())
})

test('each operation has a name of its own, a summary, its role, and an answer', () => {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
  const ids = operations.map(({ operationId }) => operationId)
  expect(new Set(ids).size).toBe(ids.length)
  for (const { summary, description, responses, operationId } of operations) {
    const codes = Object.keys(responses)
    expect([operationId, summary.endsWith('.'), codes.length, codes.includes('4XX')]).toEqual([
      operationId,
      true,
      2,
      true,
    ])
    expect(description).toMatch(
      /^Needs the role `(viewer|responder|admin)`(; limited to the clusters for which the caller has this role\. Other clusters are reported as unknown| over all clusters)?\.$/,
    )
  }
})

test('parameters of paths are all described', () => {
  for (const [path, methods] of Object.entries(document.paths)) {
    const wanted = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    for (const { parameters = [] } of Object.values(methods)) {
      const named = parameters.filter((parameter) => parameter.in === 'path')
      expect(named.map(({ name }) => name)).toEqual(wanted)
      expect(named.every(({ required, description = '' }) => required === true && description !== '')).toBe(true)
    }
  }
})

test('a filter says its values, a list that it may be given again, a page its bounds', () => {
  const { parameters = [] } = document.paths['/api/fleet/v1/upgrades']!['get']!
  const of = (name: string): Parameter['schema'] => parameters.find((one) => one.name === name)!.schema
  expect(of('operator')).toMatchObject({ enum: ['kubevirt-hyperconverged', 'kubevirt', 'openshift'] })
  expect(of('state')).toMatchObject({ type: 'array', items: { type: 'string' } })
  expect(of('startedFrom')).toMatchObject({ type: 'string', format: 'date-time' })
  expect(of('limit')).toMatchObject({ type: 'integer', minimum: 1, maximum: 1000, default: 100 })
  expect(parameters.every(({ required }) => required !== true)).toBe(true)
})

test('what an upgrade has is said whole', () => {
  const { responses } = document.paths['/api/fleet/v1/upgrades/{id}']!['get']!
  const { schema } = (responses['200']!.content as Record<string, { schema: { required: string[] } }>)[
    'application/json'
  ]!
  expect(schema.required).toEqual(UPGRADE_FIELDS)
})

describe('references', () => {
  const refs: string[] = []
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [name, part] of Object.entries(value)) {
      if (name === '$ref' && typeof part === 'string') refs.push(part)
      else visit(part)
    }
  }

  test('each leads somewhere in the document', () => {
    visit(document)
    expect(refs.length).toBeGreaterThan(0)
    const found = refs.map((ref) => {
      const parts = ref.replace(/^#\//, '').split('/')
      const target = parts.reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], document)
      return target === undefined ? ref : 'found'
    })
    expect([...new Set(found)]).toEqual(['found'])
  })
})
