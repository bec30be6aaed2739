// What a button does, what it will do, and what it costs.

import type { WordTable } from './word-table.js';

export const actionWords = {
  'action.prepare': ['Prepare', '准备'],
  'action.freeze': ['Freeze money', '冻结资金'],
  'action.submit': ['Submit', '提交'],
  'action.cancel': ['Cancel task', '取消任务'],
  'action.pause': ['Pause', '暂停'],
  'action.resume': ['Resume', '恢复'],
  'action.prepareHint': [
    'Checks, routes and prices {total} {total:number|numbers}. No money moves and nothing is sent.',
    '检查、选路并计价 {total} 个号码。不动资金，也不发送。',
  ],
  'action.freezeHint': [
    'Sets the price of the task aside in the account, all or nothing. Nothing is sent yet.',
    '从账户中冻结任务所需金额，全部或不冻结。此时不发送。',
  ],
  'action.freezePrice': ['Takes {amount} from what is available.', '从可用余额中冻结 {amount}。'],
  'action.submitHint': [
    'Hands {unsent} {unsent:number|numbers} over to the upstream. What was handed over cannot be called back.',
    '向上游提交 {unsent} 个号码。已提交的无法撤回。',
  ],
  'action.cancelHint': [
    '{unsent} {unsent:number|numbers} will not be sent, and their money is released. What is under way finishes.',
    '{unsent} 个号码将不再发送，并解冻资金。已在途的会继续完成。',
  ],
  'action.pauseHint': ['Nothing new is handed over until it is resumed.', '恢复之前不再提交新的号码。'],
  'action.resumeHint': ['Handing over goes on.', '继续提交。'],
  'action.back': ['Go back', '返回'],
  'action.done': ['Done', '完成'],
  'action.failed': ['It was not done', '未执行'],
  'action.close': ['Close', '关闭'],
} as const satisfies WordTable;
