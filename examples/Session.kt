// The session of the README with the JDK's HTTP client: aliases, then reveal. Not compiled by the tests.
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse
import java.util.Base64
import java.util.UUID

class Cloakroom(private val gateway: String, private val authorization: String) {
    private val client = HttpClient.newHttpClient()

    /** The response's body. A refusal is a problem (RFC 9457); with a key a repetition gets the first response again. */
    fun call(method: String, path: String, body: String? = null, key: String? = null): String {
        val publisher = body?.let { HttpRequest.BodyPublishers.ofString(it) } ?: HttpRequest.BodyPublishers.noBody()
        val request = HttpRequest.newBuilder(URI.create(gateway + path)).method(method, publisher)
            .header("Authorization", authorization).header("Content-Type", "application/json")
        if (key != null) request.header("Idempotency-Key", key)
        val response = client.send(request.build(), HttpResponse.BodyHandlers.ofString())
        check(response.statusCode() in 200..299) { "${response.statusCode()}: ${response.body()}" }
        return response.body()
    }
}

fun main(arguments: Array<String>) {
    val basic = "Basic " + Base64.getEncoder().encodeToString("dev:dev-secret".toByteArray())
    val cloakroom = Cloakroom(arguments.firstOrNull() ?: "http://127.0.0.1:8080", basic)
    val card = """{"fields":{"card_number":"4111 1111 1111 1111","card_holder":"Joe Business","exp_date":"12/30","cvc":"123"}}"""
    val made = cloakroom.call("POST", "/v1/forms/checkout/aliases", card, UUID.randomUUID().toString())
    val alias = checkNotNull(Regex("\"card_number\":\"(\\d+)\"").find(made)).groupValues[1]
    check("4111111111111111" in cloakroom.call("GET", "/aliases/$alias"))
    println("done")
}
