// What is wrong with a field, by the code of the fault. The service says which bound it is in English.

import type { WordTable } from './word-table.js';

export const faultWords = {
  'fault.required': ['required', '必填'],
  'fault.type': ['of another type', '类型不正确'],
  'fault.too_long': ['too long', '过长'],
  'fault.too_short': ['too short', '过短'],
  'fault.too_many': ['too many', '过多'],
  'fault.too_few': ['too few', '过少'],
  'fault.out_of_range': ['out of range', '超出允许范围'],
  'fault.format': ['not in the right form', '格式不正确'],
  'fault.exactly_one_of': ['exactly one of them', '只能且必须填写其中一项'],
  'fault.not_allowed_together': ['not together', '不能同时填写'],
  'fault.requires': ['needs another field', '还需填写另一项'],
  'fault.unknown_field': ['not known', '未知字段'],
  'fault.unknown_variable': ['no variable of the template', '模板中没有此变量'],
  'fault.missing_variable': ['a variable without a value', '变量缺少取值'],
} as const satisfies WordTable;
