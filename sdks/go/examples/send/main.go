// Sends one message and shows its receipt. Takes a phone number.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"postrider.example/postrider"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: send PHONE")
	}
	if err := send(context.Background(), os.Args[1]); err != nil {
		var lost *postrider.ConnectionError
		if errors.As(err, &lost) && lost.ClientRequestID != "" {
			log.Print("it may have arrived: look for ", lost.ClientRequestID)
		}
		log.Fatal(err)
	}
}

func send(ctx context.Context, phone string) error {
	url := os.Getenv("POSTRIDER_URL")
	if url == "" {
		url = "http://127.0.0.1:8080"
	}
	client, err := postrider.New(url, os.Getenv("POSTRIDER_API_KEY"), os.Getenv("POSTRIDER_API_SECRET"))
	if err != nil {
		return err
	}
	defer client.Close()
	task, err := client.Send(ctx, postrider.SendRequest{
		TemplateNo:     os.Getenv("POSTRIDER_TEMPLATE_NO"),
		Phones:         []string{phone},
		VariableValues: postrider.Variables{"p1": "Ann"},
		// A new id for each run of this example. Your program keeps one for each business request before it sends: sent
		// again, it finds the task that is there.
		ClientRequestID: fmt.Sprintf("go-%d", time.Now().UnixNano()),
		AutoFreeze:      postrider.Bool(true),
		AutoSubmit:      postrider.Bool(true),
	})
	if err != nil {
		return err
	}
	if _, err := client.WaitForTask(ctx, task.TaskNo, postrider.WaitOptions{Timeout: time.Minute}); err != nil {
		return err
	}
	receipts := client.Receipts(postrider.ReceiptFilters{TaskNo: task.TaskNo}).All(ctx)
	for receipts.Next() {
		receipt := receipts.Item()
		fmt.Println(task.TaskNo, receipt.Phone, receipt.Result, *receipt.Code, receipt.Charged)
	}
	return receipts.Err()
}
