<?php

require 'vendor/autoload.php';

use Postrider\Client;

$client = new Client(
    getenv('POSTRIDER_URL'),
    getenv('POSTRIDER_API_KEY'),
    getenv('POSTRIDER_API_SECRET'),
);
$taskNo = $client->send(
    templateNo: getenv('POSTRIDER_TEMPLATE_NO'),
    phones: ['13800138000'],
    variableValues: ['p1' => 'Ann'],
    autoFreeze: true,
    autoSubmit: true,
    sendAt: new DateTimeImmutable('+2 hours'),
    expiresAt: new DateTimeImmutable('+10 hours'),
)->taskNo;
echo $client->rescheduleTask($taskNo, new DateTimeImmutable('+3 hours'))->waitsFor, "\n";
echo $client->pauseTask($taskNo)->waitsFor, "\n";
echo $client->resumeTask($taskNo)->waitsFor, "\n";
$task = $client->cancelTask($taskNo);
echo "$task->stage, {$task->amounts->released} released\n";
