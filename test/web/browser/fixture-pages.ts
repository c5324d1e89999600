import type { Browser, BrowserContextOptions } from 'playwright-core'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { startFixtureServer, usualAnswers, type Answers, type FixtureServer } from './fixture-server.ts'
import { openPage, type OpenPage } from './open-page.ts'
import { ask, type Cost, type Reader } from './reader.ts'
import { sharedBrowser } from '../../support/browser.ts'

/** The browser and the fixture server of one file of tests. */
export interface FixturePages {
  /** From the first `beforeAll` on. */
  readonly server: FixtureServer
  open(path: string, options?: BrowserContextOptions, allowed?: readonly string[]): Promise<OpenPage>
  /** As `ask` of reader.ts. */
  ask(from: string, cost: Cost, act: (reader: Reader) => Promise<void>): Promise<void>
}

/** Starts them before the tests of a file; each test begins with the usual answers. @param prepare what is different in this file */
export function fixturePages(prepare: (answers: Answers) => void = () => undefined): FixturePages {
  let browser: Browser
  let server: FixtureServer
  beforeAll(async () => {
    browser = await sharedBrowser()
    server = await startFixtureServer()
  })
  afterAll(async () => {
    await server.close()
  })
  beforeEach(() => {
    Object.assign(server.answers, usualAnswers())
    prepare(server.answers)
  })
  return {
    get server() {
      return server
    },
    open: (path, options, allowed) => openPage(browser, server, path, options, allowed),
    ask: (from, cost, act) => ask(browser, server, from, cost, act),
  }
}
