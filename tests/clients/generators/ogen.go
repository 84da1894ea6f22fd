// Uses a client that ogen made: smoke ADDRESS.
package main

import (
	"context"
	"io"
	"log"
	"os"
	"strings"

	client "kiroku.example/smoke/client"
)

// tokens holds the access token of later requests.
type tokens struct{ access string }

func (t *tokens) Bearer(context.Context, client.OperationName) (client.Bearer, error) {
	return client.Bearer{Token: t.access}, nil
}

// as returns a response of this type.
func as[T any](response any, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	expected, ok := response.(T)
	expect(ok, response)
	return expected
}

func expect(holds bool, value any) {
	if !holds {
		log.Fatalf("unexpected: %T %+v", value, value)
	}
}

func checkStory(api *client.Client, ctx context.Context, user int64, anime client.Anime) {
	details := client.StoryDetailsChange{Score: client.NewOptNilFloat64(87.5)}
	details.Notes.SetToNull()
	story := client.CreateUserStory{
		AnimeID:        int64(anime.ID),
		UserID:         user,
		Status:         client.WatchStatus0,
		CurrentEpisode: client.NewOptNilInt64(3),
		Details:        client.NewOptNilStoryDetailsChange(details),
	}
	create := func() (client.CreateUserStoryRes, error) { return api.CreateUserStory(ctx, &story) }
	response, err := create()
	created := as[*client.UserStoryEnvelopeHeaders](response, err).Response.Data
	expect(created.CurrentEpisode == 3, created)
	response, err = create()
	reasons := as[*client.ErrorEnvelopeHeaders](response, err).Response
	expect(reasons.StatusCode == 409 && reasons.Data.FieldErrors["anime_id"] != "", reasons)
	find := client.FindUserStoryParams{ID: int64(created.ID) + 1}
	found, err := api.FindUserStory(ctx, find)
	missing := as[*client.FindUserStoryNotFound](found, err)
	expect(missing.StatusCode == 404 && missing.Data.IsErrorReason(), missing)
	include := []client.StoryInclude{client.StoryIncludeAnime, client.StoryIncludeDetails}
	stories, err := api.ListUserStories(ctx, client.ListUserStoriesParams{Include: include})
	listed := as[*client.StoryDocumentListEnvelopeHeaders](stories, err).Response.Data[0]
	expect(listed.Anime.Value.Titles["rj"] == "Cowboy Bebop", listed)
	expect(listed.Details.Value.Score.Value == 87.5 && listed.Details.Value.FinishedOn.Null, listed.Details)
	checkExport(api, ctx)
	change := client.BatchedChange{Op: client.OperationDelete, AnimeID: int64(anime.ID)}
	batch, err := api.ChangeUserStories(ctx, &client.StoryBatch{Changes: []client.BatchedChange{change}})
	changed := as[*client.StoryChangeResultListEnvelope](batch, err).Data[0]
	expect(changed.StatusCode == 200 && string(changed.Data) == `""`, changed)
}

func checkExport(api *client.Client, ctx context.Context) {
	for _, format := range client.StoryFileFormat("").AllValues() {
		params := client.ExportUserStoriesParams{Format: client.NewOptStoryFileFormat(format)}
		response, err := api.ExportUserStories(ctx, params)
		switch format {
		case client.StoryFileFormatJSON:
			file := as[*client.StoryFileHeaders](response, err).Response
			expect(len(file.Stories) == 1, file)
		case client.StoryFileFormatCsv:
			file := as[*client.ExportUserStoriesOKTextCsvHeaders](response, err).Response
			text, err := io.ReadAll(file)
			expect(err == nil && strings.Contains(string(text), "Cowboy Bebop"), text)
		default:
			file := as[*client.ExportUserStoriesOKApplicationGzipHeaders](response, err).Response
			text, err := io.ReadAll(file)
			expect(err == nil && text[0] == 0x1f, text)
		}
	}
}

func main() {
	token := tokens{}
	ctx := context.Background()
	api, err := client.NewClient(os.Args[1], &token)
	expect(err == nil, err)
	account := client.RegisterReq{Username: "ogen", Email: "ogen@example.com", Password: "itomori 4 october"}
	registered, err := api.Register(ctx, &account)
	user := as[*client.SignedInEnvelope](registered, err).Data.User
	login := client.Login{Password: account.Password, Username: client.NewOptNilString("ogen")}
	signedIn, err := api.Login(ctx, &login)
	token.access = as[*client.SignedInEnvelope](signedIn, err).Data.AccessToken
	found, err := api.ListAnime(ctx, client.ListAnimeParams{Search: client.NewOptString("cowboy bepop")})
	anime := as[*client.AnimeListEnvelopeHeaders](found, err).Response.Data[0]
	expect(anime.Titles["rj"] == "Cowboy Bebop", anime)
	checkStory(api, ctx, int64(user.ID), anime)
}
