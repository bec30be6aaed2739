// What codes mean and what to do about them. The meaning of the service's own codes for receipts is said where reasons are;
// an upstream may add an error of its own behind a colon, which only its operator can explain.

import type { WordTable } from './word-table.js';

export const codeWords = {
  'code.ask': ['What {code} means', '{code} 的含义'],
  'code.what': ['What to do', '处理建议'],

  'code.DELIVRD': ['Delivered to the handset.', '短信已送达手机。'],
  'code.UNDELIV': [
    'Could not be delivered: the phone is off, barred or no longer in use.',
    '无法送达：关机、停机或号码已停用。',
  ],
  'code.EXPIRED': [
    'The phone could not be reached in time: off or without signal.',
    '有效期内无法联系到手机：关机或无信号。',
  ],
  'code.DELETED': ['The carrier deleted the message before delivery.', '短信在送达前被运营商删除。'],
  'code.REJECTD': [
    'Rejected by the carrier because of the text, the sender or the number.',
    '被运营商拒绝：因内容、发送方或号码。',
  ],
  'code.UNKNOWN': ['The carrier does not report the result.', '运营商未说明结果。'],
  'code.SKIPPED': ['The carrier skipped the message.', '运营商跳过了此短信。'],
  'code.ACCEPTD': ['The carrier accepted the message and is still processing it.', '运营商已接收，仍在处理。'],
  'code.ENROUTE': ['The message is on its way to the phone.', '短信正在送往手机。'],
  'code.SCHEDULED': ['The carrier will retry later.', '运营商将稍后重试。'],
  'code.REFUSED': ['The carrier rejected the message.', '运营商拒绝了短信。'],
  'code.ESME_RINVDSTADR': [
    'The carrier says the number is invalid or not served.',
    '运营商认为此号码无效或不在服务范围。',
  ],
  'code.ESME_RINVSRCADR': ['The carrier does not accept this sender.', '运营商不接受此发送方号码。'],
  'code.ESME_RINVMSGLEN': ['The text is too long for the carrier.', '文本长度超出运营商限制。'],
  'code.ESME_RSUBMITFAIL': [
    'The carrier could not accept the message and gives no reason.',
    '运营商未能接收短信，且未说明原因。',
  ],
  'code.ESME_RSYSERR': ['The carrier had an internal error.', '运营商内部故障。'],
  'code.ESME_RTHROTTLED': ['The carrier asked to slow down.', '运营商要求降低速度。'],
  'code.ESME_RMSGQFUL': ["The carrier's queue was full.", '运营商队列已满。'],
  'code.ANSWER_LOST': ["The carrier's response was lost.", '运营商的响应丢失。'],
  'code.response_timeout': ['The carrier did not respond in time.', '运营商未及时响应。'],
  'code.connection_lost': ['The connection broke before the carrier responded.', '运营商响应之前连接中断。'],
  'code.process_ended': ['The service stopped before the response was recorded.', '记录响应之前服务已停止。'],
  'code.commits_lost': [
    'The database was recovered to an earlier point, and the message may have been sent before.',
    '数据库恢复到较早时间点，该短信可能此前已发送。',
  ],
  'code.no_outcome': ['The channel closed before the carrier responded.', '运营商响应之前通道已关闭。'],

  'advice.invalid_number': ['Correct the number in your list.', '请在名单中更正号码。'],
  'advice.duplicate_number': ['Nothing. The number gets the message once.', '无需处理：该号码只会收到一次。'],
  'advice.no_route': [
    'Ask the platform for a channel that reaches this number, or remove it.',
    '请向平台申请可到达此号码的通道，或从名单中移除。',
  ],
  'advice.text_too_long': ['Shorten the template or the values.', '请缩短模板或变量内容。'],
  'advice.not_accepted': [
    'It was not charged. Send it again if it still matters; in rare cases it arrives twice.',
    '未扣费。如仍需要可重新发送，极少数情况下可能收到两次。',
  ],
  'advice.no_receipt': [
    'It may have arrived. Check another way before you send it again.',
    '可能已送达。重新发送之前请先以其他方式确认。',
  ],
  'advice.no_channel': ['It was not sent. Send it again when the channel is back.', '未发送。通道恢复后可重新发送。'],
  'advice.cancelled': ['Nothing. It was not sent and not charged.', '无需处理：未发送，未扣费。'],
  'advice.expired_unsent': [
    'Send it again with a later deadline if it still matters.',
    '如仍需要，请以更晚的截止时间重新发送。',
  ],
  'advice.UNDELIV': ['Retry later. Remove numbers that keep failing.', '可稍后再试一次。多次失败的号码建议移除。'],
  'advice.EXPIRED': ['Send it again later if it still matters.', '如仍需要，请稍后重新发送。'],
  'advice.DELETED': ['Ask the platform for the reason.', '请向平台询问原因。'],
  'advice.REJECTD': [
    'Check the text and the sender. If other numbers work with them, remove this one; otherwise contact the platform.',
    '请检查文本和发送方。若其他号码正常，请移除此号码；否则联系平台。',
  ],
  'advice.UNKNOWN': ['Ask the platform before you send it again.', '重新发送之前请先询问平台。'],
  'advice.SKIPPED': ['Ask the platform for the reason.', '请向平台询问原因。'],
  'advice.REFUSED': [
    'Check the number and the text. If both are right, contact the platform.',
    '请检查号码和文本；若均无误，请联系平台。',
  ],
  'advice.ESME_RINVDSTADR': [
    'Check the number. If it is right, ask the platform for another channel.',
    '请检查号码；若无误，请向平台申请其他通道。',
  ],
  'advice.ESME_RINVSRCADR': [
    'Use another sender, or ask the platform to register this one.',
    '请更换发送账号，或请平台报备此发送方。',
  ],
  'advice.ESME_RINVMSGLEN': ['Shorten the template or the values.', '请缩短模板或变量内容。'],
  'advice.ESME_RSUBMITFAIL': [
    'Send it again later. If it keeps failing, contact the platform.',
    '可稍后重新发送；若仍失败，请联系平台。',
  ],
  'advice.ESME_RSYSERR': [
    'Send it again later. If it keeps failing, contact the platform.',
    '可稍后重新发送；若仍失败，请联系平台。',
  ],
  'advice.ESME_RTHROTTLED': ['Nothing. The channel slows down automatically.', '无需处理：通道会自动降速。'],
  'advice.ESME_RMSGQFUL': ['Nothing. The channel slows down automatically.', '无需处理：通道会自动降速。'],
  'advice.ANSWER_LOST': [
    'Wait. The result is being verified, and the message is not sent again.',
    '请等待核实结果，期间不会重发。',
  ],
  'advice.response_timeout': [
    'Wait. The result is being verified, and the message is not sent again.',
    '请等待核实结果，期间不会重发。',
  ],
  'advice.connection_lost': [
    'Wait. The result is being verified, and the message is not sent again.',
    '请等待核实结果，期间不会重发。',
  ],
  'advice.process_ended': [
    'Wait. The result is being verified, and the message is not sent again.',
    '请等待核实结果，期间不会重发。',
  ],
  'advice.commits_lost': [
    'Wait. The result is being verified, and the message is not sent again.',
    '请等待核实结果，期间不会重发。',
  ],
  'advice.no_outcome': [
    'Wait. The result is being verified, and the message is not sent again.',
    '请等待核实结果，期间不会重发。',
  ],
} as const satisfies WordTable;
