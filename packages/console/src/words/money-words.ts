import type { WordTable } from './word-table.js';

export const moneyWords = {
  'ledgerPage.lead': [
    'Every ledger entry with the balance after it, numbered without gaps.',
    '每一笔资金变动及变动后的余额，编号连续。',
  ],
  'ledgerPage.frozenNote': ['held for tasks in progress', '为进行中的任务冻结'],
  'ledgerPage.terms': ['Billing', '计费方式'],
  'billing.prepaid': ['Prepaid', '预付费'],
  'billing.postpaid': ['Postpaid', '后付费'],
  'chargeOn.submit': ['charged when the carrier accepts', '运营商接收时扣费'],
  'chargeOn.delivery': ['charged when delivered', '送达时扣费'],

  'statement.title': ['Statement {month}', '{month} 对账单'],
  'statement.lead': ['A month of UTC, from its opening to its closing balance.', '按 UTC 月份，从期初余额到期末余额。'],
  'statement.previous': ['Previous month', '上个月'],
  'statement.next': ['Next month', '下个月'],
  'statement.opening': ['Opening', '期初'],
  'statement.closing': ['Closing', '期末'],
  'statement.entries': ['Entries', '账目'],
  'statement.count': ['Count', '笔数'],
  'statement.day': ['Day', '日期'],
  'statement.days': ['By day', '按日'],
  'statement.templates': ['By template', '按模板'],
  'statement.firms': ['By carrier', '按运营商'],
  'sum.total': ['Numbers', '号码数'],
  'sum.delivered': ['Delivered', '已送达'],
  'sum.undelivered': ['Undelivered', '未送达'],
  'sum.expired': ['Expired', '已过期'],
  'sum.rejected': ['Rejected', '被拒绝'],
  'sum.parts': ['Segments', '条数'],
  'sum.charged': ['Charged', '已扣费'],
} as const satisfies WordTable;
