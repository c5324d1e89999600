import { expect, test } from 'vitest'
import { createQueryParser, type QueryParser } from '../../../src/api/prometheus/query-parser.ts'
import { FleetError } from '../../../src/base/errors.ts'
import { DEFAULT_PARSE_LIMITS, STABLE_LANGUAGE } from '../../../src/promql/parse-options.ts'
import { makeServer } from '../test-server.ts'

/** Notes each text, and parses none: what a route parses by itself is refused, because it is no PromQL. */
class NotingParser implements QueryParser {
  readonly texts: string[] = []

  selectors(texts: readonly string[]): ReturnType<QueryParser['selectors']> {
    this.texts.push(...texts)
    return Promise.resolve(texts.map(() => [{ name: '__name__', op: '=', value: 'up' }]))
  }

  selectorsOf(expr: string): ReturnType<QueryParser['selectorsOf']> {
    return this.selectors([expr])
  }

  format(expr: string): Promise<string> {
    this.texts.push(expr)
    return Promise.resolve(expr)
  }

  tree(expr: string): Promise<string> {
    this.texts.push(expr)
    return Promise.resolve('{}')
  }
}

// The parser of the server is on the query worker: a text of megabytes must not delay acknowledgements.
test.each([
  'api/v1/series?match[]=',
  'api/v1/labels?match[]=',
  'api/v1/label/job/values?match[]=',
  'api/v1/rules?match[]=',
  'api/v1/query_exemplars?query=',
  'api/v1/format_query?query=',
  'api/v1/parse_query?query=',
  'api/v1/targets/metadata?match_target=',
  'federate?match[]=',
])('%s is not parsed on the main thread', async (url) => {
  const parser = new NotingParser()
  const { app } = await makeServer({ parser })
  expect((await app.inject(`/${url}(not+PromQL`)).statusCode).toBe(200)
  expect(parser.texts).toEqual(['(not PromQL'])
  await app.close()
})

test('a selector that matches everything is refused in the words of Prometheus, wherever it is parsed', async () => {
  const parser = new NotingParser()
  parser.selectors = () =>
    Promise.reject(
      new FleetError('query_parse', '1:1: parse error: vector selector must contain at least one non-empty matcher'),
    )
  const { app } = await makeServer({ parser })
  const answer = await app.inject('/api/v1/labels?match[]={}')
  expect(answer.json()).toMatchObject({ error: 'match[] must contain at least one non-empty matcher' })
  await app.close()
})

test('the selectors of a request are as many as one expression has names', async () => {
  const parser = createQueryParser({ ...STABLE_LANGUAGE, limits: { ...DEFAULT_PARSE_LIMITS, tokensMax: 3 } })
  expect(await parser.selectors(['a', 'b', 'c'])).toHaveLength(3)
  await expect(parser.selectors(['a', 'b', 'c', 'd'])).rejects.toMatchObject({
    code: 'query_parse',
    message: 'request has 4 selectors, at most 3 are allowed (promql.tokens-max)',
  })
})
