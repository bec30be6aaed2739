// Why numbers came to their end: by a code of the service's own, else by the result that an upstream's code led to.

import type { WordTable } from './word-table.js';

export const reasonWords = {
  'reason.invalid_number': ['The phone is not a valid number.', '不是有效的号码。'],
  'reason.duplicate_number': ['The number appears earlier in the task.', '任务中已有相同的号码。'],
  'reason.no_route': ["None of the customer's channels reaches this number.", '没有可用通道能到达此号码。'],
  'reason.text_too_long': ['The text needs more than 255 segments.', '文本超过 255 条，手机无法合并显示。'],
  'reason.not_accepted': [
    'The carrier did not confirm in time that it accepted the message.',
    '运营商未及时确认已接收。',
  ],
  'reason.no_receipt': [
    'The carrier accepted the message but did not report the result in time.',
    '运营商已接收，但未及时报告结果。',
  ],
  'reason.no_channel': ['The channel was down and did not come back in time.', '通道中断，且未及时恢复。'],
  'reason.cancelled': ['The task was cancelled before the message was sent.', '发送之前任务已取消。'],
  'reason.expired_unsent': ['The message could not be sent before its deadline.', '在截止时间之前未能发送。'],
  'reason.delivered': ['Delivered to the handset.', '短信已送达手机。'],
  'reason.undelivered': ['The carrier reported that the message could not be delivered.', '运营商报告短信无法送达。'],
  'reason.expired': ['The carrier gave up before delivery.', '运营商在送达之前已放弃。'],
  'reason.rejected': ['The carrier rejected the message.', '运营商拒绝了短信。'],
} as const satisfies WordTable;
