import type { WordTable } from './word-table.js';

export const batchWords = {
  'batches.lead': ['Sends that belong together, summed up.', '同一批发送的汇总。'],
  'batches.empty': ['No batches yet', '还没有批次'],
  'batches.emptyHint': [
    'Give sends the same batch_id, and they appear here as one.',
    '为发送指定相同的 batch_id，即可在此汇总。',
  ],
  'batches.ended': ['Ended', '结束时间'],
  'batches.tasks': ['Show its tasks', '查看任务'],
  'batches.some': ['For {count} of its {tasks} {tasks:task|tasks}.', '对 {tasks} 个任务中的 {count} 个执行。'],
  'batchAction.prepare': ['Prepare all', '全部准备'],
  'batchAction.freeze': ['Freeze money for all', '全部冻结'],
  'batchAction.submit': ['Submit all', '全部提交'],
  'batchAction.pause': ['Pause all', '全部暂停'],
  'batchAction.resume': ['Resume all', '全部恢复'],
  'batchAction.cancel': ['Cancel all', '全部取消'],
} as const satisfies WordTable;
