import type { WordTable } from './word-table.js';

export const batchWords = {
  'batches.lead': ['Totals of sends that share a batch ID.', '同一批次发送的汇总。'],
  'batches.empty': ['No batches yet', '还没有批次'],
  'batches.emptyHint': [
    'Sends with the same batch_id appear here as one batch.',
    '使用相同 batch_id 的发送会在此汇总。',
  ],
  'batches.ended': ['Ended', '结束时间'],
  'batches.tasks': ['View tasks', '查看任务'],
  'batches.some': ['Applies to {count} of {tasks} {tasks:task|tasks}.', '对 {tasks} 个任务中的 {count} 个执行。'],
  'batches.deleted': [
    '{count} earlier {count:task|tasks} deleted with the history of {count:its month|their months}, and left out of the totals.',
    '另有 {count} 个较早的任务已随历史月份删除，不计入汇总。',
  ],
  'batchAction.prepare': ['Prepare all', '全部预处理'],
  'batchAction.freeze': ['Reserve funds for all', '全部冻结'],
  'batchAction.submit': ['Submit all', '全部提交'],
  'batchAction.pause': ['Pause all', '全部暂停'],
  'batchAction.resume': ['Resume all', '全部恢复'],
  'batchAction.cancel': ['Cancel all', '全部取消'],
} as const satisfies WordTable;
