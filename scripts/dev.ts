/** `npm run dev`: the demo fleet from source, and the pages with hot reload on a port of their own. */
import { fileURLToPath } from 'node:url'
import { createServer } from 'vite'
import { demoCommand } from '../src/cli/demo.ts'

const pages = await createServer({ configFile: fileURLToPath(new URL('../src/web/vite.config.ts', import.meta.url)) })
await pages.listen()
pages.printUrls()
process.exitCode = await demoCommand.run(process.argv.slice(2))
await pages.close()
