import type { WordTable } from './word-table.js';

export const numberWords = {
  'number.lead': ['All activity of this number, newest first.', '该号码的全部记录，最新在前。'],
  'number.ask': ['Enter a number', '输入号码'],
  'number.askHint': [
    'Any format works: with or without country code, spaces and dashes.',
    '任意写法均可：是否带国家码、空格和横线。',
  ],
  'number.find': ['Search', '查询'],
  'number.nothing': ['No activity for this number', '此号码没有任何记录'],
  'number.nothingHint': [
    'It has received nothing, has not replied, and is in no prepared task.',
    '从未向其发送，也未收到回复。',
  ],
  'number.receipts': ['Receipts', '回执'],
  'number.optedOut': [
    'This number opted out; sends to it are rejected. Since',
    '此号码已退订，对其发送将被拒绝。时间：',
  ],
  'number.submitted': ['Segment {part} of {parts} was sent to {firm}.', '第 {part}/{parts} 条已提交至 {firm}。'],
  'number.open': ['Open', '未完结'],
  'number.unanswered': ['The carrier has not responded:', '运营商未响应：'],
  'number.unansweredHint': [
    'The carrier may have received it. The result is being verified, and the message is not sent again.',
    '无法确定运营商是否已收到。不会重发，正在核实结果。',
  ],
  'number.answered': ['The carrier responded:', '运营商响应：'],
  'number.reported': ['Delivery report for segment {part} of {parts}:', '第 {part}/{parts} 条的送达报告：'],
  'number.receipt': ['Receipt:', '回执：'],
  'number.reply': ['Replied:', '回复：'],
  'number.cut': ['Only the newest 100 records of each kind are shown.', '每类仅显示最新的 100 条记录。'],

  'replies.lead': ['Inbound messages by conversation.', '收到的回复，按会话显示。'],
  'replies.empty': ['No replies yet', '还没有回复'],
  'replies.emptyHint': [
    'A test number ending in 9008 replies OK, one ending in 9009 replies STOP.',
    '尾号 9008 的测试号码会回复 OK，9009 会回复 STOP。',
  ],
  'replies.more': ['Earlier replies', '更早的回复'],
  'replies.whole': ['All activity of this number', '此号码的全部记录'],
  'replies.sent': ['Sent', '已发送'],
  'replies.answers': ['In reply to: {text}', '回复：{text}'],
  'replies.account': ['Sender', '发送账号'],
} as const satisfies WordTable;
