// Uses a client that openapi-generator made: `SmokeKt ADDRESS`.

import org.openapitools.client.apis.AnimeApi
import org.openapitools.client.apis.AuthApi
import org.openapitools.client.apis.UserStoryApi
import org.openapitools.client.apis.UserStoryFileApi
import org.openapitools.client.apis.UserStorySyncApi
import org.openapitools.client.infrastructure.ApiClient
import org.openapitools.client.infrastructure.ClientError
import org.openapitools.client.infrastructure.ClientException
import org.openapitools.client.models.*

/** Returns the body of an error. */
fun expectError(status: Int, call: () -> Any): String {
    try {
        call()
    } catch (error: ClientException) {
        check(error.statusCode == status) { error }
        return (error.response as ClientError<*>).body as String
    }
    error("$status was expected")
}

fun checkStory(address: String, user: Long, anime: Anime) {
    val stories = UserStoryApi(address)
    val details = StoryDetailsChange(score = 87.5)
    val new = CreateUserStory(anime.id, WatchStatus.CURRENT, user, currentEpisode = 3, details = details)
    val story = stories.createUserStory(new).`data`
    check(story.currentEpisode == 3L) { story }
    val reasons = expectError(409) { stories.createUserStory(new) }
    check(reasons.contains("\"anime_id\"")) { reasons }
    val missing = expectError(404) { stories.findUserStory(story.id + 1) }
    check(missing.contains("\"status_code\":404")) { missing }
    val listed = stories.listUserStories(include = listOf(StoryInclude.anime, StoryInclude.details)).`data`.single()
    check(listed.anime?.titles?.get("rj") == "Cowboy Bebop") { listed }
    check(listed.details?.score == 87.5 && listed.details?.finishedOn == null) { listed }
    for (format in StoryFileFormat.entries) {
        val file = UserStoryFileApi(address).exportUserStories(format)
        val bytes = file.readBytes()
        file.delete()
        check(if (format == StoryFileFormat.mal_xml) bytes[0].toInt() == 0x1f else "Cowboy Bebop" in String(bytes))
    }
    val change = BatchedChange(anime.id, Operation.delete)
    val changed = UserStorySyncApi(address).changeUserStories(StoryBatch(listOf(change))).`data`.single()
    check(changed.statusCode == 200 && changed.`data` == "") { changed }
}

fun main(arguments: Array<String>) {
    val address = arguments.single()
    val auth = AuthApi(address)
    val user = auth.register(RegisterRequest("kotlin@example.com", "itomori 4 october", "kotlin")).`data`.user
    val signedIn = auth.login(Login("itomori 4 october", username = "kotlin"))
    ApiClient.accessToken = signedIn.`data`.accessToken
    val anime = AnimeApi(address).listAnime(search = "cowboy bepop", formats = listOf(AnimeFormat.TV)).`data`.first()
    check(anime.titles["rj"] == "Cowboy Bebop") { anime }
    checkStory(address, user.id, anime)
    // The connections of OkHttp would keep the program alive for a minute.
    kotlin.system.exitProcess(0)
}
