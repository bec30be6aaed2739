// Bugs in the rules of sending, which the customer with every rule brings to light.

import type { PlantedBug } from './planted-bug.js';

/** Nothing fails in these runs: the rules are broken on a quiet day too. */
const QUIET = { faults: [], seconds: 12 } as const;

export const RULED_BUGS: readonly PlantedBug[] = [
  {
    name: 'caps-ignored',
    caughtBy: ['no number is above its cap'],
    changes: [{ file: 'domain/rules/caps.js', find: 'if (!isWithin && !isExempt(phoneKey))', replace: 'if (false)' }],
    ...QUIET,
  },
  {
    name: 'caps-counted-without-lock',
    caughtBy: ['no number is above its cap'],
    changes: [
      {
        file: 'pipeline/prepare/prepare-batch.js',
        find: 'isCounted ? await lock(tasks) : undefined',
        replace: 'undefined',
      },
      // Everything goes the way of the workers.
      { file: 'pipeline/accept/express.js', find: 'const MAX_NUMBERS = 10;', replace: 'const MAX_NUMBERS = 0;' },
    ],
    ...QUIET,
    seconds: 25,
  },
  {
    name: 'window-ignored',
    caughtBy: ['nothing is handed over outside a window'],
    changes: [
      { file: 'domain/rules/send-windows.js', find: 'if (windows.length === 0)', replace: 'if (windows.length >= 0)' },
    ],
    ...QUIET,
  },
  {
    name: 'blocked-words-skipped',
    caughtBy: ['a text with a blocked word'],
    changes: [
      { file: 'sending-rules/blocked-words/rule.js', find: 'if (find === undefined)', replace: 'if (find !== null)' },
    ],
    ...QUIET,
  },
  {
    name: 'blocked-words-compared-as-written',
    caughtBy: ['a text with a blocked word'],
    changes: [
      {
        file: 'domain/rules/blocked-words.js',
        find: "return even.toLowerCase().replace(BLANKS, '');",
        replace: 'return even.toLowerCase();',
      },
    ],
    ...QUIET,
  },
  {
    name: 'price-before-its-date',
    caughtBy: ['a number has the price'],
    changes: [{ file: 'domain/money/rates.js', find: 'validFrom <= at', replace: 'validFrom !== at' }],
    ...QUIET,
  },
  {
    name: 'filing-ignored',
    caughtBy: ['a channel that requires a filing', 'what is said to be accepted of a task with rules'],
    changes: [{ file: 'store/snapshot/view.js', find: 'if (!channel.requiresFiling)', replace: 'if (true)' }],
    ...QUIET,
  },
];
