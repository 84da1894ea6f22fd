// Uses a client that oapi-codegen made: smoke ADDRESS.
package main

import (
	"bytes"
	"context"
	"log"
	"net/http"
	"os"

	client "kiroku.example/smoke/client"
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func expect(holds bool, value any) {
	if !holds {
		log.Fatalf("unexpected: %+v", value)
	}
}

func checkStory(api *client.ClientWithResponses, ctx context.Context, user client.UserId, anime client.Anime) {
	episode, score := int64(3), 87.5
	story := client.CreateUserStory{
		AnimeId:        int64(anime.Id),
		UserId:         int64(user),
		Status:         client.CURRENT,
		CurrentEpisode: &episode,
		Details:        &client.StoryDetailsChange{Score: &score},
	}
	created, err := api.CreateUserStoryWithResponse(ctx, story)
	check(err)
	expect(created.JSON200.Data.CurrentEpisode == 3, string(created.Body))
	again, err := api.CreateUserStoryWithResponse(ctx, story)
	check(err)
	reasons, err := again.JSON409.Data.AsFieldErrors()
	check(err)
	expect(again.JSON409.StatusCode == 409 && reasons["anime_id"] != "", reasons)
	missing, err := api.FindUserStoryWithResponse(ctx, int64(created.JSON200.Data.Id)+1, nil)
	check(err)
	reason, err := missing.JSON404.Data.AsErrorReason()
	check(err)
	expect(missing.JSON404.StatusCode == 404 && reason != "", reason)
	include := []client.StoryInclude{client.StoryIncludeAnime, client.StoryIncludeDetails}
	stories, err := api.ListUserStoriesWithResponse(ctx, &client.ListUserStoriesParams{Include: &include})
	check(err)
	listed := stories.JSON200.Data[0]
	expect(listed.Anime.Titles["rj"] == "Cowboy Bebop", listed)
	expect(*listed.Details.Score == 87.5 && listed.Details.FinishedOn == nil, listed.Details)
	checkExport(api, ctx)
	change := client.BatchedChange{Op: client.Delete, AnimeId: int64(anime.Id)}
	batch := client.StoryBatch{Changes: []client.BatchedChange{change}}
	changed, err := api.ChangeUserStoriesWithResponse(ctx, batch)
	check(err)
	expect(changed.JSON200.Data[0].Data == "", string(changed.Body))
}

func checkExport(api *client.ClientWithResponses, ctx context.Context) {
	for _, format := range []client.StoryFileFormat{client.Json, client.Csv, client.MalXml} {
		file, err := api.ExportUserStoriesWithResponse(ctx, &client.ExportUserStoriesParams{Format: &format})
		check(err)
		isList := bytes.Contains(file.Body, []byte("Cowboy Bebop"))
		expect(isList || format == client.MalXml && file.Body[0] == 0x1f, string(file.Body))
	}
}

func main() {
	ctx := context.Background()
	password, name, search := "itomori 4 october", "oapi-codegen", "cowboy bepop"
	api, err := client.NewClientWithResponses(os.Args[1])
	check(err)
	account := client.RegisterJSONRequestBody{Username: name, Email: "oapi@example.com", Password: password}
	registered, err := api.RegisterWithResponse(ctx, account)
	check(err)
	login := client.Login{Password: password, Username: &name}
	signedIn, err := api.LoginWithResponse(ctx, login)
	check(err)
	withToken := client.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+signedIn.JSON200.Data.AccessToken)
		return nil
	})
	api, err = client.NewClientWithResponses(os.Args[1], withToken)
	check(err)
	found, err := api.ListAnimeWithResponse(ctx, &client.ListAnimeParams{Search: &search})
	check(err)
	anime := found.JSON200.Data[0]
	expect(anime.Titles["rj"] == "Cowboy Bebop", anime)
	checkStory(api, ctx, registered.JSON200.Data.User.Id, anime)
}
