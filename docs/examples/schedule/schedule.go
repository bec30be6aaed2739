package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"postrider.example/postrider"
)

func main() {
	ctx := context.Background()
	client := must(postrider.New(
		os.Getenv("POSTRIDER_URL"), os.Getenv("POSTRIDER_API_KEY"), os.Getenv("POSTRIDER_API_SECRET"),
	))
	inHours := func(hours time.Duration) time.Time { return time.Now().Add(hours * time.Hour) }

	taskNo := must(client.Send(ctx, postrider.SendRequest{
		TemplateNo:     os.Getenv("POSTRIDER_TEMPLATE_NO"),
		Phones:         []string{"13800138000"},
		VariableValues: postrider.Variables{"p1": "Ann"},
		AutoFreeze:     postrider.Bool(true),
		AutoSubmit:     postrider.Bool(true),
		SendAt:         inHours(2),
		ExpiresAt:      inHours(10),
	})).TaskNo
	fmt.Println(must(client.RescheduleTask(ctx, taskNo, inHours(3))).WaitsFor)
	fmt.Println(must(client.PauseTask(ctx, taskNo)).WaitsFor)
	fmt.Println(must(client.ResumeTask(ctx, taskNo)).WaitsFor)
	task := must(client.CancelTask(ctx, taskNo))
	fmt.Printf("%s, %s released\n", task.Stage, task.Amounts.Released)
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
