<?php

require 'vendor/autoload.php';

use Postrider\Client;
use Postrider\Model\Recipient;

$client = new Client(
    getenv('POSTRIDER_URL'),
    getenv('POSTRIDER_API_KEY'),
    getenv('POSTRIDER_API_SECRET'),
);
$task = $client->send(
    templateNo: getenv('POSTRIDER_TEMPLATE_NO'),
    recipients: [
        new Recipient('13800139001', ['p1' => 'Ann']),
        new Recipient('13800139002', ['p1' => 'Bob']),
    ],
    clientRequestId: 'welcome-2026-11-15',
    autoFreeze: true,
    autoSubmit: true,
);
$client->waitForTask($task->taskNo);
foreach ($client->receipts(taskNo: $task->taskNo) as $receipt) {
    echo "$receipt->phone $receipt->result\n";
}
