/** A process of its own: one steady sender, as its first argument says, until SIGTERM. Prints what it sent. */
import { SteadySender, type Pace } from './steady-sender.ts'

const sender = new SteadySender(JSON.parse(process.argv[2]!) as Pace)
process.once('SIGTERM', () => {
  sender.stop()
})
await sender.run()
const { statuses, notSent } = sender.take()
process.stdout.write(JSON.stringify({ statuses: [...statuses], notSent }))
