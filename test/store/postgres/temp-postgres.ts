import { afterAll, afterEach, beforeAll } from 'vitest'
import { openFactsIn } from '../../../src/store/facts/facts.ts'
import { POSTGRES_DEFAULTS, type PostgresOptions } from '../../../src/store/postgres/options.ts'
import { findPostgres, startPostgres, type PostgresServer } from '../../support/postgres.ts'

/** Undefined where there is no PostgreSQL: tests that need it are skipped. */
export const POSTGRES = findPostgres()

/** One server for the tests of a file, each of which makes its own database. */
export function sharedPostgres(): { readonly server: PostgresServer; options(): Promise<PostgresOptions> } {
  let server: PostgresServer | undefined
  beforeAll(async () => {
    if (POSTGRES !== undefined) server = await startPostgres(POSTGRES)
  }, 60_000)
  afterAll(() => server?.stop())
  return {
    get server() {
      if (server === undefined) throw new Error('PostgreSQL is not there')
      return server
    },
    async options() {
      return { ...POSTGRES_DEFAULTS, url: await this.server.createDatabase() }
    },
  }
}

const closing: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** Facts that are closed after the test. */
export async function openTempFacts(options: PostgresOptions) {
  const facts = await openFactsIn(options)
  closing.push(() => facts.close())
  return facts
}
