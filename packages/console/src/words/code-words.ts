// What codes mean and what to do about them. The meaning of the service's own codes for receipts is said where reasons are;
// an upstream may add an error of its own behind a colon, which only its operator can explain.

import type { WordTable } from './word-table.js';

export const codeWords = {
  'code.ask': ['What {code} means', '{code} 的含义'],
  'code.what': ['What to do', '处理建议'],

  'code.DELIVRD': ['The handset has the message.', '手机已收到消息。'],
  'code.UNDELIV': ['Not brought to the handset: off, barred, or out of use.', '无法送达手机：关机、停机或号码已停用。'],
  'code.EXPIRED': [
    'The handset was not reached in time: off, or without signal.',
    '有效期内未能联系到手机：关机或无信号。',
  ],
  'code.DELETED': ['The message was taken out of the network before it arrived.', '消息在送达之前已从网络中删除。'],
  'code.REJECTD': ['Refused by the network: its text, its sender or the number.', '被网络拒绝：因内容、发送方或号码。'],
  'code.UNKNOWN': ['The network does not say what became of it.', '网络未说明结果。'],
  'code.SKIPPED': ['The network left the message out.', '网络跳过了此消息。'],
  'code.ACCEPTD': ['The network has the message and is still at it.', '网络已接收，仍在处理。'],
  'code.ENROUTE': ['The message is on its way to the handset.', '消息正在送往手机。'],
  'code.SCHEDULED': ['The network will try later.', '网络将稍后再试。'],
  'code.REFUSED': ['The upstream refused the message.', '提交时上游拒绝了消息。'],
  'code.ESME_RINVDSTADR': [
    'The upstream takes this for no number that it serves.',
    '上游认为此号码无效或不在其服务范围。',
  ],
  'code.ESME_RINVSRCADR': ['The upstream does not accept this sender.', '上游不接受此发送方号码。'],
  'code.ESME_RINVMSGLEN': ['The text is too long for the upstream.', '文本长度超出上游限制。'],
  'code.ESME_RSUBMITFAIL': [
    'The upstream could not take the message, and does not say why.',
    '上游未能接收消息，且未说明原因。',
  ],
  'code.ESME_RSYSERR': ['The upstream had a fault of its own.', '上游内部故障。'],
  'code.ESME_RTHROTTLED': ['The upstream asked for a slower pace.', '上游要求降低速度。'],
  'code.ESME_RMSGQFUL': ['The queue of the upstream was full.', '上游队列已满。'],
  'code.ANSWER_LOST': ['The answer of the upstream was lost on the way.', '上游的应答在途中丢失。'],
  'code.response_timeout': ['The upstream did not answer in time.', '上游未及时应答。'],
  'code.connection_lost': ['The connection broke before the upstream had answered.', '上游应答之前连接中断。'],
  'code.process_ended': ['The service was stopped before the answer was recorded.', '记录应答之前服务已停止。'],
  'code.no_outcome': ['The channel was closed before the upstream had answered.', '上游应答之前通道已关闭。'],

  'advice.invalid_number': ['Correct the number in your list.', '请在名单中更正号码。'],
  'advice.duplicate_number': ['Nothing: it gets the message once.', '无需处理：该号码只会收到一次。'],
  'advice.no_route': [
    'Ask the operator for a channel that serves this number, or leave it out.',
    '请向运营方申请可到达此号码的通道，或从名单中移除。',
  ],
  'advice.opted_out': [
    'Take it off your list. The recipient can come back by replying START.',
    '请从名单中移除。收件人回复 START 可恢复接收。',
  ],
  'advice.text_too_long': ['Shorten the template or its values.', '请缩短模板或变量内容。'],
  'advice.not_accepted': [
    'It was not charged. Send it anew where it still matters: it may, rarely, arrive twice.',
    '未扣费。如仍需要可重新发送，极少数情况下可能收到两次。',
  ],
  'advice.no_receipt': [
    'It may have arrived. Ask another way before you send it anew.',
    '可能已送达。重新发送之前请先以其他方式确认。',
  ],
  'advice.no_channel': ['It was not sent. Send it anew once the channel is back.', '未发出。通道恢复后可重新发送。'],
  'advice.cancelled': ['Nothing: it was not sent and not charged.', '无需处理：未发送，未扣费。'],
  'advice.expired_unsent': [
    'Send it anew with a later end, where it still matters.',
    '如仍需要，请以更晚的截止时间重新发送。',
  ],
  'advice.UNDELIV': [
    'Try once more later. A number that fails again and again is better left out.',
    '可稍后再试一次。多次失败的号码建议移除。',
  ],
  'advice.EXPIRED': ['Send it anew later, where it still matters.', '如仍需要，请稍后重新发送。'],
  'advice.DELETED': ['Ask the operator why.', '请向运营方询问原因。'],
  'advice.REJECTD': [
    'Look at the text and the sender. If other numbers pass with them, leave this one out; else ask the operator.',
    '请检查文本和发送方。若其他号码正常，请移除此号码；否则联系运营方。',
  ],
  'advice.UNKNOWN': ['Ask the operator before you send it anew.', '重新发送之前请先询问运营方。'],
  'advice.SKIPPED': ['Ask the operator why.', '请向运营方询问原因。'],
  'advice.REFUSED': [
    'Look at the number and the text; if both are right, ask the operator.',
    '请检查号码和文本；若均无误，请联系运营方。',
  ],
  'advice.ESME_RINVDSTADR': [
    'Check the number; if it is right, ask the operator for another channel.',
    '请检查号码；若无误，请向运营方申请其他通道。',
  ],
  'advice.ESME_RINVSRCADR': [
    'Use another service account, or have the operator register this sender.',
    '请更换服务账号，或请运营方报备此发送方。',
  ],
  'advice.ESME_RINVMSGLEN': ['Shorten the template or its values.', '请缩短模板或变量内容。'],
  'advice.ESME_RSUBMITFAIL': [
    'Send it anew later; if it stays, ask the operator.',
    '可稍后重新发送；若仍失败，请联系运营方。',
  ],
  'advice.ESME_RSYSERR': [
    'Send it anew later; if it stays, ask the operator.',
    '可稍后重新发送；若仍失败，请联系运营方。',
  ],
  'advice.ESME_RTHROTTLED': ['Nothing: the channel slows down by itself.', '无需处理：通道会自动降速。'],
  'advice.ESME_RMSGQFUL': ['Nothing: the channel slows down by itself.', '无需处理：通道会自动降速。'],
  'advice.ANSWER_LOST': [
    'Wait: it is being found out, and not sent again meanwhile.',
    '请等待核实结果，期间不会重发。',
  ],
  'advice.response_timeout': [
    'Wait: it is being found out, and not sent again meanwhile.',
    '请等待核实结果，期间不会重发。',
  ],
  'advice.connection_lost': [
    'Wait: it is being found out, and not sent again meanwhile.',
    '请等待核实结果，期间不会重发。',
  ],
  'advice.process_ended': [
    'Wait: it is being found out, and not sent again meanwhile.',
    '请等待核实结果，期间不会重发。',
  ],
  'advice.no_outcome': ['Wait: it is being found out, and not sent again meanwhile.', '请等待核实结果，期间不会重发。'],
} as const satisfies WordTable;
