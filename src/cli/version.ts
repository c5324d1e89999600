import { VERSION } from '../config/version.ts'
import type { Command } from './command.ts'

export const versionCommand: Command = {
  help: () => 'Usage: daytwo version\n\nPrints the version of Daytwo and of the Node it runs on.',
  run: () => {
    console.log(`daytwo ${VERSION} (node ${process.versions.node}, ${process.platform}-${process.arch})`)
    return Promise.resolve(0)
  },
}
