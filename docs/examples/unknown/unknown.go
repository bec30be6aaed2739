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
	tasks := client.Tasks(postrider.TaskFilters{Stage: postrider.StageSubmitUnknown}).All(ctx)
	for tasks.Next() {
		submits := client.Submits(postrider.SubmitFilters{
			TaskNo: tasks.Item().TaskNo,
			Status: postrider.SubmitStatusUnknown,
		}).All(ctx)
		for submits.Next() {
			fmt.Println(submits.Item().Phone, submits.Item().Status)
		}
		if err := submits.Err(); err != nil {
			log.Fatal(err)
		}
	}
	if err := tasks.Err(); err != nil {
		log.Fatal(err)
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
