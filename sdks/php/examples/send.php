<?php

// Sends one message and shows its receipt. Takes a phone number.

declare(strict_types=1);

use Postrider\Client;

require 'vendor/autoload.php';

$client = new Client(
    getenv('POSTRIDER_URL') ?: 'http://127.0.0.1:8080',
    (string) getenv('POSTRIDER_API_KEY'),
    (string) getenv('POSTRIDER_API_SECRET'),
);
$task = $client->send(
    templateNo: (string) getenv('POSTRIDER_TEMPLATE_NO'),
    phones: [$argv[1]],
    variableValues: ['p1' => 'Ann'],
    // A new id for each run of this example. Your program keeps one for each business request before it sends: sent again,
    // it finds the task that is there.
    clientRequestId: 'php-' . bin2hex(random_bytes(8)),
    autoFreeze: true,
    autoSubmit: true,
);
$client->waitForTask($task->taskNo, timeout: 60);
foreach ($client->receipts(taskNo: $task->taskNo) as $receipt) {
    echo "$task->taskNo $receipt->phone $receipt->result $receipt->code $receipt->charged\n";
}
