/** Who is measured, and how each is started: its defaults, but for what an import of the past and a fair read need. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { installed, type Peer } from './server.ts'

/** Every server may answer every question, whatever it costs. */
const QUERY_TIMEOUT = '5m'
const QUERY_SAMPLES_MAX = 2_000_000_000

const ROOT = join(import.meta.dirname, '../..')

/** Daytwo first, then the peers that are installed; says which are not. @param program another build of `main.js` */
export function contestants(program: string | undefined): Peer[] {
  const peers = [daytwo(program ?? join(ROOT, 'dist/main.js'))]
  const victoria = installed('victoria-metrics')
  if (victoria === undefined) console.log('VictoriaMetrics is not installed (Debian: victoria-metrics): left out')
  else peers.push(victoriaMetrics(victoria))
  const prometheusPath = installed('prometheus')
  if (prometheusPath === undefined) console.log('Prometheus is not installed (Debian: prometheus): left out')
  else peers.push(prometheus(prometheusPath))
  return peers
}

function daytwo(main: string): Peer {
  if (!existsSync(main)) throw new Error(`${main} is not there: run \`npm run build\` first`)
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
  return {
    name: 'Daytwo',
    version: `${version}, Node ${process.versions.node}`,
    program: process.execPath,
    args: (port, dir, profileDir) => {
      // The peers have no rules either; the fleet's are measured as queries.
      const rules = join(dir, 'no-rules')
      mkdirSync(rules, { recursive: true })
      const profile = profileDir === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDir}`]
      const options = ['--listen', `127.0.0.1:${port}`, '--data', join(dir, 'data'), '--rules', rules]
      const limits = ['--query.timeout', QUERY_TIMEOUT, '--query.samples-max', String(QUERY_SAMPLES_MAX)]
      return [...profile, main, 'serve', ...options, ...limits, '--retention.raw', '400d', '--log.level', 'warn']
    },
    writePath: '/api/v1/write',
    readyPath: '/-/ready',
    queryParams: {},
    logDirs: [],
  }
}

function victoriaMetrics(program: string): Peer {
  return {
    name: 'VictoriaMetrics',
    version: versionOf(program),
    program,
    args: (port, dir) => [
      `-httpListenAddr=127.0.0.1:${port}`,
      `-storageDataPath=${join(dir, 'data')}`,
      '-retentionPeriod=400d',
      '-search.latencyOffset=0s',
      `-search.maxQueryDuration=${QUERY_TIMEOUT}`,
      `-search.maxSamplesPerQuery=${QUERY_SAMPLES_MAX}`,
      '-loggerLevel=ERROR',
    ],
    writePath: '/api/v1/write',
    readyPath: '/health',
    queryParams: { nocache: '1' },
    logDirs: [],
  }
}

function prometheus(program: string): Peer {
  return {
    name: 'Prometheus',
    version: versionOf(program),
    program,
    args: (port, dir) => {
      const config = join(dir, 'prometheus.yml')
      writeFileSync(config, 'global: {}\n')
      return [
        `--config.file=${config}`,
        `--storage.tsdb.path=${join(dir, 'data')}`,
        '--storage.tsdb.retention.time=400d',
        `--web.listen-address=127.0.0.1:${port}`,
        '--web.enable-remote-write-receiver',
        `--query.timeout=${QUERY_TIMEOUT}`,
        `--query.max-samples=${QUERY_SAMPLES_MAX}`,
        '--log.level=error',
      ]
    },
    writePath: '/api/v1/write',
    readyPath: '/-/ready',
    queryParams: {},
    logDirs: ['wal', 'chunks_head'],
  }
}

function versionOf(program: string): string {
  const said = spawnSync(program, ['--version'], { encoding: 'utf8' })
  // Debian's VictoriaMetrics does not know its own version, but its package does.
  const packaged = spawnSync('dpkg-query', ['-W', '-f', '${Version}', basename(program)], { encoding: 'utf8' })
  const texts = [said.stdout, said.stderr, packaged.stdout]
  return texts.flatMap((text) => /\d+\.\d+\.\d+/.exec(text)?.[0] ?? [])[0] ?? 'unknown version'
}
