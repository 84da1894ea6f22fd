// Uses a client that openapi-generator made with `library=httpclient`: `Smoke ADDRESS`. run.py does not compile it,
// because no package registry of the gate has the .NET SDK.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using Newtonsoft.Json;
using Org.OpenAPITools.Api;
using Org.OpenAPITools.Client;
using Org.OpenAPITools.Model;

public static class Smoke
{
    private static void Expect(bool holds, object value)
    {
        if (!holds) throw new InvalidOperationException("unexpected: " + value);
    }

    /// Returns the `data` of an error.
    private static object ExpectError(int status, Func<object> call)
    {
        try
        {
            call();
        }
        catch (ApiException error)
        {
            var envelope = JsonConvert.DeserializeObject<ErrorEnvelope>((string)error.ErrorContent);
            Expect(error.ErrorCode == status && envelope.StatusCode == status, error);
            return envelope.Data.ActualInstance;
        }
        throw new InvalidOperationException(status + " was expected");
    }

    private static void CheckStory(Configuration service, long user, Anime anime)
    {
        var stories = new UserStoryApi(service);
        var created = new CreateUserStory(animeId: anime.Id, status: WatchStatus.CURRENT, userId: user,
            currentEpisode: 3, details: new StoryDetailsChange(score: 87.5));
        var story = stories.CreateUserStory(created).Data;
        Expect(story.CurrentEpisode == 3, story);
        var reasons = ExpectError(409, () => stories.CreateUserStory(created));
        Expect(reasons is Dictionary<string, string> fields && fields.ContainsKey("anime_id"), reasons);
        var missing = ExpectError(404, () => stories.FindUserStory(story.Id + 1));
        Expect(missing is string, missing);
        var include = new List<StoryInclude> { StoryInclude.Anime, StoryInclude.Details };
        var listed = stories.ListUserStories(include: include).Data.Single();
        Expect(listed.Anime.Titles["rj"] == "Cowboy Bebop", listed);
        Expect(listed.Details.Score == 87.5 && listed.Details.FinishedOn == null, listed);
        foreach (StoryFileFormat format in Enum.GetValues(typeof(StoryFileFormat)))
        {
            var copy = new MemoryStream();
            new UserStoryFileApi(service).ExportUserStories(format).Content.CopyTo(copy);
            var text = Encoding.UTF8.GetString(copy.ToArray());
            Expect(format == StoryFileFormat.MalXml ? copy.ToArray()[0] == 0x1f : text.Contains("Cowboy Bebop"), text);
        }
        var change = new BatchedChange(anime.Id, op: Operation.Delete);
        var batch = new StoryBatch(new List<BatchedChange> { change });
        var changed = new UserStorySyncApi(service).ChangeUserStories(batch).Data.Single();
        Expect(changed.StatusCode == 200 && "".Equals(changed.Data), changed);
    }

    public static void Main(string[] arguments)
    {
        var service = new Configuration { BasePath = arguments[0] };
        var auth = new AuthApi(service);
        var password = "itomori 4 october";
        var account = new RegisterRequest(username: "csharp", email: "csharp@example.com", password: password);
        var user = auth.Register(account);
        var signedIn = auth.Login(new Login(username: "csharp", password: password));
        service.AccessToken = signedIn.Data.AccessToken;
        var anime = new AnimeApi(service).ListAnime(search: "cowboy bepop").Data[0];
        Expect(anime.Titles["rj"] == "Cowboy Bebop", anime);
        CheckStory(service, user.Data.User.Id, anime);
    }
}
