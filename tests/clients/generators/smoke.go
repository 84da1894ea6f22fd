// Uses a client that openapi-generator made: smoke ADDRESS.
package main

import (
	"bytes"
	"context"
	"errors"
	"log"
	"net/http"
	"os"

	client "github.com/GIT_USER_ID/GIT_REPO_ID"
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

// signIn registers a user and signs in. It returns the user's identifier and an access token.
func signIn(api *client.APIClient, ctx context.Context) (int64, string) {
	account := client.NewRegisterRequest("go@example.com", "itomori 4 october", "go-client")
	registered, _, err := api.AuthAPI.Register(ctx).RegisterRequest(*account).Execute()
	check(err)
	login := client.NewLogin("itomori 4 october")
	login.SetUsername("go-client")
	signedIn, _, err := api.AuthAPI.Login(ctx).Login(*login).Execute()
	check(err)
	return registered.Data.User.Id, signedIn.Data.AccessToken
}

func findAnime(api *client.APIClient, ctx context.Context) client.Anime {
	formats := []client.AnimeFormat{client.ANIMEFORMAT_TV}
	found, _, err := api.AnimeAPI.ListAnime(ctx).Search("cowboy bepop").Formats(formats).Execute()
	check(err)
	anime := found.Data[0]
	expect(anime.Titles["rj"] == "Cowboy Bebop", anime)
	return anime
}

// expectError returns the data of an error.
func expectError(status int, answer *http.Response, err error) client.ErrorData {
	var failed *client.GenericOpenAPIError
	expect(errors.As(err, &failed), err)
	envelope, ok := failed.Model().(client.ErrorEnvelope)
	expect(ok && answer.StatusCode == status && envelope.StatusCode == int32(status), failed.Model())
	return envelope.Data
}

func checkStory(api *client.APIClient, ctx context.Context, user int64, anime client.Anime) {
	story := client.NewCreateUserStory(anime.Id, client.WATCHSTATUS_CURRENT, user)
	story.SetCurrentEpisode(3)
	details := client.NewStoryDetailsChange()
	details.SetScore(87.5)
	details.SetNotesNil()
	story.SetDetails(*details)
	create := api.UserStoryAPI.CreateUserStory(ctx).CreateUserStory(*story)
	created, _, err := create.Execute()
	check(err)
	expect(created.Data.CurrentEpisode == 3, created)
	_, answer, err := create.Execute()
	reasons := expectError(409, answer, err)
	expect(reasons.MapmapOfStringstring != nil && (*reasons.MapmapOfStringstring)["anime_id"] != "", reasons)
	_, answer, err = api.UserStoryAPI.FindUserStory(ctx, created.Data.Id+1).Execute()
	missing := expectError(404, answer, err)
	expect(missing.String != nil, missing)
	include := []client.StoryInclude{client.STORYINCLUDE_ANIME, client.STORYINCLUDE_DETAILS}
	listed, _, err := api.UserStoryAPI.ListUserStories(ctx).Include(include).Execute()
	check(err)
	document := listed.Data[0]
	included := document.GetAnime()
	expect(included.Titles["rj"] == "Cowboy Bebop", included)
	expect(document.Details.GetScore() == 87.5 && !document.Details.FinishedOn.IsSet() ||
		document.Details.FinishedOn.Get() == nil, document.Details)
	checkExport(api, ctx)
	change := client.NewBatchedChange(anime.Id, client.OPERATION_DELETE)
	batch := client.NewStoryBatch([]client.BatchedChange{*change})
	changed, _, err := api.UserStorySyncAPI.ChangeUserStories(ctx).StoryBatch(*batch).Execute()
	check(err)
	expect(changed.Data[0].StatusCode == 200 && changed.Data[0].Data == "", changed.Data)
}

func checkExport(api *client.APIClient, ctx context.Context) {
	for _, format := range client.AllowedStoryFileFormatEnumValues {
		file, _, err := api.UserStoryFileAPI.ExportUserStories(ctx).Format(format).Execute()
		check(err)
		text, err := os.ReadFile(file.Name())
		check(err)
		check(os.Remove(file.Name()))
		if format == client.STORYFILEFORMAT_MAL_XML {
			expect(text[0] == 0x1f, text)
		} else {
			expect(bytes.Contains(text, []byte("Cowboy Bebop")), string(text))
		}
	}
}

func main() {
	configuration := client.NewConfiguration()
	configuration.Servers = client.ServerConfigurations{{URL: os.Args[1]}}
	api := client.NewAPIClient(configuration)
	ctx := context.Background()
	user, token := signIn(api, ctx)
	signedIn := context.WithValue(ctx, client.ContextAccessToken, token)
	checkStory(api, signedIn, user, findAnime(api, ctx))
}
