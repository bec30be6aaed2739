// The settings of a channel over HTTP in Chinese.
import type { HttpConfig } from './config.js';

export const httpFieldsZh: { readonly [Name in keyof HttpConfig]-?: string } = {
  url: '提交短信的地址。主机之后的部分可以使用占位符。',
  answer:
    '应答的含义：`accepted`（`status`、`match`）、`message_id`、`code`、`throttled` 和 `refused`（`status`、`codes`）。其他应答或没有应答均为未知，绝不重发。',
  method: 'HTTP 方法。GET 须使用 `query` 格式。',
  headers: '每个请求携带的请求头。值可以使用占位符，例如 `Bearer {secret.token}`。',
  format: '`body` 的提交方式：JSON、表单，或放入 `url` 的查询参数。后两种须为单层对象。',
  body: '任意 JSON。字符串中可以使用占位符：`{phone}`、`{phone_digits}`、`{phone_national}`、`{text}`、`{sender}`、`{reference}`、`{p1}` 至 `{p18}`、`{template_code}`、`{secret.名称}`。',
  secrets: '`{secret.名称}` 的值，按名称填写。加密保存，不再显示。',
  concurrency: '同时进行的请求数。上游中断时，最多有这么多条短信结果未知。',
  timeout_ms: '一个请求的总时限（毫秒）。超时未应答的短信结果未知。',
  reports:
    '送达报告的格式：`format`、`items`、`message_id`、`phone`、`status`、`delivered`、`undelivered`、`code`。不填则不接收。',
  uplinks: '回复的格式：`format`、`items`、`from`、`to`、`text`。不填则不接收。',
};
