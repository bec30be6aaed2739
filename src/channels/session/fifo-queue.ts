// A first-in, first-out queue whose items can be removed by a condition.

export interface FifoQueue<Item> {
  readonly size: number;
  push(item: Item): void;
  first(): Item | undefined;
  removeFirst(): void;
  /** Removes and returns the items that match. */
  removeAll(matches: (item: Item) => boolean): Item[];
}

/** An array with a head: `shift` would move every other item. */
export function createFifoQueue<Item>(): FifoQueue<Item> {
  const items: Item[] = [];
  let head = 0;
  return {
    get size() {
      return items.length - head;
    },
    push: (item) => void items.push(item),
    first: () => items[head],
    removeFirst() {
      head += 1;
      if (head < items.length) return;
      items.length = 0;
      head = 0;
    },
    removeAll(matches) {
      const waiting = items.splice(0).slice(head);
      head = 0;
      const removed: Item[] = [];
      for (const item of waiting) (matches(item) ? removed : items).push(item);
      return removed;
    },
  };
}
