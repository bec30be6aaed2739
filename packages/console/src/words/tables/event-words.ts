// The events of webhooks. The tables of the guides follow from these words.

import type { WebhookEvent } from '@postrider/client';
import type { WordTable } from './word-table.js';

export const eventWords = {
  'webhookEvent.receipts': ['Receipts', '回执'],
  'webhookEventHint.receipts': ['Up to 500 receipts', '最多 500 条回执'],
  'webhookEvent.uplinks': ['Replies', '回复'],
  'webhookEventHint.uplinks': ['Up to 500 messages that people sent', '最多 500 条回复'],
  'webhookEvent.task.finished': ['Task finished', '任务结束'],
  'webhookEventHint.task.finished': ['A task is completed, failed or cancelled', '任务已完成、失败或取消'],
  'webhookEvent.batch.finished': ['Batch finished', '批次结束'],
  'webhookEventHint.batch.finished': ['The last open task of a batch has ended', '批次中最后一个未结束的任务已结束'],
  'webhookEvent.account.low': ['Low balance', '余额不足'],
  'webhookEventHint.account.low': [
    'The available balance has fallen below the mark that the operator set',
    '可用余额低于平台设置的预警值',
  ],
  'webhookEvent.template.reviewed': ['Template reviewed', '模板审核结果'],
  'webhookEventHint.template.reviewed': [
    'The operator has approved or rejected a template that you submitted',
    '平台审核通过或驳回了您提交的模板',
  ],
  'webhookEvent.statement.ready': ['Statement final', '对账单定稿'],
  'webhookEventHint.statement.ready': [
    'A month of your billing time zone is over: its statement changes no more',
    '按您的计费时区，一个月已结束：该月对账单已定稿',
  ],
  'webhookEvent.webhook.disabled': ['Webhook disabled', 'Webhook 停用'],
  'webhookEventHint.webhook.disabled': [
    'Another endpoint of yours was disabled because its calls failed',
    '您的另一个地址因推送失败已被停用',
  ],
} as const satisfies WordTable & Record<`webhookEvent${'' | 'Hint'}.${WebhookEvent}`, unknown>;

/** In the order in which they are offered. */
export const WEBHOOK_EVENTS = Object.keys(eventWords).flatMap((word) => {
  const [, event] = /^webhookEvent\.(.*)$/.exec(word) ?? [];
  return event === undefined ? [] : [event as WebhookEvent];
});
