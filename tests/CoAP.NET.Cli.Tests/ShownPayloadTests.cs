namespace CoAP.NET.Cli.Tests;

/// <summary>How payloads look.</summary>
public sealed class ShownPayloadTests
{
    [Theory]
    [InlineData(111, "[{\"n\":\"a\",\"v\":1}]", "\"n\": \"a\"")]
    [InlineData(113, "no CBOR", "no CBOR")]
    public async Task SenML_streams_are_shown_in_their_encoding(int format, string payload, string expected)
    {
        await using CoapServer server = await TestServer.StartAsync(server =>
            server.MapGet("/stream",
                () => CoapResults.Content(new CoapContent(Encoding.UTF8.GetBytes(payload), (CoapContentFormat)format))));

        CliRun run = await CliHarness.RunAsync("get", $"{server.LocalEndpoints[0]}stream", "--pretty");

        run.HasExitCode(ExitCodes.Success);
        run.HasOut(expected);
    }

    [Fact]
    public async Task JSON_is_indented_with_its_numbers_unchanged()
    {
        CliRun run = await GetAsync("/json", "--pretty");

        Assert.Equal("{\n  \"t\": 21.50,\n  \"tags\": [\n    \"a\",\n    {}\n  ],\n  \"on\": true\n}\n", run.Out);
    }

    [Fact]
    public async Task JSON_is_colored_on_a_terminal_or_when_colors_are_requested()
    {
        (await GetAsync("/json", "--pretty", "--color", "always")).Out.Mentions("\u001b[");
        (await GetAsync(new CliHarness { IsTerminal = true }, "/json")).Out.Mentions("\u001b[");
        (await GetAsync(new CliHarness { IsTerminal = true }, "/json", "--color", "never")).Out.Omits("\u001b");
        (await GetAsync(new CliHarness { IsTerminal = true, Variables = { ["NO_COLOR"] = "1" } }, "/json")).Out.Omits("\u001b");
    }

    [Fact]
    public async Task Cbor_is_shown_in_diagnostic_notation()
    {
        Assert.Equal("{\"a\": [1, 2, 3], \"b\": h'cafe'}\n", (await GetAsync("/cbor", "--pretty")).Out);
    }

    [Fact]
    public async Task Links_are_shown_as_a_table()
    {
        string[] lines = (await GetAsync("/.well-known/core", "--pretty")).Out.Split('\n');

        Assert.Contains(lines, line => line.Trim().StartsWith("Target", Ordinal));
        Assert.Contains(lines, line => line == "  /text");
    }

    [Fact]
    public async Task Resource_names_are_not_truncated_on_a_narrow_terminal()
    {
        await using CoapServer server = await TestServer.StartAsync(server =>
            server.MapGet("/a/rather/long/path/of/a/resource", () => CoapResults.Text(""))
                .WithTitle("With a title that is longer than what is left"));

        CliRun run = await new CliHarness { IsTerminal = true, Width = 60 }
            .InvokeAsync("get", $"{server.LocalEndpoints[0]}.well-known/core");

        run.HasOut("/a/rather/long/path/of/a/resource");
    }

    [Fact]
    public async Task Senml_is_shown_as_a_table_of_resolved_records()
    {
        await using CoapServer server = await TestServer.StartAsync(server => server.MapGet("/senml", () => CoapResults.Content(
            new CoapContent("""[{"bn":"dev/","bt":1276020076,"n":"t","u":"Cel","v":23.5},{"n":"door","vb":true,"t":-5}]"""u8.ToArray(),
                CoapContentFormat.SenmlJson))));

        string text = (await CliHarness.RunAsync("get", $"{server.LocalEndpoints[0]}senml", "--pretty")).Out;

        Assert.Matches(@"dev/t\s+23\.5\s+Cel\s+2010-06-08 18:01:16\.000Z", text);
        Assert.Matches(@"dev/door\s+true\s+2010-06-08 18:01:11\.000Z", text);
    }

    [Fact]
    public async Task Bytes_are_shown_as_a_hex_dump_on_a_terminal_unless_raw_is_set()
    {
        Assert.Equal("00000000  00 01 02 ff                                       |....|\n",
            (await GetAsync(new CliHarness { IsTerminal = true }, "/binary")).Out);
        Assert.Equal([0, 1, 2, 0xff], (await GetAsync(new CliHarness { IsTerminal = true }, "/binary", "--raw")).OutBytes);
    }

    [Fact]
    public async Task A_large_payload_is_dumped_in_part_unless_all_of_it_is_requested()
    {
        await using CoapServer server = await TestServer.StartAsync(server =>
        {
            server.MapGet("/few", () => CoapResults.Bytes(new byte[1024]));
            server.MapGet("/many", () => CoapResults.Bytes(new byte[1025]));
        });
        string uri = server.LocalEndpoints[0].Origin();

        CliRun few = await new CliHarness { IsTerminal = true }.InvokeAsync("get", $"{uri}/few");
        CliRun many = await new CliHarness { IsTerminal = true }.InvokeAsync("get", $"{uri}/many", "--color", "never");
        CliRun wanted = await CliHarness.RunAsync("get", $"{uri}/many", "--pretty");

        Assert.Equal(64, few.Out.Count(c => c == '\n'));
        many.HasExitCode(ExitCodes.Success);
        Assert.Equal(17, many.Out.Count(c => c == '\n'));
        many.Out.Ends("\n# 256 of 1025 bytes. -o FILE saves all, --pretty shows all, --raw writes them unmodified.\n");
        Assert.Equal(65, wanted.Out.Count(c => c == '\n'));
    }

    [Fact]
    public async Task Text_payloads_cannot_send_control_sequences_to_the_terminal()
    {
        await using CoapServer server =
            await TestServer.StartAsync(server => server.MapGet("/evil", () => CoapResults.Text("a\u001b]0;title\u0007b\u009bc\n")));

        CliRun run = await new CliHarness { IsTerminal = true }.InvokeAsync("get", $"{server.LocalEndpoints[0]}evil");

        Assert.Equal("a␛]0;title␇b�c\n", run.Out);
    }

    [Fact]
    public async Task A_payload_that_does_not_match_its_format_is_shown_with_a_remark()
    {
        await using CoapServer server = await TestServer.StartAsync(server =>
        {
            server.MapGet("/json!", () => CoapResults.Content(new CoapContent("{oops"u8.ToArray(), CoapContentFormat.Json)));
            server.MapGet("/cbor!", () => CoapResults.Content(new CoapContent(new byte[] { 0x82, 0x01 }, CoapContentFormat.Cbor)));
        });

        (await CliHarness.RunAsync("get", $"{server.LocalEndpoints[0]}json!", "--pretty")).Out.Begins("# no application/json: ");
        (await CliHarness.RunAsync("get", $"{server.LocalEndpoints[0]}cbor!", "--pretty")).Out.Begins("# no application/cbor: ");
    }

    [Fact]
    public async Task JSON_output_has_an_object_for_each_response()
    {
        await using CoapServer server = await TestServer.StartAsync();
        string uri = server.LocalEndpoints[0].Origin();

        CliRun run = await CliHarness.RunAsync("get", $"{uri}/json", "--json", "--repeat", "2", "--interval", "0");

        string[] lines = run.Out.Split('\n');
        Assert.Equal(3, lines.Length);
        JsonElement json = JsonDocument.Parse(lines[1]).RootElement;
        Assert.Equal("GET", json.TextOf("method"));
        Assert.Equal($"{uri}/json", json.TextOf("uri"));
        Assert.Equal(uri["coap://".Length..], json.TextOf("peer"));
        Assert.Equal("2.05", json.TextOf("code"));
        Assert.Equal("Content", json.TextOf("name"));
        Assert.True(json.GetProperty("success").GetBoolean());
        Assert.Equal(50, json.GetProperty("contentFormat").GetInt32());
        Assert.Equal("application/json", json.TextOf("mediaType"));
        Assert.Equal("21.50", json.GetProperty("payload").GetProperty("t").GetRawText());
        lines[1].Mentions("\"number\":12,\"name\":\"Content-Format\",\"value\":\"application/json\",\"hex\":\"32\"");
        Assert.Empty(run.Error);
    }

    [Fact]
    public async Task JSON_output_has_the_bytes_in_base64_and_the_CBOR_notation()
    {
        JsonElement json = JsonDocument.Parse((await GetAsync("/cbor", "--json")).Out).RootElement;

        Assert.Equal("omFhgwECA2FiQsr+", json.TextOf("payloadBase64"));
        Assert.Equal("{\"a\": [1, 2, 3], \"b\": h'cafe'}", json.TextOf("cbor"));
    }

    [Fact]
    public async Task JSON_output_includes_error_responses()
    {
        CliRun run = await GetAsync("/nowhere", "--json");

        run.HasExitCode(ExitCodes.ClientError);
        Assert.Equal("4.04", JsonDocument.Parse(run.Out).RootElement.TextOf("code"));
    }

    private static Task<CliRun> GetAsync(string path, params string[] args) => GetAsync(new CliHarness(), path, args);

    private static async Task<CliRun> GetAsync(CliHarness harness, string path, params string[] args)
    {
        await using CoapServer server = await TestServer.StartAsync();
        return await harness.InvokeAsync(["get", server.LocalEndpoints[0].Origin() + path, .. args]);
    }
}
