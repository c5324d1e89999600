import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { emptyConfig } from '../../src/notify/config/config-file.ts'
import { START_MS, Timeline, alertOf, configOf, labelsOf, type TimelineOptions } from './timeline.ts'

const HOOK = 'webhook_configs: [{ url: "http://h/x" }]'
const QUIET_HOOK = 'webhook_configs: [{ url: "http://h/x", send_resolved: false }]'

const SIMPLE = `
route: { receiver: hook, group_by: [cluster], group_wait: 30s, group_interval: 5m, repeat_interval: 1h }
receivers: [{ name: hook, ${HOOK} }]
`

const simple = (options?: TimelineOptions): Timeline => new Timeline(configOf(SIMPLE), options)

describe('groups', () => {
  test('the first message waits for company, the next ones for their turn', () => {
    const line = simple().fire('A').run('10s').fire('B').run('1m').fire('C').run('10m')
    expect(line.sent).toEqual(['31s hook/webhook first: A B', '331s hook/webhook new_alerts: A B C'])
    expect(line.reasonOf('A')).toBe('hook holds nothing_new')
  })

  test('an alert that has waited elsewhere waits no more', () => {
    const line = simple()
    line.fire('A')
    line.nowMs += 60_000
    expect(line.run('1s').sent).toEqual(['61s hook/webhook first: A'])
  })

  test('each value of the group label is a group', () => {
    const line = simple().fire('A cluster=east', 'A cluster=west').run('1m')
    expect(line.sent).toHaveLength(2)
    expect(line.groups().map(({ groupKey }) => groupKey)).toEqual(['{}:{cluster="east"}', '{}:{cluster="west"}'])
  })

  test('all labels as the group: each alert alone', () => {
    const text = SIMPLE.replace('[cluster]', "['...']")
    const line = new Timeline(configOf(text)).fire('A x=1', 'A x=2').run('1m')
    expect(line.sent).toEqual(['31s hook/webhook first: A', '31s hook/webhook first: A'])
  })

  test('without a configuration there are groups and marks, and nobody is told', () => {
    const line = new Timeline(emptyConfig()).fire('A cluster=east').run('5m')
    expect(line.sent).toEqual([])
    expect(line.groups()).toHaveLength(1)
    expect([...line.state.config.receivers.keys()]).toEqual([])
    expect(line.marksOf(alertOf('A cluster=east', 'firing', START_MS))).toMatchObject({
      receivers: [],
      decisions: [{ sends: false, reason: 'no_receiver' }],
    })
  })

  test('before its group is looked at, an alert says that it waits', () => {
    const line = simple().fire('A').run('5s')
    expect(line.reasonOf('A')).toBe('hook holds waits_for_group')
    expect(line.state.alerts.has(alertOf('A', 'firing', 0).fingerprint)).toBe(true)
    expect(line.state.alerts.has(alertOf('B', 'firing', 0).fingerprint)).toBe(false)
  })
})

describe('what is told again', () => {
  test('nothing, until the repeat interval has passed', () => {
    const line = simple().fire('A').run('2h5m')
    expect(line.sent).toEqual([
      '31s hook/webhook first: A',
      '3631s hook/webhook repeat_due: A',
      '7231s hook/webhook repeat_due: A',
    ])
  })

  test('a resolution, at the next turn, once; then the alert has left', () => {
    const line = simple().fire('A', 'B').run('1m').resolve('A').run('10m')
    expect(line.sent).toEqual(['31s hook/webhook first: A B', '331s hook/webhook resolved: B, resolved A'])
    expect(line.groups()[0]?.alerts).toHaveLength(1)
    line.resolve('B').run('10m')
    expect(line.sent.slice(2)).toEqual(['931s hook/webhook resolved: resolved B'])
    expect(line.groups()).toEqual([])
  })

  test('one who does not want resolutions is told of none, and of the next run as a first', () => {
    const text = SIMPLE.replace(HOOK, QUIET_HOOK)
    const line = new Timeline(configOf(text)).fire('A').run('1m').resolve('A').run('10m')
    expect(line.reasonOf('A')).toBe('hook holds cleared')
    line.fire('A').run('10m')
    expect(line.sent).toEqual(['31s hook/webhook first: A', '691s hook/webhook first: A'])
  })

  test('what was over before anybody was told is told to nobody', () => {
    const line = simple().fire('A').run('10s').resolve('A').run('10m')
    expect(line.sent).toEqual([])
    expect(line.reasonOf('A')).toBe('hook holds only_resolved')
  })

  test('an alert that comes back before its resolution was told is not news', () => {
    const line = simple().fire('A').run('1m').resolve('A').run('1m').fire('A').run('20m')
    expect(line.sent).toEqual(['31s hook/webhook first: A'])
  })

  test('what vanishes without a word has resolved', () => {
    const line = simple().fire('A').run('1m').vanish('A').run('10m')
    expect(line.sent.slice(1)).toEqual(['331s hook/webhook resolved: resolved A'])
  })

  test('a new run that only waits ends the run before', () => {
    const line = simple().fire('A').run('1m').wait('A').run('10m')
    expect(line.sent.slice(1)).toEqual(['331s hook/webhook resolved: resolved A'])
  })

  test('pending alerts are told to nobody', () => {
    expect(simple().wait('A').run('10m').sent).toEqual([])
  })

  test('a message that was lost is tried anew at the next turn, and its resolved alerts stay until then', () => {
    let isDown = false
    const line = simple({ arrives: () => !isDown })
    line.fire('A', 'B').run('1m').resolve('A')
    isDown = true
    line.run('5m')
    isDown = false
    line.run('10m')
    expect(line.sent).toEqual([
      '31s hook/webhook first: A B',
      '331s hook/webhook resolved: B, resolved A (lost)',
      '631s hook/webhook resolved: B, resolved A',
    ])
  })
})

describe('a restart', () => {
  test('forgets nothing that was told', () => {
    const before = simple().fire('A', 'B').run('1m')
    const after = simple({ notified: before.logged })
    after.fire('A', 'B')
    after.nowMs += 60_000
    expect(after.run('10m').sent).toEqual([])
  })

  test('an end that nobody was told of is told after it', () => {
    const before = simple().fire('A').run('1m')
    const after = simple({ notified: before.logged }).resolve('A')
    after.nowMs += 60_000
    expect(after.run('1m').sent).toEqual(['61s hook/webhook resolved: resolved A'])
    expect(after.run('20m').sent).toHaveLength(1)
  })

  test('an end that was told is not told again, however long the alert is still shown', () => {
    const line = simple().fire('A').run('1m').resolve('A').run('30m')
    const again = simple({ notified: line.logged }).resolve('A').run('30m')
    expect(line.sent).toHaveLength(2)
    expect(again.sent).toEqual([])
  })
})

describe('routes', () => {
  const ROUTES = `
route:
  receiver: rest
  group_by: [alertname]
  group_wait: 0s
  routes:
    - { matchers: ['severity="critical"'], receiver: pager, continue: true }
    - { matchers: ['alertname=~"HCO.*"'], receiver: hco, group_by: ['...'] }
receivers:
  - { name: rest, ${HOOK} }
  - { name: pager, ${HOOK} }
  - { name: hco, ${HOOK} }
`
  test('an alert goes where its labels lead, and further where a route continues', () => {
    const line = new Timeline(configOf(ROUTES)).fire('X severity=critical', 'HCOa severity=critical', 'Y').run('1s')
    expect(line.sent.sort()).toEqual([
      '1s hco/webhook first: HCOa',
      '1s pager/webhook first: HCOa',
      '1s pager/webhook first: X',
      '1s rest/webhook first: Y',
    ])
    const marks = line.marksOf(alertOf('HCOa severity=critical', 'firing', 0))
    expect(marks.receivers).toEqual(['pager', 'hco'])
    expect(marks.decisions.map(({ receiver, sends }) => [receiver, sends])).toEqual([
      ['pager', true],
      ['hco', true],
    ])
  })

  test('the key of a group has its matchers', () => {
    const line = new Timeline(configOf(ROUTES)).fire('X severity=critical').run('1s')
    expect(line.groups().map(({ groupKey }) => groupKey)).toEqual(['{}/{severity="critical"}:{alertname="X"}'])
  })
})

describe('what keeps an alert quiet', () => {
  const INHIBITING = `${SIMPLE}
inhibit_rules: [{ source_matchers: ['severity=critical'], target_matchers: ['severity=warning'], equal: [cluster] }]
`
  test('an alert that explains it, on the same cluster, as long as it fires', () => {
    const line = new Timeline(configOf(INHIBITING))
    line
      .fire('Big severity=critical cluster=east', 'Small severity=warning cluster=east', 'Other severity=warning')
      .run('1m')
    expect(line.sent.sort()).toEqual(['31s hook/webhook first: Big', '31s hook/webhook first: Other'])
    expect(line.reasonOf('Small severity=warning cluster=east')).toMatch(/^hook holds inhibited_by: [0-9a-f]{16}$/)
    line.resolve('Big severity=critical cluster=east').run('5m')
    expect(line.sent.slice(2)).toEqual(['331s hook/webhook new_alerts: Small, resolved Big'])
  })

  test('two that match both sides do not silence each other', () => {
    const text = `${SIMPLE}\ninhibit_rules: [{ source_matchers: ['a=1'], target_matchers: ['a=1'] }]`
    expect(new Timeline(configOf(text)).fire('A a=1', 'B a=1').run('1m').sent).toEqual(['31s hook/webhook first: A B'])
  })

  test('a silence, with its id, and nothing of its end either', () => {
    const silenced = new Map([['A', 'silence-1']])
    const line = simple({ silenced }).fire('A', 'B').run('1m')
    expect(line.sent).toEqual(['31s hook/webhook first: B'])
    expect(line.reasonOf('A')).toBe('hook holds silenced_by: silence-1')
    silenced.delete('A')
    expect(line.run('5m').sent.slice(1)).toEqual(['331s hook/webhook new_alerts: A B'])
    silenced.set('A', 'silence-2')
    line.resolve('A').run('6m')
    expect(line.sent).toHaveLength(2)
  })

  test('a mute interval; afterwards it is told', () => {
    const text = `
route:
  receiver: hook
  routes: [{ group_wait: 30s, group_interval: 5m, mute_time_intervals: [morning] }]
receivers: [{ name: hook, ${HOOK} }]
time_intervals: [{ name: morning, time_intervals: [{ times: [{ start_time: '10:00', end_time: '10:20' }] }] }]
`
    const line = new Timeline(configOf(text)).fire('A').run('1m')
    expect(line.sent).toEqual([])
    expect(line.reasonOf('A')).toBe('hook holds muted_by: morning')
    expect(line.groups()[0]?.mutedBy).toEqual(['morning'])
    expect(line.run('25m').sent).toEqual(['1231s hook/webhook first: A'])
  })

  test('a route that is active at another time', () => {
    const text = `
route:
  receiver: hook
  routes: [{ group_wait: 30s, active_time_intervals: [weekend] }]
receivers: [{ name: hook, ${HOOK} }]
time_intervals: [{ name: weekend, time_intervals: [{ weekdays: [saturday, sunday] }] }]
`
    const line = new Timeline(configOf(text)).fire('A').run('10m')
    expect(line.sent).toEqual([])
    expect(line.reasonOf('A')).toBe('hook holds muted_by: weekend')
  })

  test('a healthy upgrade; when it is stuck, it pages', () => {
    const mark = { upgrade: 'a1b2', title: 'east from 1.16.0 to 1.17.0', phase: 'operands', reason: 'nodes roll over' }
    const expected = new Map([['LowReady', mark]])
    const line = simple({ expected }).fire('LowReady', 'Other').run('1m')
    expect(line.sent).toEqual(['31s hook/webhook first: Other'])
    expect(line.reasonOf('LowReady')).toBe('hook holds expected_in_upgrade: east from 1.16.0 to 1.17.0, phase operands')
    expect(line.marksOf(alertOf('LowReady', 'firing', 0)).expected).toEqual(mark)
    expected.clear()
    expect(line.run('5m').sent.slice(1)).toEqual(['331s hook/webhook new_alerts: LowReady Other'])
  })

  test('what an upgrade raised and ended is told to nobody', () => {
    const mark = { upgrade: 'u', title: 'east to 1.17.0', phase: 'operands', reason: 'r' }
    const expected = new Map([['LowReady', mark]])
    const line = simple({ expected }).fire('LowReady', 'Other').run('1m')
    expected.clear()
    line.resolve('LowReady').run('10m')
    expect(line.sent).toEqual(['31s hook/webhook first: Other'])
    expect(line.reasonOf('LowReady')).toMatch(/expected_in_upgrade: the alert resolved before the first notification/)
  })
})

test('an Alertmanager is told at every turn, so that it resolves nothing by itself', () => {
  const text = SIMPLE.replace(HOOK, 'alertmanager_configs: [{ urls: ["http://a:9093", "http://b:9093"] }]')
  const line = new Timeline(configOf(text)).fire('A').run('10m')
  expect(line.sent.map((sent) => sent.split(' ')[0])).toEqual(['31s', '31s', '331s', '331s'])
  expect(line.notifications[0]?.message.repeatIntervalMs).toBe(5 * 60_000)
})

describe('properties', () => {
  const names = ['A', 'B', 'C', 'A cluster=east', 'B cluster=east']
  const steps = fc.array(
    fc.record({
      name: fc.constantFrom(...names),
      does: fc.constantFrom('fire', 'resolve', 'wait', 'vanish', 'silence', 'speak'),
      forSeconds: fc.integer({ min: 1, max: 400 }),
    }),
    { maxLength: 25 },
  )

  test('whatever happens: a message has news or is due, and a restart at any moment repeats none', () => {
    fc.assert(
      fc.property(steps, fc.nat(25), (moves, restartAt) => {
        const silenced = new Map<string, string>()
        let line = simple({ silenced })
        const heard = new Set<string>()
        const fires = new Set<string>()
        const look = (from: number): void => {
          for (const { message, reason } of line.notifications.slice(from)) {
            const firing = message.alerts
              .filter(({ status }) => status === 'firing')
              .map(({ fingerprint }) => fingerprint)
            if (reason === 'new_alerts' || reason === 'first') expect(firing.some((one) => !heard.has(one))).toBe(true)
            for (const { fingerprint, status } of message.alerts) {
              if (status === 'firing') heard.add(fingerprint)
              else heard.delete(fingerprint)
            }
          }
        }
        for (const [i, { name, does, forSeconds }] of moves.entries()) {
          const before = line.notifications.length
          const alertname = labelsOf(name).get('alertname')
          if (does === 'fire') fires.add(name)
          else if (does !== 'silence' && does !== 'speak') fires.delete(name)
          if (does === 'silence') silenced.set(alertname, 's')
          else if (does === 'speak') silenced.delete(alertname)
          else line[does](name)
          line.run(`${forSeconds}s`)
          look(before)
          if (i === restartAt) {
            const { nowMs } = line
            const next = simple({ silenced, notified: line.logged })
            next.nowMs = nowMs
            next.fire(...fires)
            line = next
          }
        }
        // In the end everything that fires and is not silenced has been told.
        silenced.clear()
        const before = line.notifications.length
        line.run('11m')
        look(before)
        for (const name of fires) expect(heard).toContain(alertOf(name, 'firing', 0).fingerprint)
      }),
      { numRuns: 60 },
    )
  })
})
