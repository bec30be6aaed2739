// Keys of tenant rows for statements about many of them, as `k`.

import { defineRows } from './bulk-rows.js';

export const TASK_KEYS = defineRows('k', { customerId: 'bigint', taskId: 'bigint' });

export const REQUEST_KEYS = defineRows('k', { customerId: 'bigint', requestKey: 'text' });

export const CHUNK_KEYS = defineRows('k', { customerId: 'bigint', taskId: 'bigint', chunkNo: 'int' });

export const NUMBER_KEYS = defineRows('k', { customerId: 'bigint', taskId: 'bigint', seq: 'int' });

export const PART_KEYS = defineRows('k', { customerId: 'bigint', taskId: 'bigint', seq: 'int', part: 'int' });
