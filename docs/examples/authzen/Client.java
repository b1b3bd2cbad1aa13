import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.regex.Pattern;

/**
 * Asks an AuthZEN policy decision point with Java's standard library only (Java 11 and later).
 *
 *     PDP_URL=http://127.0.0.1:8080 PDP_TOKEN=gh1_... java Client.java [SUBJECT…]
 */
public class Client {
  // The standard library has no JSON parser; an application uses its own. The decision is the first member.
  private static final Pattern ALLOWED = Pattern.compile("^\\s*\\{\\s*\"decision\"\\s*:\\s*true\\b");
  private static final HttpClient HTTP = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();

  /** What ids and actions are made of. None of it needs escaping in JSON. */
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._~|@=+:-]{1,386}");

  /** Whether the user may perform the action on the record. Any fault means no. */
  static boolean may(String subject, String action, String resource) {
    for (String name : new String[] {subject, action, resource}) {
      if (!NAME.matcher(name).matches()) return false;
    }
    String question = String.format(
        "{\"subject\":{\"type\":\"user\",\"id\":\"%s\"},\"action\":{\"name\":\"%s\"},"
            + "\"resource\":{\"type\":\"record\",\"id\":\"%s\"}}",
        subject, action, resource);
    HttpRequest request = HttpRequest.newBuilder(URI.create(System.getenv("PDP_URL") + "/access/v1/evaluation"))
        .timeout(Duration.ofSeconds(2))
        .header("Authorization", "Bearer " + System.getenv("PDP_TOKEN"))
        .header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(question))
        .build();
    try {
      HttpResponse<String> answer = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
      return answer.statusCode() == 200 && ALLOWED.matcher(answer.body()).find();
    } catch (java.io.IOException fault) {
      return false;
    } catch (InterruptedException fault) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  public static void main(String[] arguments) {
    String[] subjects = arguments.length > 0 ? arguments : new String[] {"alice", "bob"};
    for (String subject : subjects) {
      System.out.println(subject + " write record-1: " + (may(subject, "write", "record-1") ? "allow" : "deny"));
    }
  }
}
