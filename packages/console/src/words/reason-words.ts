// Why numbers came to their end: by a code of the service's own, else by the result that an upstream's code led to.

import type { WordTable } from './word-table.js';

export const reasonWords = {
  'reason.invalid_number': ['The phone is not a valid number.', '不是有效的号码。'],
  'reason.duplicate_number': ['The same number comes earlier in the task.', '任务中已有相同的号码。'],
  'reason.no_route': ['No channel that the customer may use serves this number.', '没有可用通道能到达此号码。'],
  'reason.opted_out': ['The recipient has opted out of messages of this customer.', '收件人已退订。'],
  'reason.text_too_long': [
    'The text takes more than 255 parts, the most that can be joined on a handset.',
    '文本超过 255 条，手机无法合并显示。',
  ],
  'reason.not_accepted': [
    'The upstream did not confirm in time that it accepted the message.',
    '上游未及时确认已接收。',
  ],
  'reason.no_receipt': [
    'The upstream accepted the message and did not report its outcome in time.',
    '上游已接收，但未及时报告结果。',
  ],
  'reason.no_channel': [
    'The channel of the message was gone, and did not come back in time.',
    '通道中断，且未及时恢复。',
  ],
  'reason.cancelled': ['The task was cancelled before the message was handed over.', '提交之前任务已取消。'],
  'reason.expired_unsent': ['The message could not be handed over before its time was up.', '在截止时间之前未能提交。'],
  'reason.delivered': ['The message was delivered to the handset.', '消息已送达手机。'],
  'reason.undelivered': ['The upstream reported that the message could not be delivered.', '上游报告消息无法送达。'],
  'reason.expired': ['The upstream gave up before the message could be delivered.', '上游在送达之前已放弃。'],
  'reason.rejected': ['The upstream refused the message.', '上游拒绝了消息。'],
} as const satisfies WordTable;
