package main

import (
	"context"
	"errors"
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
	request := postrider.SendRequest{
		TemplateNo:      os.Getenv("POSTRIDER_TEMPLATE_NO"),
		Phones:          []string{"13800139001"},
		VariableValues:  postrider.Variables{"p1": "Ann"},
		ClientRequestID: "order-1000",
	}
	for attempt := 1; attempt <= 2; attempt++ {
		if must(client.Send(ctx, request)).Replayed {
			fmt.Println("replayed")
		} else {
			fmt.Println("accepted")
		}
	}
	request.Phones = []string{"13800139002"}
	_, err := client.Send(ctx, request)
	var problem *postrider.ProblemError
	if errors.As(err, &problem) {
		fmt.Println(problem.Code)
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
