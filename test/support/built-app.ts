import { pathToFileURL } from 'node:url'
import { resolve } from 'node:path'
import type * as app from '../../src/app.ts'
import { appInMode, configInMode } from './mode.ts'

/**
 * The app as it ships, in this process and in the mode of tests: its threads start in a fraction of the time they need from source.
 * `npm test` builds it first; after `npx vitest` alone it may be older than the source.
 * @param sharesEachCycle see `appInMode`; false: for thousands of cycles of a clock that moves on
 */
export async function builtApp({ sharesEachCycle = true } = {}): Promise<typeof app> {
  const url = pathToFileURL(resolve(import.meta.dirname, '../../dist/app.js')).href
  const built = (await import(/* @vite-ignore */ url)) as typeof app
  const startApp: typeof app.startApp = async (parts) => {
    const config = await configInMode(parts.config)
    const started = await built.startApp({ ...parts, config })
    // A test with stores of its own shares when it wants to.
    return sharesEachCycle && config !== parts.config ? appInMode(started, config['store.metrics']) : started
  }
  return { ...built, startApp }
}
