// Jobs that no session has taken yet, oldest first.

export interface JobQueue<Job> {
  readonly size: number;
  push(job: Job): void;
  first(): Job | undefined;
  removeFirst(): void;
  /** Removes and returns the jobs that match. */
  removeAll(matches: (job: Job) => boolean): Job[];
}

/** An array with a head: `shift` would move every other job. */
export function createJobQueue<Job>(): JobQueue<Job> {
  const jobs: Job[] = [];
  let head = 0;
  return {
    get size() {
      return jobs.length - head;
    },
    push: (job) => void jobs.push(job),
    first: () => jobs[head],
    removeFirst() {
      head += 1;
      if (head < jobs.length) return;
      jobs.length = 0;
      head = 0;
    },
    removeAll(matches) {
      const waiting = jobs.splice(0).slice(head);
      head = 0;
      const removed: Job[] = [];
      for (const job of waiting) (matches(job) ? removed : jobs).push(job);
      return removed;
    },
  };
}
