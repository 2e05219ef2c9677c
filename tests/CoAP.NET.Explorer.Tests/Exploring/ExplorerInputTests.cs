using System.Text.Json.Nodes;
using System.Text.Json.Serialization.Metadata;
using CoAP.NET.Explorer.Exploring;
using CoAP.NET.Explorer.Pages;

namespace CoAP.NET.Explorer.Tests.Exploring;

/// <summary>Requests of the page with a wrong member: each gets 400 and a description, whatever is wrong.</summary>
public sealed class ExplorerInputTests(ExplorerWorld world) : IClassFixture<ExplorerWorld>
{
    private const string Huge = "\"huge\"";

    private static readonly string[] s_noObject = ["5", "\"x\"", "true", "[]"];
    private static readonly string[] s_noText = ["null", "5", "-1", "true", "[]", "{}"];
    private static readonly string[] s_noOptionalText = ["5", "-1", "true", "[]", "{}"];
    private static readonly string[] s_noSwitch = ["null", "5", "\"true\"", "[]", "{}"];
    private static readonly string[] s_noNumber = ["\"5\"", "true", "[]", "{}", "-1", "1e308", "1e400", "9223372036854775807",
        "9223372036854775808", "-9223372036854775808"];

    /// <summary>The members of all requests, with their wrong values. Those that are text in any form may have any.</summary>
    private static readonly Dictionary<string, string[]> s_wrong = new()
    {
        ["method"] = [.. s_noText, "\"\"", "\"BREW\"", Huge],
        ["uri"] = [.. s_noText, "\"\"", "\"http://127.0.0.1/\"", "\"coap://127.0.0.1:0/\"", "\"coap://127.0.0.1/\\u0000\"", Huge],
        ["target"] = [.. s_noText, "\"\"", "\"http://127.0.0.1/\"", "\"coap://127.0.0.1:0/\"", Huge],
        ["confirmable"] = s_noSwitch,
        ["options"] = ["null", "5", "\"x\"", "{}", "[null]", "[5]", "[[]]", "[{}]", "[{\"number\":17}]", "[{\"value\":\"1\"}]"],
        ["options.number"] = [.. s_noNumber, "null", "70000", "0.5"],
        ["options.value"] = [.. s_noText, "\"-1\"", Huge],
        ["payload"] = [.. s_noObject, "{}"],
        ["payload.kind"] = [.. s_noText, "\"\"", "\"smoke\"", Huge],
        ["payload.value"] = s_noOptionalText,
        ["blockSize"] = [.. s_noNumber, "0", "17", "2048", "0.5"],
        ["offset"] = [.. s_noNumber, "null", "1073741825", "0.5"],
        ["timeoutSeconds"] = [.. s_noNumber, "0", "3600.5"],
        ["security"] = s_noObject,
        ["security.profile"] = [.. s_noOptionalText, "\"\"", "\"?\"", Huge],
        ["security.identity"] = s_noOptionalText,
        ["security.ca"] = s_noOptionalText,
        ["security.certificate"] = [.. s_noOptionalText, "\"\"", Huge],
        ["security.key"] = s_noOptionalText,
        ["security.insecure"] = s_noSwitch,
        ["seconds"] = [.. s_noNumber, "0", "60.5"],
        ["contentFormat"] = [.. s_noOptionalText, "\"\"", "\"x\"", "\"-1\"", "\"65536\"", Huge],
    };

    [Theory]
    [InlineData("request")]
    [InlineData("observe")]
    [InlineData("code")]
    [InlineData("resources")]
    [InlineData("discover")]
    [InlineData("convert")]
    public async Task A_wrong_member_is_answered_400_with_a_description(string call)
    {
        JsonObject right = Right(call);
        List<string> problems = [];
        foreach (string path in PathsOf(right))
        {
            // The snippets of code have names in place of secrets.
            foreach (string value in s_wrong[path].Where(value =>
                call != "code" || !path.StartsWith("security.", Ordinal) || value[0] != '"'))
            {
                JsonObject body = (JsonObject)right.DeepClone();
                Set(body, path, JsonNode.Parse(value == Huge ? $"\"{new string('7', 200_000)}\"" : value));
                using HttpResponseMessage response = await world.Page.CallAsync(call, body);
                string text = await response.Content.ReadAsStringAsync();
                if (response.StatusCode != HttpStatusCode.BadRequest || !Describes(text))
                {
                    problems.Add($"{path} = {value}: {(int)response.StatusCode} {text[..Math.Min(text.Length, 300)]}");
                }
            }
        }

        Assert.Empty(problems);
    }

    [Theory]
    [InlineData("request")]
    [InlineData("code")]
    [InlineData("resources")]
    [InlineData("convert")]
    public async Task A_right_request_and_one_without_its_optional_members_are_answered(string call)
    {
        JsonObject right = Right(call);
        JsonObject least = [];
        foreach (string name in (string[])["method", "uri", "target"])
        {
            if (right.TryGetPropertyValue(name, out JsonNode? value))
            {
                least[name] = value!.DeepClone();
            }
        }

        foreach (JsonObject body in (JsonObject[])[right, least])
        {
            using HttpResponseMessage response = await world.Page.CallAsync(call, body);
            Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        }
    }

    [Fact]
    public async Task A_value_that_no_option_can_have_is_answered_400()
    {
        JsonObject body = Right("request");
        body["options"] = new JsonArray(new JsonObject { ["number"] = 65_000, ["value"] = new string('0', 2 * 65_805) });
        using HttpResponseMessage response = await world.Page.CallAsync("request", body);

        Assert.Equal(HttpStatusCode.BadRequest, response.StatusCode);
        Assert.True(Describes(await response.Content.ReadAsStringAsync()));
    }

    [Theory]
    [InlineData("request", "null")]
    [InlineData("request", "")]
    [InlineData("request", "[]")]
    [InlineData("request", "{\"method\":")]
    [InlineData("convert", "5")]
    [InlineData("discover", "\"x\"")]
    public async Task A_body_that_is_not_an_object_is_answered_400(string call, string body)
    {
        using HttpResponseMessage response = await world.Page.SendAsync(call, new StringContent(body, Encoding.UTF8, "application/json"));

        Assert.Equal(HttpStatusCode.BadRequest, response.StatusCode);
        Assert.True(Describes(await response.Content.ReadAsStringAsync()));
    }

    [Theory]
    [InlineData("null")]
    [InlineData("{\"options\":[null]}")]
    [InlineData("{")]
    public async Task A_form_whose_request_is_wrong_is_answered_400(string request)
    {
        using MultipartFormDataContent form = new()
        {
            { new StringContent(request), "request" },
            { new ByteArrayContent([1]), "file", "file" },
        };
        using HttpResponseMessage response = await world.Page.SendAsync("request", form);

        Assert.Equal(HttpStatusCode.BadRequest, response.StatusCode);
        Assert.True(Describes(await response.Content.ReadAsStringAsync()));
    }

    [Fact]
    public async Task A_malformed_form_is_answered_400()
    {
        using StringContent content = new("x");
        content.Headers.ContentType = System.Net.Http.Headers.MediaTypeHeaderValue.Parse("multipart/form-data; boundary=abc");
        using HttpResponseMessage response = await world.Page.SendAsync("request", content);

        Assert.Equal(HttpStatusCode.BadRequest, response.StatusCode);
        Assert.True(Describes(await response.Content.ReadAsStringAsync()));
    }

    [Fact]
    public async Task A_body_with_a_malformed_chunk_is_answered_400()
    {
        using System.Net.Sockets.TcpClient client = new();
        await client.ConnectAsync(IPAddress.Loopback, world.Page.Http.BaseAddress!.Port);
        using System.Net.Sockets.NetworkStream stream = client.GetStream();
        await stream.WriteAsync(Encoding.ASCII.GetBytes(
            $"POST /api/request HTTP/1.1\r\nHost: 127.0.0.1\r\nX-CoAP-Explorer: {world.Page.Token}\r\nContent-Type: application/json\r\n"
                + "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\n"));
        using StreamReader reader = new(stream);

        string response = await reader.ReadToEndAsync().WaitAsync(FromMinutes(2));

        response.Begins("HTTP/1.1 400 ");
        response.Mentions("Not received");
    }

    [Fact]
    public void Every_member_has_wrong_values()
    {
        HashSet<string> members = [];
        Collect(PageJson.Default.EditorRequest, "");
        Collect(PageJson.Default.ResourcesRequest, "");
        Collect(PageJson.Default.DiscoverServersRequest, "");
        Collect(PageJson.Default.PayloadBytesRequest, "");
        Assert.Equal(members.Order(StringComparer.Ordinal), s_wrong.Keys.Order(StringComparer.Ordinal));

        void Collect(JsonTypeInfo type, string prefix)
        {
            foreach (JsonPropertyInfo member in type.Properties)
            {
                members.Add(prefix + member.Name);
                Type of = member.PropertyType == typeof(IReadOnlyList<EditorOption>) ? typeof(EditorOption) : member.PropertyType;
                if (of.Namespace == typeof(EditorRequest).Namespace)
                {
                    Collect(PageJson.Default.GetTypeInfo(of)!, member.Name + ".");
                }
            }
        }
    }

    // A description is for users: it names no parameter of a method and no type of an exception.
    private static bool Describes(string text)
    {
        try
        {
            JsonElement problem = JsonDocument.Parse(text).RootElement;
            string detail = problem.TextOf("detail")!;
            return problem.TextOf("title")!.Length > 0 && detail.Length > 0 && !detail.Contains("(Parameter", Ordinal)
                && !detail.Contains("Exception", Ordinal);
        }
        catch (JsonException)
        {
            return false;
        }
    }

    private static IEnumerable<string> PathsOf(JsonObject body)
    {
        foreach ((string name, JsonNode? value) in body)
        {
            yield return name;
            JsonObject? inner = value as JsonObject ?? (value as JsonArray)?[0] as JsonObject;
            foreach (string path in inner is null ? [] : PathsOf(inner))
            {
                yield return $"{name}.{path}";
            }
        }
    }

    private static void Set(JsonObject body, string path, JsonNode? value)
    {
        string[] names = path.Split('.');
        JsonNode parent = names.Length == 1 ? body : body[names[0]]!;
        (parent is JsonArray all ? all[0]! : parent)[names[^1]] = value;
    }

    private JsonObject Right(string call)
    {
        JsonObject security = new()
        {
            ["profile"] = null, ["identity"] = null, ["ca"] = null, ["certificate"] = null, ["key"] = null, ["insecure"] = false,
        };
        JsonObject payload = new() { ["kind"] = "text", ["value"] = "x" };
        return call switch
        {
            "resources" => new JsonObject { ["target"] = world.Coap, ["security"] = security },
            "discover" => new JsonObject { ["seconds"] = 0.1 },
            "convert" => new JsonObject { ["payload"] = payload, ["contentFormat"] = "0" },
            _ => new JsonObject
            {
                ["method"] = "POST",
                ["uri"] = world.Coap + "/echo",
                ["confirmable"] = true,
                ["options"] = new JsonArray(new JsonObject { ["number"] = 17, ["value"] = "0" }),
                ["payload"] = payload,
                ["blockSize"] = 64,
                ["offset"] = 0,
                ["timeoutSeconds"] = 60,
                ["security"] = security,
            },
        };
    }
}
