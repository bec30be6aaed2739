// Preloaded into a process of a scenario: its monotonic clock does not count the time in which the process was stopped, like that of a
// machine that was suspended or migrated.
const STOPPED_MS = 20_000;
const trueNow = performance.now.bind(performance);
let last = trueNow();
let missed = 0;

performance.now = () => {
  const now = trueNow();
  if (now - last > STOPPED_MS) missed += now - last;
  last = now;
  return now - missed;
};
setInterval(() => performance.now(), 500).unref();
