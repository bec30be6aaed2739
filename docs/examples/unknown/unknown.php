<?php

require 'vendor/autoload.php';

use Postrider\Client;

$client = new Client(
    getenv('POSTRIDER_URL'),
    getenv('POSTRIDER_API_KEY'),
    getenv('POSTRIDER_API_SECRET'),
);
foreach ($client->tasks(stage: 'submit_unknown') as $task) {
    foreach ($client->submits(taskNo: $task->taskNo, status: 'unknown') as $submit) {
        echo "$submit->phone $submit->status\n";
    }
}
