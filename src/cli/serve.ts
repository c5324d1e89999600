import { startApp } from '../app.ts'
import { systemClock } from '../base/clock.ts'
import { tuneHeaps } from '../base/heaps.ts'
import { createLog } from '../base/log.ts'
import type { Command } from './command.ts'
import { renderOptions } from '../config/config.ts'
import { CONFIG_PLACES, readServeArguments } from './serve-options.ts'
import { onReloadSignal, untilStopSignal } from './stop-signal.ts'

/** `daytwo serve`: the server, until SIGTERM or SIGINT. */
export const serveCommand: Command = {
  help: () =>
    [
      'Usage: daytwo serve [options]',
      '',
      'Runs the server: receives samples, evaluates rules, serves pages and APIs, on one port.',
      'Stops gracefully on SIGTERM and SIGINT: what was received is on disk when it ends. Reads rules, runbooks, dashboards',
      'and routing again when their files change, and on SIGHUP and POST /-/reload.',
      '',
      'Examples:',
      '  daytwo serve --data /var/lib/daytwo --retention.raw 90d',
      '  daytwo serve --listen 0.0.0.0:4318 --external.url https://daytwo.example   (make a token first: daytwo token)',
      '',
      renderOptions(),
      '',
      CONFIG_PLACES,
    ].join('\n'),
  run: async (args) => {
    tuneHeaps()
    const { config } = readServeArguments(args)
    const log = createLog(config['log.level'])
    const stopped = untilStopSignal()
    const start = () => startApp({ config, clock: systemClock, log, isDemo: false })
    let app = await start()
    onReloadSignal(() => app.reload('signal'))
    for (;;) {
      app.startCycles()
      const writable = app.writable.then((reason) => ({ reason, startsAgain: true }))
      const ended = stopped.then((reason) => ({ reason, startsAgain: false }))
      const { reason, startsAgain } = await Promise.race([ended, writable])
      log.info({ reason }, startsAgain ? 'starting again' : 'stopping')
      await app.stop()
      if (!startsAgain) return 0
      app = await start()
    }
  },
}
