import { pathToFileURL } from 'node:url'
import { resolve } from 'node:path'
import type * as app from '../../src/app.ts'
import { configInMode } from './mode.ts'

/**
 * The app as it ships, in this process and in the mode of tests: its threads start in a fraction of the time they need from source.
 * `npm test` builds it first; after `npx vitest` alone it may be older than the source.
 */
export async function builtApp(): Promise<typeof app> {
  const url = pathToFileURL(resolve(import.meta.dirname, '../../dist/app.js')).href
  const built = (await import(/* @vite-ignore */ url)) as typeof app
  return { ...built, startApp: async (parts) => built.startApp({ ...parts, config: await configInMode(parts.config) }) }
}
