import { lockDirectory } from '../../src/store/database.ts'

// Holds a data directory until it is killed, and says when it has it.
const lock = lockDirectory(process.argv[2]!)
process.stdout.write('locked\n')
// A lock that nobody refers to is released when its memory is.
setInterval(() => lock, 60_000)
