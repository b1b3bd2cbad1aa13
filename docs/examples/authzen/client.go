// Asks an AuthZEN policy decision point with Go's standard library only.
//
//	PDP_URL=http://127.0.0.1:8080 PDP_TOKEN=gh1_... go run client.go
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

type entity struct {
	Type string `json:"type"`
	ID   string `json:"id"`
}

type action struct {
	Name string `json:"name"`
}

type question struct {
	Subject  entity `json:"subject"`
	Action   action `json:"action"`
	Resource entity `json:"resource"`
}

// A redirect is a fault: it could lead to anybody, with the token.
var client = http.Client{
	Timeout:       2 * time.Second,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// may says whether the user may perform the action on the record. An error means no.
func may(subject, name, resource string) (bool, error) {
	body, err := json.Marshal(question{entity{"user", subject}, action{name}, entity{"record", resource}})
	if err != nil {
		return false, err
	}
	request, err := http.NewRequest("POST", os.Getenv("PDP_URL")+"/access/v1/evaluation", bytes.NewReader(body))
	if err != nil {
		return false, err
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("PDP_TOKEN"))
	request.Header.Set("Content-Type", "application/json")
	answer, err := client.Do(request)
	if err != nil {
		return false, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return false, fmt.Errorf("the decision point answered %s", answer.Status)
	}
	whole, err := io.ReadAll(answer.Body)
	if err != nil {
		return false, err
	}
	var decided struct {
		Decision bool `json:"decision"`
	}
	err = json.Unmarshal(whole, &decided)
	return err == nil && decided.Decision, err
}

func main() {
	for _, subject := range []string{"alice", "bob"} {
		allowed, err := may(subject, "write", "record-1")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		answer := "deny"
		if allowed {
			answer = "allow"
		}
		fmt.Printf("%s write record-1: %s\n", subject, answer)
	}
}
