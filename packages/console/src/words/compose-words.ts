import type { WordTable } from './word-table.js';

export const composeWords = {
  'compose.lead': [
    'Choose a template and recipients, and see the price before you send.',
    '选择模板和号码，发送前查看费用。',
  ],
  'compose.noTemplates': ['No active templates', '没有可用模板'],
  'compose.noTemplatesHint': [
    'Submit a template for review under Templates.',
    '请在「模板」页面提交模板，审核通过后即可发送。',
  ],
  'compose.what': ['Message', '内容'],
  'compose.who': ['To', '发送对象'],
  'compose.when': ['Schedule', '时间'],
  'compose.recipients': ['Recipients', '收件人'],
  'compose.recipientsHint': [
    'One number per line, or a CSV or Excel file with a column of numbers and columns for variables. No limit on the count.',
    '每行一个号码，或带号码列和变量列的 CSV、Excel 文件。数量不限。',
  ],
  'compose.fileGb18030': [
    '{name} is read as GB18030 (Chinese), since it is not UTF-8. Check the names in the preview.',
    '{name} 不是 UTF-8，已按 GB18030 读取，请在预览中核对内容。',
  ],
  'compose.fileProblem.binary': [
    '{name} is not text. Use a .csv, .txt or .xlsx file.',
    '{name} 不是文本文件，请使用 .csv、.txt 或 .xlsx 文件。',
  ],
  'compose.fileProblem.damaged_characters': [
    '{name} contains damaged characters (\uFFFD). Export it again from the original, as CSV UTF-8 or .xlsx.',
    '{name} 含有乱码（\uFFFD），请从原始文件重新导出为 CSV UTF-8 或 .xlsx。',
  ],
  'compose.fileProblem.old_excel': [
    '{name} is an old or password-protected Excel workbook. Save it as .xlsx without a password, or as CSV.',
    '{name} 是旧版或加密的 Excel 文件，请另存为不加密的 .xlsx 或 CSV。',
  ],
  'compose.fileProblem.too_large': ['{name} is larger than 256 MiB. Split it.', '{name} 超过 256 MiB，请拆分。'],
  'compose.fileProblem.unknown_encoding': [
    '{name} is neither UTF-8, UTF-16 nor GB18030 text. Save it as CSV UTF-8 or .xlsx.',
    '{name} 不是 UTF-8、UTF-16 或 GB18030 文本，请另存为 CSV UTF-8 或 .xlsx。',
  ],
  'compose.fileProblem.unreadable_workbook': [
    '{name} cannot be read as a workbook. Save it again as .xlsx, or as CSV.',
    '无法读取工作簿 {name}，请重新另存为 .xlsx 或 CSV。',
  ],
  'compose.fileProblem.unreadable': ['{name} cannot be read. Choose it again.', '无法读取 {name}，请重新选择。'],
  'compose.damagedText': [
    'The list contains damaged characters (\uFFFD). Copy or export it again from the original.',
    '列表含有乱码（\uFFFD），请从原始文件重新复制或导出。',
  ],
  'compose.clear': ['Clear', '清空'],
  'compose.file': ['Choose a file', '选择文件'],
  'compose.phoneColumn': ['Number column', '号码所在列'],
  'compose.source': ['Source of {name}', '{name} 的来源'],
  'compose.sameForAll': ['Same for all', '统一'],
  'compose.fromColumn': ['From a column', '取自列'],
  'compose.submit': ['Send', '发送'],
  'compose.prepareOnly': ['Save for review', '预处理，确认后发送'],
  'compose.sendAt': ['Send at', '定时发送'],
  'compose.sendAtHint': ['Leave empty to send now.', '留空则立即发送。'],
  'compose.expiresAt': ['Stop sending at', '截止时间'],
  'compose.expiresAtHint': [
    'Messages not sent by then are dropped, and their money is released.',
    '届时未发送的不再发送，并解冻资金。',
  ],
  'compose.reference': ['Reference', '业务流水号'],
  'compose.referenceHint': [
    'The same content with the same reference is sent once, no matter how often you click.',
    '相同内容、相同流水号只会发送一次，无论点击多少次。',
  ],
  'compose.titleHint': ['Optional. Shown in lists of tasks and batches.', '选填，显示在任务与批次列表中。'],
  'compose.preview': ['Preview', '预览'],
  'compose.missing': ['Required: {what}', '还需填写：{what}'],
  'compose.byFirm': ['Price by carrier', '各运营商价格'],
  'compose.unitPrice': ['Per segment', '单价'],
  'compose.sendable': ['To be sent', '将发送'],
  'compose.unaffordable': ['The balance is too low. The task would wait for a top-up.', '余额不足，任务将等待充值。'],
  'compose.overLimit': [
    'Exceeds the rest of your daily limit. The task would wait for the next day (UTC) or a higher limit.',
    '超出今日剩余限额，任务将等待次日（UTC）或更高的限额。',
  ],
  'compose.rejections': ['{count} will be rejected', '{count} 个将被拒绝'],
  'compose.row': ['Row {row}', '第 {row} 行'],
  'compose.send': ['Send to {count} {count:number|numbers}', '发送给 {count} 个号码'],
  'compose.prepare': ['Save for review: {count} {count:number|numbers}', '预处理 {count} 个号码'],
  'compose.progress': ['{done} of {all} requests accepted', '已受理 {done}/{all} 个请求'],
  'compose.failed': ['Some requests were not accepted', '未全部受理'],
  'compose.again': [
    '{done} of {all} requests were accepted. Click again to continue; nothing is sent twice.',
    '已受理 {done}/{all} 个请求。再次点击即可继续，不会重复发送。',
  ],
  'compose.accepted': ['Accepted as {count} {count:task|tasks}.', '已受理为 {count} 个任务。'],
  'compose.replayed': [
    'Already sent: nothing was sent again. Change the reference to send it once more.',
    '此内容此前已发送，未重复发送。如需再次发送，请更改流水号。',
  ],
  'compose.watch': ['View progress', '查看进度'],
  'compose.watchBatch': ['View batch', '查看批次'],
} as const satisfies WordTable;
