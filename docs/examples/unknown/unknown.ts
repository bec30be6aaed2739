import { PostriderClient } from '@postrider/client';

const client = new PostriderClient({
  baseUrl: process.env.POSTRIDER_URL ?? '',
  apiKey: process.env.POSTRIDER_API_KEY ?? '',
  apiSecret: process.env.POSTRIDER_API_SECRET ?? '',
});
for await (const task of client.tasks({ stage: 'submit_unknown' })) {
  for await (const submit of client.submits({ taskNo: task.task_no, status: 'unknown' })) {
    console.log(submit.phone, submit.status);
  }
}
