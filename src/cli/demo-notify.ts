/** The demo's notification configuration: a typical route to simulated receivers. */
export function demoNotifyConfig(receiversUrl: string): string {
  return `# Written by \`daytwo demo\`. It is an Alertmanager configuration file; the addresses are the simulated receivers'.
route:
  receiver: chat
  group_by: [alertname, cluster]
  group_wait: 10s
  group_interval: 1m
  repeat_interval: 4h
  routes:
    - receiver: pager
      matchers: [severity="critical"]
      continue: true
    - receiver: none
      matchers: [severity="info"]
    - receiver: chat
      matchers: [severity="warning", cluster=~".*-lab-.*"]
      mute_time_intervals: [night]
inhibit_rules:
  # A silent cluster fires only the alert about its silence.
  - source_matchers: [alertname="DaytwoClusterSilent"]
    target_matchers: [alertname!="DaytwoClusterSilent"]
    equal: [cluster]
time_intervals:
  - name: night
    time_intervals:
      - times: [{ start_time: '20:00', end_time: '24:00' }, { start_time: '00:00', end_time: '06:00' }]
receivers:
  - name: pager
    pagerduty_configs:
      - routing_key: simulated
        url: ${receiversUrl}/pager
  - name: chat
    slack_configs:
      - api_url: ${receiversUrl}/chat
        channel: '#fleet'
  - name: none
`
}
