package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"postrider.example/postrider"
)

func main() {
	ctx := context.Background()
	client := must(postrider.New(
		os.Getenv("POSTRIDER_URL"), os.Getenv("POSTRIDER_API_KEY"), os.Getenv("POSTRIDER_API_SECRET"),
	))
	task := must(client.Send(ctx, postrider.SendRequest{
		TemplateNo: os.Getenv("POSTRIDER_TEMPLATE_NO"),
		Recipients: []postrider.Recipient{
			{Phone: "13800139001", VariableValues: postrider.Variables{"p1": "Ann"}},
			{Phone: "13800139002", VariableValues: postrider.Variables{"p1": "Bob"}},
		},
		ClientRequestID: "welcome-2026-11-15",
		AutoFreeze:      postrider.Bool(true),
		AutoSubmit:      postrider.Bool(true),
	}))
	must(client.WaitForTask(ctx, task.TaskNo, postrider.WaitOptions{}))
	receipts := client.Receipts(postrider.ReceiptFilters{TaskNo: task.TaskNo}).All(ctx)
	for receipts.Next() {
		fmt.Println(receipts.Item().Phone, receipts.Item().Result)
	}
	if err := receipts.Err(); err != nil {
		log.Fatal(err)
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
