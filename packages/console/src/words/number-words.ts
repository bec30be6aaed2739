import type { WordTable } from './word-table.js';

export const numberWords = {
  'number.lead': ['Everything that ever happened to a number, newest first.', '一个号码发生过的一切，最新在前。'],
  'number.ask': ['Which number?', '要查哪个号码？'],
  'number.askHint': [
    'Any spelling will do: with or without country code, spaces and dashes.',
    '任意写法：是否带国家码、空格和横线均可。',
  ],
  'number.find': ['Find', '查找'],
  'number.nothing': ['Nothing has happened to this number', '此号码没有任何记录'],
  'number.nothingHint': [
    'It was never sent to, has not replied, and is in no task that has been prepared.',
    '从未向其发送，也未收到回复。',
  ],
  'number.receipts': ['Receipts', '回执'],
  'number.optedOut': [
    'This number has opted out; sends to it are rejected. Since',
    '此号码已退订，对其发送将被拒绝。时间：',
  ],
  'number.submitted': ['Part {part} of {parts} was handed to {firm}.', '第 {part}/{parts} 条已提交至 {firm}。'],
  'number.open': ['Open', '未完结'],
  'number.unanswered': ['The upstream has not answered:', '上游未应答：'],
  'number.unansweredHint': [
    'It may have the message or not. It is not sent again; what became of it is being found out.',
    '无法确定上游是否已收到。不会重发，正在核实结果。',
  ],
  'number.answered': ['The upstream answered:', '上游应答：'],
  'number.reported': ['Report for part {part} of {parts}:', '第 {part}/{parts} 条的报告：'],
  'number.receipt': ['Receipt:', '回执：'],
  'number.reply': ['Replied:', '回复：'],
  'number.cut': ['Only the newest hundred records of each kind are shown.', '每类仅显示最新的一百条记录。'],

  'replies.lead': ['What people wrote back, by conversation.', '用户回复，按会话显示。'],
  'replies.empty': ['No replies yet', '还没有回复'],
  'replies.emptyHint': [
    'A test number ending in 9008 replies OK, one ending in 9009 replies STOP.',
    '尾号 9008 的测试号码会回复 OK，9009 会回复 STOP。',
  ],
  'replies.more': ['Earlier replies', '更早的回复'],
  'replies.whole': ['Everything about this number', '此号码的全部记录'],
  'replies.sent': ['Sent', '已发送'],
  'replies.answers': ['Answers: {text}', '回复：{text}'],
  'replies.account': ['Service account', '服务账号'],
} as const satisfies WordTable;
