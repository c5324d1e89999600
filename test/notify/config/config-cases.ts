/** Configuration files, good and bad, with what is said of the bad ones. Shared with the comparison with amtool. */
export interface ConfigCase {
  readonly name: string
  readonly text: string
  /** Absent: it can be used. */
  readonly error?: RegExp
  /** Why amtool 0.25 answers differently, where it does. */
  readonly differs?: string
}

const MINIMAL = `
route:
  receiver: a
receivers:
  - name: a
`

const withRoute = (lines: string): string => `
route:
  receiver: a
  routes:
    - receiver: a
${lines
  .trim()
  .split('\n')
  .map((line) => `      ${line}`)
  .join('\n')}
receivers:
  - name: a
`

const withReceiver = (lines: string, global = ''): string => `
${global}
route:
  receiver: a
receivers:
  - name: a
${lines
  .trim()
  .split('\n')
  .map((line) => `    ${line}`)
  .join('\n')}
`

const withInterval = (lines: string): string => `
${MINIMAL}
time_intervals:
  - name: t
    time_intervals:
      - ${lines.trim().split('\n').join('\n        ')}
`

export const GOOD_CONFIGS: readonly ConfigCase[] = [
  { name: 'the least there can be', text: MINIMAL },
  {
    name: 'matchers in both syntaxes, old ones too',
    text: withRoute(`
match: { severity: critical }
match_re: { alertname: "HCO.*" }
matchers: [ 'team="virt"', region=~"eu|us", '{a!="b", c!~"d.*"}' ]
continue: true
group_by: [alertname, cluster]
group_wait: 0s
group_interval: 1m30s
repeat_interval: 1d
`),
  },
  { name: 'all labels as the group', text: withRoute("group_by: ['...']") },
  { name: 'a value that begins like an operator', text: withRoute("matchers: [ 'a==b' ]") },
  { name: 'an empty list of matchers', text: withRoute('matchers: []') },
  { name: 'a bare value and an empty one', text: withRoute(`matchers: [ 'a=b', 'c=""' ]`) },
  { name: 'a value with a comma and quotes', text: withRoute(String.raw`matchers: [ 'a="x, \"y\" z"' ]`) },
  {
    name: 'time intervals of every kind',
    text: `
route:
  receiver: a
  routes:
    - mute_time_intervals: [nights]
      active_time_intervals: [office]
receivers: [{ name: a }]
time_intervals:
  - name: office
    time_intervals:
      - times: [{ start_time: '08:00', end_time: '17:00' }]
        weekdays: ['monday:friday', sunday]
        days_of_month: ['1:15', '-3:-1', 31]
        months: ['january:march', may, '8']
        years: [2026, '2027:2030']
        location: Europe/Prague
mute_time_intervals:
  - name: nights
    time_intervals:
      - times: [{ start_time: '22:00', end_time: '24:00' }]
`,
  },
  {
    name: 'inhibition',
    text: `
${MINIMAL}
inhibit_rules:
  - source_matchers: [ severity="critical" ]
    target_matchers: [ severity=~"warning|info" ]
    equal: [alertname, cluster]
  - source_match: { severity: critical }
    target_match_re: { severity: "warn.*" }
`,
  },
  {
    name: 'receivers of every kind',
    text: withReceiver(
      `
webhook_configs:
  - url: http://127.0.0.1:9/hook
    send_resolved: false
    max_alerts: 10
    http_config:
      basic_auth: { username: me, password: hunter2 }
      tls_config: { insecure_skip_verify: true, server_name: hook }
      follow_redirects: false
slack_configs:
  - channel: '#alerts'
    title: '{{ .CommonLabels.alertname }}'
    fields: [{ title: cluster, value: '{{ .CommonLabels.cluster }}', short: true }]
    actions: [{ type: button, text: Runbook, url: 'https://example.com' }]
pagerduty_configs:
  - routing_key: 0123456789abcdef
    details: { cluster: '{{ .CommonLabels.cluster }}' }
    images: [{ src: 'https://example.com/a.png' }]
    links: [{ href: 'https://example.com', text: more }]
email_configs:
  - to: oncall@example.com
    headers: { Subject: '{{ .Status }}' }
    require_tls: false
`,
      `
global:
  slack_api_url: https://hooks.slack.example/services/T0/B0/abcdef
  smtp_smarthost: mail.example.com:587
  smtp_from: alerts@example.com
  smtp_auth_username: alerts
  smtp_auth_password: hunter2
  resolve_timeout: 10m
`,
    ),
  },
  {
    name: 'teams, files for secrets, a time limit',
    text: withReceiver(`
msteams_configs:
  - webhook_url: https://teams.example/hook/abcdef
msteamsv2_configs:
  - webhook_url_file: teams.url
webhook_configs:
  - url_file: hook.url
    timeout: 10s
`),
    differs: 'Alertmanager has them since 0.26 to 0.28',
  },
  {
    name: 'an Alertmanager as a receiver',
    text: withReceiver('alertmanager_configs:\n  - urls: [http://am-0:9093, http://am-1:9093]'),
    differs: 'ours alone',
  },
  {
    name: 'matchers of any UTF-8',
    text: withRoute(`matchers: [ '"k8s.cluster.name"="lab"', 'ключ=~"a"' ]`),
    differs: 'Alertmanager has them since 0.27',
  },
]

export const BAD_CONFIGS: readonly ConfigCase[] = [
  { name: 'an empty file', text: '', error: /there is no route/ },
  { name: 'no route', text: 'receivers: [{ name: a }]', error: /there is no route/ },
  { name: 'YAML that cannot be read', text: 'route: {receiver: a', error: /./ },
  { name: 'an unknown key', text: `${MINIMAL}\nrecievers: []`, error: /unknown key "recievers"/ },
  { name: 'an unknown key in a route', text: withRoute('group_bye: [a]'), error: /unknown key "group_bye"/ },
  { name: 'a key twice', text: `${MINIMAL}\nroute: { receiver: a }`, error: /unique/ },
  {
    name: 'no receiver at the root',
    text: 'route: {}\nreceivers: [{ name: a }]',
    error: /root route needs a receiver/,
  },
  {
    name: 'a receiver that is not there',
    text: 'route: { receiver: b }\nreceivers: [{ name: a }]',
    error: /no receiver named "b"/,
  },
  {
    name: 'a receiver that is not there, further down',
    text: withRoute('routes: [{ receiver: zz }]'),
    error: /no receiver named "zz"/,
  },
  {
    name: 'matchers at the root',
    text: 'route: { receiver: a, matchers: [ "a=b" ] }\nreceivers: [{ name: a }]',
    error: /root route cannot have matchers/,
  },
  {
    name: 'old matchers at the root',
    text: 'route: { receiver: a, match: { a: b } }\nreceivers: [{ name: a }]',
    error: /root route cannot have matchers/,
  },
  {
    name: 'continue at the root',
    text: 'route: { receiver: a, continue: true }\nreceivers: [{ name: a }]',
    error: /root route cannot continue/,
  },
  {
    name: 'a muted root',
    text: `route: { receiver: a, mute_time_intervals: [t] }\nreceivers: [{ name: a }]\ntime_intervals: [{ name: t, time_intervals: [{ months: [may] }] }]`,
    error: /root route cannot be muted/,
  },
  {
    name: 'an active root',
    text: `route: { receiver: a, active_time_intervals: [t] }\nreceivers: [{ name: a }]\ntime_intervals: [{ name: t, time_intervals: [{ months: [may] }] }]`,
    error: /root route is always active/,
  },
  {
    name: 'a receiver twice',
    text: 'route: { receiver: a }\nreceivers: [{ name: a }, { name: a }]',
    error: /two receivers named "a"/,
  },
  {
    name: 'a receiver without a name',
    text: 'route: { receiver: a }\nreceivers: [{ name: a }, {}]',
    error: /receiver needs a name/,
  },
  {
    name: 'an interval that is not there',
    text: withRoute('mute_time_intervals: [nights]'),
    error: /no time interval named "nights"/,
  },
  {
    name: 'an interval twice',
    text: `${MINIMAL}\ntime_intervals: [{ name: t, time_intervals: [] }, { name: t, time_intervals: [] }]`,
    error: /two time intervals named "t"/,
  },
  { name: 'a matcher without an operator', text: withRoute("matchers: [ 'alertname' ]"), error: /bad matcher/ },
  { name: 'a bad pattern', text: withRoute(`matchers: [ 'a=~"("' ]`), error: /bad matcher.*bad pattern/ },
  { name: 'a lookahead', text: withRoute(`matchers: [ 'a=~"(?=x)"' ]`), error: /bad matcher/ },
  { name: 'an open quote', text: withRoute(`matchers: [ 'a="b' ]`), error: /bad matcher/ },
  { name: 'a bad old pattern', text: withRoute('match_re: { a: "[" }'), error: /bad pattern/ },
  { name: 'a bad label name', text: withRoute('match: { "a-b": c }'), error: /not a label name/ },
  { name: 'a bad duration', text: withRoute('group_wait: soon'), error: /want a duration/ },
  { name: 'a duration without a unit', text: withRoute('group_wait: 30'), error: /want a duration/ },
  { name: 'no time between messages', text: withRoute('group_interval: 0s'), error: /group_interval cannot be 0/ },
  { name: 'no time before repeating', text: withRoute('repeat_interval: 0s'), error: /repeat_interval cannot be 0/ },
  { name: 'a label twice in a group', text: withRoute('group_by: [a, a]'), error: /is in group_by twice/ },
  { name: 'all labels and one more', text: withRoute("group_by: ['...', a]"), error: /excludes other names/ },
  { name: 'matchers that are no list', text: withRoute('matchers: severity=critical'), error: /want a list/ },
  {
    name: 'a webhook without an address',
    text: withReceiver('webhook_configs: [{ send_resolved: true }]'),
    error: /needs url or url_file/,
  },
  {
    name: 'a webhook to nowhere',
    text: withReceiver('webhook_configs: [{ url: "example.com" }]'),
    error: /want an address/,
  },
  {
    name: 'slack without an address',
    text: withReceiver("slack_configs: [{ channel: '#a' }]"),
    error: /needs api_url, or slack_api_url/,
  },
  {
    name: 'slack with two addresses',
    text: withReceiver("slack_configs: [{ api_url: 'https://example.com/x', api_url_file: y }]"),
    error: /at most one of api_url, api_url_file/,
  },
  {
    name: 'a slack field without a value',
    text: withReceiver("slack_configs: [{ api_url: 'https://example.com/x', fields: [{ title: a }] }]"),
    error: /needs a value/,
  },
  {
    name: 'a slack action without a target',
    text: withReceiver("slack_configs: [{ api_url: 'https://example.com/x', actions: [{ type: button, text: a }] }]"),
    error: /needs a url or a name/,
  },
  {
    name: 'pagerduty without a key',
    text: withReceiver('pagerduty_configs: [{ client: a }]'),
    error: /needs routing_key/,
  },
  {
    name: 'email to nobody',
    text: withReceiver('email_configs: [{ from: a@b.c, smarthost: "m:25" }]'),
    error: /needs to/,
  },
  {
    name: 'email from nobody',
    text: withReceiver('email_configs: [{ to: a@b.c, smarthost: "m:25" }]'),
    error: /needs from/,
  },
  {
    name: 'email by no server',
    text: withReceiver('email_configs: [{ to: a@b.c, from: a@b.c }]'),
    error: /needs smarthost/,
  },
  {
    name: 'a mail server without a port',
    text: withReceiver('email_configs: [{ to: a@b.c, from: a@b.c, smarthost: mail }]'),
    error: /want an address such as mail/,
  },
  {
    name: 'a header twice',
    text: withReceiver(
      'email_configs: [{ to: a@b.c, from: a@b.c, smarthost: "m:25", headers: { Subject: a, subject: b } }]',
    ),
    error: /header Subject is given twice/,
  },
  {
    name: 'two ways to authenticate',
    text: withReceiver(
      'webhook_configs: [{ url: "http://h/", http_config: { basic_auth: { username: a }, bearer_token: b } }]',
    ),
    error: /at most one of basic_auth/,
  },
  {
    name: 'basic as an authorization',
    text: withReceiver('webhook_configs: [{ url: "http://h/", http_config: { authorization: { type: Basic } } }]'),
    error: /cannot be Basic/,
  },
  {
    name: 'a word for a switch',
    text: withReceiver('webhook_configs: [{ url: "http://h/", send_resolved: perhaps }]'),
    error: /want true or false/,
  },
  { name: 'a day that is none', text: withInterval('weekdays: [someday]'), error: /want days of the week/ },
  {
    name: 'a week that goes backwards',
    text: withInterval("weekdays: ['friday:monday']"),
    error: /end is not before its start/,
  },
  { name: 'the day 0', text: withInterval('days_of_month: ["0"]'), error: /want days of the month/ },
  { name: 'the day 32', text: withInterval('days_of_month: ["32"]'), error: /want days of the month/ },
  {
    name: 'days that end before they start',
    text: withInterval("days_of_month: ['10:5']"),
    error: /not always before the start/,
  },
  {
    name: 'days from the end to the start',
    text: withInterval("days_of_month: ['-3:5']"),
    error: /negative when the start is/,
  },
  {
    name: 'the thirteenth month',
    text: withInterval("months: ['13']"),
    error: /want months/,
    differs: 'takes it, and it never comes',
  },
  { name: 'years that go backwards', text: withInterval("years: ['2030:2026']"), error: /end is not before its start/ },
  {
    name: 'half past 24',
    text: withInterval("times: [{ start_time: '08:00', end_time: '24:30' }]"),
    error: /00:00 to 24:00/,
  },
  {
    name: 'a night that ends before it starts',
    text: withInterval("times: [{ start_time: '22:00', end_time: '06:00' }]"),
    error: /ends before it starts/,
  },
  {
    name: 'a time without an end',
    text: withInterval("times: [{ start_time: '22:00' }]"),
    error: /needs start_time and end_time/,
  },
  { name: 'a place that is not there', text: withInterval('location: Europe/Atlantis'), error: /want a time zone/ },
  {
    name: 'a template that cannot be read',
    text: withReceiver("slack_configs: [{ api_url: 'https://h/x', title: '{{ .Foo' }]"),
    error: /template in title/,
    differs: 'looks at it when a message is sent',
  },
  {
    name: 'a function that is not there',
    text: withReceiver("slack_configs: [{ api_url: 'https://h/x', title: '{{ shout .Status }}' }]"),
    error: /function "shout" not defined/,
    differs: 'looks at it when a message is sent',
  },
  {
    name: 'a receiver we do not have',
    text: withReceiver('pushover_configs: [{ token: a, user_key: b }]'),
    error: /not offered here/,
    differs: 'has it',
  },
  {
    name: 'a proxy',
    text: withReceiver('webhook_configs: [{ url: "http://h/", http_config: { proxy_url: "http://p/" } }]'),
    error: /not offered here/,
    differs: 'has it',
  },
  {
    name: 'the first PagerDuty API',
    text: withReceiver('pagerduty_configs: [{ service_key: a }]'),
    error: /Events API v1/,
    differs: 'has it',
  },
]
