// A semaphore: limits how many run at a time; the others wait in order.

export interface Gate {
  enter(): Promise<void>;
  leave(): void;
}

export function createGate(places: number): Gate {
  const queue: (() => void)[] = [];
  let free = places;
  return {
    enter: () =>
      new Promise((resolve) => {
        if (free === 0) return queue.push(resolve);
        free -= 1;
        resolve();
      }),
    leave() {
      const next = queue.shift();
      if (next === undefined) free += 1;
      else next();
    },
  };
}
