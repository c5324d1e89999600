import type { Browser, Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { FixtureServer } from './fixture-server.ts'
import { openPage } from './open-page.ts'

/** Somebody with a question: all that they do is counted. What they type is no step, the keys they press are. */
export interface Reader {
  readonly page: Page
  /** One click, or one choice of a list, or one move of a slider. */
  readonly click: (target: Locator) => Promise<void>
  readonly choose: (target: Locator, option: string) => Promise<void>
  readonly drag: (target: Locator, key: string) => Promise<void>
  readonly press: (key: string) => Promise<void>
  readonly type: (text: string) => Promise<void>
}

/** What a question may cost; what is left out may not be needed at all. */
export interface Cost {
  readonly clicks?: number
  readonly keys?: number
}

/**
 * Asks a question from an address on, without another one being typed, and fails when it took more or fewer steps than said.
 *
 * @param act ends when the answer is seen
 */
export async function ask(
  browser: Browser,
  server: FixtureServer,
  from: string,
  cost: Cost,
  act: (reader: Reader) => Promise<void>,
): Promise<void> {
  const { page, expectClean, close } = await openPage(browser, server, from)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const taken = { clicks: 0, keys: 0 }
  // What is clicked past the reader is seen all the same. A moved slider and a chosen option are no clicks of the page; the
  // one that Enter makes in a form has no count.
  await page.evaluate(() => {
    sessionStorage.setItem('clicks', '0')
    addEventListener(
      'click',
      ({ isTrusted, detail }) => {
        if (isTrusted && detail > 0)
          sessionStorage.setItem('clicks', String(Number(sessionStorage.getItem('clicks')) + 1))
      },
      { capture: true },
    )
  })
  let clicksOfPage = 0
  await act({
    page,
    click: async (target) => {
      taken.clicks++
      clicksOfPage++
      await target.click()
    },
    choose: async (target, option) => {
      taken.clicks++
      await target.selectOption(option)
    },
    drag: async (target, key) => {
      taken.clicks++
      await target.press(key)
    },
    press: async (key) => {
      taken.keys++
      await page.keyboard.press(key)
    },
    type: (text) => page.keyboard.type(text),
  })
  expect(taken).toEqual({ clicks: 0, keys: 0, ...cost })
  expect(await page.evaluate(() => Number(sessionStorage.getItem('clicks'))), 'clicks that the page saw').toBe(
    clicksOfPage,
  )
  expectClean()
  await close()
}
