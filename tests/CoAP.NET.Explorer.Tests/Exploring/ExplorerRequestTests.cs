using System.Net.Http.Json;

namespace CoAP.NET.Explorer.Tests.Exploring;

/// <summary>What the page asks of its server, and what devices get and answer.</summary>
public sealed class ExplorerRequestTests(ExplorerWorld world) : IClassFixture<ExplorerWorld>
{
    private ExplorerPage Page => world.Page;

    [Fact]
    public async Task A_request_is_answered_with_code_options_and_payload()
    {
        JsonElement response = await Page.ResponseAsync(new { method = "GET", uri = world.Coap + "/hello" });

        Assert.Equal("2.05", response.TextOf("code"));
        Assert.Equal("Content", response.TextOf("name"));
        Assert.Equal("hello world!", ExplorerPage.Payload(response).TextOf("text"));
        Assert.Equal(0, response.GetProperty("contentFormat").GetInt32());
        Assert.True(response.GetProperty("elapsedMs").GetDouble() > 0);
    }

    [Fact]
    public async Task The_messages_are_reported_byte_by_byte_as_sent()
    {
        List<JsonElement> events = await Page.RunAsync("request", new { method = "GET", uri = world.Coap + "/hello" });

        List<JsonElement> wire = [.. events.Where(one => ExplorerPage.Kind(one) == "wire")];
        Assert.Equal([true, false], wire.Select(one => one.GetProperty("outbound").GetBoolean()));
        JsonElement request = wire[0].GetProperty("message");
        JsonElement answer = wire[1].GetProperty("message");
        Assert.Equal("CON GET /hello", request.TextOf("summary"));
        Assert.Equal("ACK", answer.TextOf("type"));
        Assert.Equal(request.GetProperty("messageId").GetInt32(), answer.GetProperty("messageId").GetInt32());
        Assert.Equal(request.TextOf("token"), answer.TextOf("token"));
        string hex = wire[0].TextOf("hex")!;
        int end = wire[0].GetProperty("fields").EnumerateArray()
            .Max(field => field.GetProperty("offset").GetInt32() + field.GetProperty("length").GetInt32());
        Assert.Equal(hex.Length / 2, end);
        wire[0].GetProperty("fields").ToString().Mentions("Message ID");
    }

    [Fact]
    public async Task The_blocks_of_a_large_body_are_reported_and_its_parts_are_passed_on_as_they_arrive()
    {
        List<JsonElement> events = await Page.RunAsync(
            "request", new { method = "GET", uri = world.Coap + "/large", blockSize = 256 });

        JsonElement response = events.Single(one => ExplorerPage.Kind(one) == "response");
        byte[] body = ExplorerPage.Payload(response).GetProperty("base64").GetBytesFromBase64();
        Assert.Equal(2000, body.Length);
        Assert.Equal(8, events.Count(one => ExplorerPage.Kind(one) == "wire" && one.GetProperty("outbound").GetBoolean()));
        using MemoryStream joined = new();
        foreach (JsonElement part in events.Where(one => ExplorerPage.Kind(one) == "data"))
        {
            Assert.Equal(joined.Length, part.GetProperty("offset").GetInt64());
            joined.Write(part.GetProperty("base64").GetBytesFromBase64());
        }

        Assert.Equal(body, joined.ToArray());
        Assert.Contains(events, one => ExplorerPage.Kind(one) == "progress" && !one.GetProperty("upload").GetBoolean());
    }

    [Fact]
    public async Task A_download_resumes_at_a_given_offset()
    {
        JsonElement whole = await Page.ResponseAsync(new { method = "GET", uri = world.Coap + "/large", blockSize = 256 });
        JsonElement rest = await Page.ResponseAsync(new { method = "GET", uri = world.Coap + "/large", blockSize = 256, offset = 1024 });

        byte[] all = ExplorerPage.Payload(whole).GetProperty("base64").GetBytesFromBase64();
        Assert.Equal(all[1024..], ExplorerPage.Payload(rest).GetProperty("base64").GetBytesFromBase64());
    }

    [Fact]
    public async Task A_file_is_uploaded_and_the_progress_is_reported()
    {
        byte[] file = new byte[100_000];
        new Random(1).NextBytes(file);
        object description = new { method = "PUT", uri = world.Coap + "/file", payload = new { kind = "file" } };
        using MultipartFormDataContent form = new()
        {
            { new StringContent(JsonSerializer.Serialize(description)), "request" },
            { new ByteArrayContent(file), "file", "firmware.bin" },
        };

        List<JsonElement> events = await Page.RunAsync("request", description, form);

        Assert.Equal("2.04", events.Single(one => ExplorerPage.Kind(one) == "response").TextOf("code"));
        Assert.Equal(file, world.File);
        JsonElement last = events.Last(one => ExplorerPage.Kind(one) == "progress");
        Assert.True(last.GetProperty("upload").GetBoolean());
        Assert.Equal(file.Length, last.GetProperty("total").GetInt64());
    }

    [Fact]
    public async Task A_file_that_is_too_large_is_refused()
    {
        object description = new { method = "PUT", uri = world.Coap + "/file", payload = new { kind = "file" } };
        using MultipartFormDataContent form = new()
        {
            { new StringContent(JsonSerializer.Serialize(description)), "request" },
            { new ByteArrayContent(new byte[(2 * 1024 * 1024) + 1]), "file", "firmware.bin" },
        };
        using HttpRequestMessage request = new(HttpMethod.Post, "api/request") { Content = form };
        request.Headers.Add("X-CoAP-Explorer", world.Explorer.Address.Fragment.Split('=')[1]);

        using HttpResponseMessage response = await Page.Http.SendAsync(request);

        Assert.Equal(413, (int)response.StatusCode);
    }

    [Theory]
    [InlineData("text", "21.5", "32312e35")]
    [InlineData("json", "{\"a\":1}", "7b2261223a317d")]
    [InlineData("cbor", "{1: h'00ff', 2: [true, null]}", "a2014200ff0282f5f6")]
    [InlineData("hex", "0x00 01 ff", "0001ff")]
    [InlineData("base64", "AAH/", "0001ff")]
    public async Task A_payload_is_sent_exactly_as_written(string kind, string value, string hex)
    {
        JsonElement response = await Page.ResponseAsync(new { method = "POST", uri = world.Coap + "/echo", payload = new { kind, value } });

        Assert.Equal(hex, Convert.ToHexStringLower(ExplorerPage.Payload(response).GetProperty("base64").GetBytesFromBase64()));
        JsonElement converted = await Page.AskAsync("convert", new { payload = new { kind, value } });
        Assert.Equal(hex, converted.TextOf("hex"));
    }

    [Theory]
    [InlineData("json", "{")]
    [InlineData("cbor", "{1: ")]
    [InlineData("hex", "0g")]
    [InlineData("base64", "?")]
    [InlineData("senml", "{}")]
    [InlineData("smoke", "")]
    public async Task A_payload_that_does_not_match_its_format_is_refused_with_a_reason(string kind, string value)
    {
        (int status, string title) = await Page.RefusedAsync(
            "request", new { method = "POST", uri = world.Coap + "/echo", payload = new { kind, value } });

        Assert.Equal(400, status);
        Assert.NotEmpty(title);
    }

    [Fact]
    public async Task SenML_is_shown_as_records_and_CBOR_in_diagnostic_notation_and_as_JSON()
    {
        JsonElement senml = ExplorerPage.Payload(await Page.ResponseAsync(new { method = "GET", uri = world.Coap + "/senml" }));
        JsonElement cbor = ExplorerPage.Payload(await Page.ResponseAsync(new { method = "GET", uri = world.Coap + "/cbor" }));

        JsonElement record = Assert.Single(senml.GetProperty("senml").EnumerateArray());
        Assert.Equal("urn:dev:1:temp", record.TextOf("name"));
        Assert.Equal(21.5, record.GetProperty("value").GetDouble());
        Assert.Equal("{1: true}", cbor.TextOf("notation"));
        Assert.Equal("{\"1\":true}", cbor.TextOf("json")!.ReplaceLineEndings("").Replace(" ", ""));
    }

    [Theory]
    [InlineData(17, "50")]
    [InlineData(60, "1000000")]
    [InlineData(4, "0102")]
    [InlineData(15, "a=1")]
    [InlineData(5, "")]
    [InlineData(65000, "00ff")]
    public async Task Options_are_sent_as_written(int number, string value)
    {
        List<JsonElement> events = await Page.RunAsync(
            "request", new { method = "PUT", uri = world.Coap + "/nothing-here", options = new[] { new { number, value } } });

        JsonElement request = events.First(one => ExplorerPage.Kind(one) == "wire").GetProperty("message");
        JsonElement sent = request.GetProperty("options").EnumerateArray()
            .Single(option => option.GetProperty("number").GetInt32() == number);
        string hex = sent.TextOf("hex")!;
        Assert.Equal(value, number switch
        {
            17 or 60 => $"{Convert.ToInt32(hex, 16)}",
            15 => Encoding.UTF8.GetString(Convert.FromHexString(hex)),
            _ => hex,
        });
    }

    [Theory]
    [InlineData(17, "json")]
    [InlineData(5, "1")]
    [InlineData(4, "010203040506070809")]
    [InlineData(4, "xyz")]
    [InlineData(70000, "00")]
    public async Task An_invalid_option_is_refused(int number, string value)
    {
        (int status, _) = await Page.RefusedAsync(
            "request", new { method = "GET", uri = world.Coap + "/hello", options = new[] { new { number, value } } });

        Assert.Equal(400, status);
    }

    [Fact]
    public async Task Every_method_reaches_the_server()
    {
        foreach (string method in (string[])["GET", "POST", "PUT", "DELETE", "FETCH", "PATCH", "iPATCH"])
        {
            List<JsonElement> events = await Page.RunAsync("request", new
            {
                method,
                uri = world.Coap + "/nothing-here",
                options = new[] { new { number = 12, value = "0" } },
                payload = new { kind = "text", value = "x" },
            });
            Assert.Contains($"CON {method}", events.First(one => ExplorerPage.Kind(one) == "wire")
                .GetProperty("message").TextOf("summary"), OrdinalIgnoreCase);
        }

        (int status, _) = await Page.RefusedAsync("request", new { method = "BREW", uri = world.Coap + "/hello" });
        Assert.Equal(400, status);
    }

    [Fact]
    public async Task A_connection_shows_its_capabilities_and_is_reused()
    {
        List<JsonElement> first = await Page.RunAsync("request", new { method = "GET", uri = world.Tcp + "/hello" });
        List<JsonElement> second = await Page.RunAsync("request", new { method = "GET", uri = world.Tcp + "/hello" });

        Assert.Contains(first, one => ExplorerPage.Kind(one) == "wire"
            && one.GetProperty("message").TextOf("name") == "CSM");
        Assert.DoesNotContain(second, one => ExplorerPage.Kind(one) == "wire"
            && one.GetProperty("message").TextOf("name") == "CSM");
        Assert.Equal("2.05", second.Single(one => ExplorerPage.Kind(one) == "response").TextOf("code"));
    }

    [Fact]
    public async Task A_session_is_opened_by_a_profile_of_the_server_or_by_a_key_of_the_user()
    {
        JsonElement byProfile = await Page.ResponseAsync(
            new { method = "GET", uri = world.Coaps + "/hello", security = new { profile = "the tests" } });
        string[] parts = ExplorerWorld.Psk.Split(':');
        JsonElement byKey = await Page.ResponseAsync(
            new { method = "GET", uri = world.Coaps + "/hello", security = new { identity = parts[0], key = parts[1] } });

        Assert.Equal("2.05", byProfile.TextOf("code"));
        Assert.Equal("2.05", byKey.TextOf("code"));
    }

    [Fact]
    public async Task The_error_for_a_wrong_key_does_not_show_the_key()
    {
        List<JsonElement> events = await Page.RunAsync("request", new
        {
            method = "GET",
            uri = world.Coaps + "/hello",
            security = new { identity = "explorer", key = "a wrong secret" },
            timeoutSeconds = 3,
        });

        JsonElement error = events.Single(one => ExplorerPage.Kind(one) == "error");
        error.ToString().Omits("a wrong secret");
        Assert.NotEmpty(error.TextOf("hint")!);
    }

    [Fact]
    public async Task An_unanswered_request_is_reported_as_an_error()
    {
        using System.Net.Sockets.UdpClient silent = new(new IPEndPoint(IPAddress.Loopback, 0));
        List<JsonElement> events = await Page.RunAsync("request", new
        {
            method = "GET",
            uri = $"coap://{silent.Client.LocalEndPoint}/x",
            timeoutSeconds = 0.2,
        });

        JsonElement error = events.Single(one => ExplorerPage.Kind(one) == "error");
        Assert.Equal("No answer", error.TextOf("title"));
    }

    [Fact]
    public async Task A_request_is_cancelled_when_its_page_disconnects()
    {
        using CancellationTokenSource leave = new();
        using HttpRequestMessage request = new(HttpMethod.Post, "api/request")
        {
            Content = JsonContent.Create(new { method = "GET", uri = world.Tcp + "/never" }),
        };
        request.Headers.Add("X-CoAP-Explorer", world.Explorer.Address.Fragment.Split('=')[1]);
        using HttpResponseMessage response = await Page.Http.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, leave.Token);
        using StreamReader reader = new(await response.Content.ReadAsStreamAsync());
        (await reader.ReadLineAsync()).Mentions("wire");

        await leave.CancelAsync();
        response.Dispose();

        // Its place is free again: as many as one user may have can be taken.
        for (int i = 0; i < 16; i++)
        {
            await Page.ResponseAsync(new { method = "GET", uri = world.Coap + "/hello" });
        }
    }

    [Fact]
    public async Task An_observation_reports_each_change_until_the_page_disconnects()
    {
        List<string> seen = [];
        await foreach (JsonElement one in Page.EventsAsync("observe", new { method = "GET", uri = world.Coap + "/count" }))
        {
            if (ExplorerPage.Kind(one) == "notification")
            {
                seen.Add(ExplorerPage.Payload(one).TextOf("text")!);
                if (seen.Count == 3)
                {
                    break;
                }

                world.Increase();
            }
        }

        int first = int.Parse(seen[0], System.Globalization.CultureInfo.InvariantCulture);
        Assert.Equal([$"{first}", $"{first + 1}", $"{first + 2}"], seen);
    }

    [Fact]
    public async Task The_resources_of_a_server_are_listed_with_their_attributes()
    {
        JsonElement answer = await Page.AskAsync("resources", new { target = world.Coap });

        JsonElement count = answer.GetProperty("links").EnumerateArray()
            .Single(link => link.TextOf("path") == "/count");
        Assert.True(count.GetProperty("obs").GetBoolean());
        Assert.Equal("A number that grows", count.TextOf("title"));
        Assert.Equal(world.Coap + "/count", count.TextOf("uri"));
    }

    [Fact]
    public async Task The_page_gets_names_numbers_and_the_allowed_targets()
    {
        JsonElement about = await Page.AskAsync("about", new { });

        Assert.Equal(world.Coap, about.TextOf("target"));
        Assert.Equal(JsonValueKind.Null, about.GetProperty("targets").ValueKind);
        Assert.Contains(about.GetProperty("options").EnumerateArray(), option => option.TextOf("name") == "Uri-Host"
            && option.TextOf("format") == "string");
        Assert.Contains(about.GetProperty("formats").EnumerateArray(), format => format.GetProperty("number").GetInt32() == 50);
        Assert.Equal("the tests", Assert.Single(about.GetProperty("profiles").EnumerateArray()).TextOf("name"));
        about.ToString().Omits("secret of the tests");
    }
}
