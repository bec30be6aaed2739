// What a button does, what it will do, and what it costs.

import type { WordTable } from './word-table.js';

export const actionWords = {
  'action.prepare': ['Prepare', '预处理'],
  'action.freeze': ['Reserve funds', '冻结资金'],
  'action.submit': ['Submit', '提交'],
  'action.cancel': ['Cancel task', '取消任务'],
  'action.pause': ['Pause', '暂停'],
  'action.resume': ['Resume', '恢复'],
  'action.prepareHint': [
    'Validates, routes and prices {total} {total:number|numbers}. No money moves and nothing is sent.',
    '校验、选路并计价 {total} 个号码。不动用资金，也不发送。',
  ],
  'action.freezeHint': [
    'Reserves the full price of the task, or nothing if the balance is too low. Nothing is sent yet.',
    '冻结任务全部金额，余额不足则不冻结。此时不发送。',
  ],
  'action.freezePrice': ['Reserves {amount} of the available balance.', '从可用余额中冻结 {amount}。'],
  'action.submitHint': [
    "Sends to {unsent} {unsent:number|numbers}. Sent messages can't be recalled.",
    '向 {unsent} 个号码发送。已发送的短信无法撤回。',
  ],
  'action.cancelHint': [
    '{unsent} {unsent:number|numbers} will not be sent, and their money is released. Messages already with the carrier finish.',
    '{unsent} 个号码将不再发送，并解冻资金。已提交运营商的会继续完成。',
  ],
  'action.pauseHint': ['No new messages are sent until you resume.', '恢复之前不再发送新短信。'],
  'action.resumeHint': ['Sending resumes.', '继续发送。'],
  'action.back': ['Go back', '返回'],
  'action.done': ['Done', '完成'],
  'action.failed': ['The action failed', '操作失败'],
  'action.close': ['Close', '关闭'],
} as const satisfies WordTable;
