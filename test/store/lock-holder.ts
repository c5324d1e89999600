import { lockDirectory } from '../../src/store/database.ts'

// Holds a data directory until it is killed, and says when it has it.
lockDirectory(process.argv[2]!)
process.stdout.write('locked\n')
setInterval(() => undefined, 60_000)
