namespace CoAP.NET.Cli.Tests.Decoding;

public sealed class DecodeTests : FolderTest
{
    private const string Request = "44013039deadbeefb474656d701132ff7b2261223a317d";

    [Fact]
    public async Task A_message_is_explained_field_by_field()
    {
        CliRun run = await CliHarness.RunAsync("decode", Request);

        run.HasExitCode(ExitCodes.Success);
        Assert.Equal(
            """
            CON GET /temp  (23 bytes, UDP)
            0000  44                       Version 1, type Confirmable (CON), token length 4
            0001  01                       Code 0.01 GET: request
            0002  30 39                    Message ID 12345
            0004  de ad be ef              Token deadbeef
            0008  b4                       Option 11 Uri-Path: delta 11, length 4; critical, unsafe to forward
            0009  74 65 6d 70                temp
            000d  11                       Option 12 Content-Format: delta 1, length 1; elective, safe to forward
            000e  32                         application/json
            000f  ff                       Payload marker
            0010  7b 22 61 22 3a 31 7d     Payload, 7 bytes, application/json
                {
                  "a": 1
                }

            """,
            run.Out);
    }

    [Fact]
    public async Task A_message_may_be_given_as_hexadecimal_text_or_as_a_file()
    {
        string expected = (await CliHarness.RunAsync("decode", Request)).Out;
        byte[] bytes = Convert.FromHexString(Request);
        string file = Path.Combine(Folder, "message.bin");
        await File.WriteAllBytesAsync(file, bytes);
        string spaced = string.Join(' ', Request.Chunk(2).Select(pair => new string(pair)));

        Assert.Equal(expected, (await CliHarness.RunAsync(["decode", .. spaced.Split(' ')])).Out);
        Assert.Equal(expected, (await CliHarness.RunAsync("decode", spaced.Replace(' ', ':'))).Out);
        Assert.Equal(expected, (await CliHarness.RunAsync("decode", "0x" + Request)).Out);
        Assert.Equal(expected, (await CliHarness.RunAsync("decode", "0x" + spaced.Replace(" ", ", 0x"))).Out);
        Assert.Equal(expected, (await CliHarness.RunAsync("decode", "--file", file)).Out);
        Assert.Equal(expected, (await new CliHarness { Input = bytes }.InvokeAsync("decode", "-")).Out);
        Assert.Equal(expected, (await new CliHarness { Input = Encoding.ASCII.GetBytes(spaced + "\n") }.InvokeAsync("decode", "-")).Out);
    }

    [Theory]
    [InlineData("44", "udp", 1, "RFC 7252 section 3")]
    [InlineData("84013039", "udp", 0, "RFC 7252 section 3")]
    [InlineData("44013039dead", "udp", 6, "RFC 7252 section 3")]
    [InlineData("4f013039", "udp", 0, "RFC 8974 section 2.1")]
    [InlineData("4000303901", "udp", 4, "RFC 7252 section 4.1")]
    [InlineData("40013039f0", "udp", 4, "RFC 7252 section 3.1")]
    [InlineData("400130390f", "udp", 4, "RFC 7252 section 3.1")]
    [InlineData("40013039d0", "udp", 5, "RFC 7252 section 3.1")]
    [InlineData("40013039b474", "udp", 6, "RFC 7252 section 3.1")]
    [InlineData("40013039b161e0ffff", "udp", 6, "RFC 7252 section 12.2")]
    [InlineData("40013039ff", "udp", 4, "RFC 7252 section 3")]
    [InlineData("40213039", "udp", 1, "RFC 7252 section 4.2")]
    [InlineData("300145", "tcp", 3, "RFC 8323 section 3.2")]
    [InlineData("1001b0", "ws", 0, "RFC 8323 section 4.2")]
    public async Task A_malformed_message_is_reported_with_the_byte_offset_and_the_rule(
        string hex, string format, int offset, string reference)
    {
        CliRun text = await CliHarness.RunAsync("decode", hex, "--format", format);
        CliRun json = await CliHarness.RunAsync("decode", hex, "--format", format, "--json");

        text.HasExitCode(ExitCodes.Protocol);
        text.HasOut($"error at byte {offset} (0x{offset:x4}): ");
        text.Out.Ends($"({reference})\n");
        JsonElement error = JsonDocument.Parse(json.Out).RootElement.GetProperty("error");
        Assert.Equal(offset, error.GetProperty("offset").GetInt32());
        Assert.Equal(reference, error.TextOf("reference"));
    }

    [Theory]
    [InlineData("40013039d90a78", "Option 23 Block2", "its length must be 0 to 3 (RFC 7252 section 5.4.3)")]
    [InlineData("40013039d9f278", "Option 255 (unknown)", "answered 4.02 Bad Option")]
    [InlineData("4001303981610161", "Option 8 Location-Path", "not defined for requests")]
    [InlineData("4001303931610162", "Option 3 Uri-Host", "may stand only once")]
    [InlineData("40013039b22e2e", "Option 11 Uri-Path", "must not be '.' or '..'")]
    [InlineData("40013039c20032", "Option 12 Content-Format", "leading zeros")]
    public async Task The_decoder_remarks_on_options_that_a_receiver_would_reject(string hex, string option, string remark)
    {
        // The first two have a value of nine bytes.
        string padded = hex.EndsWith("78", Ordinal) ? hex + "7878787878787878" : hex;

        CliRun run = await CliHarness.RunAsync("decode", padded);

        run.HasExitCode(ExitCodes.Success);
        run.HasOut(option);
        run.HasOut(remark);
    }

    [Fact]
    public async Task Messages_of_a_stream_are_separated()
    {
        // CSM with Max-Message-Size 1152 and Block-Wise-Transfer; then 2.05 with a token and a payload.
        CliRun run = await CliHarness.RunAsync("decode", "40e1220480" + "20" + "3145aaff6869");

        run.HasExitCode(ExitCodes.Success);
        run.HasOut("7.01 CSM  (6 bytes, TCP)");
        run.HasOut("Option 2 Max-Message-Size: delta 2, length 2; elective\n");
        run.HasOut("1152");
        run.HasOut("2.05 Content  (6 bytes, TCP)");
        run.HasOut("    hi\n");
    }

    [Fact]
    public async Task A_WebSocket_message_is_decoded()
    {
        CliRun run = await CliHarness.RunAsync("decode", "0145aaff6869");

        run.Out.Begins("2.05 Content  (6 bytes, WebSocket)\n");
    }

    [Fact]
    public async Task JSON_output_has_every_field()
    {
        CliRun run = await CliHarness.RunAsync("decode", Request, "--json");

        JsonElement json = JsonDocument.Parse(run.Out).RootElement;
        Assert.Equal("CON", json.TextOf("type"));
        Assert.Equal("0.01", json.TextOf("code"));
        Assert.Equal(12345, json.GetProperty("messageId").GetInt32());
        Assert.Equal("deadbeef", json.TextOf("token"));
        JsonElement option = json.GetProperty("options")[0];
        Assert.Equal(("Uri-Path", 11, 8, "temp", "74656d70"),
            (option.TextOf("name"), option.GetProperty("number").GetInt32(), option.GetProperty("offset").GetInt32(),
                option.TextOf("value"), option.TextOf("hex")));
        Assert.True(option.GetProperty("critical").GetBoolean());
        Assert.True(option.GetProperty("unsafe").GetBoolean());
        Assert.Equal("application/json", json.TextOf("mediaType"));
        Assert.Equal("""{"a":1}""", json.TextOf("payload"));
    }

    [Fact]
    public async Task A_block_of_a_body_is_not_decoded_as_the_whole_body()
    {
        // 2.05 with Content-Format 50 and Block2 2/1/16.
        CliRun run = await CliHarness.RunAsync("decode", "60450001c132b128ff7b2261");

        run.HasOut("block 2 of a larger body, from byte 32, more follow");
        run.HasNoOut("no application/json");
    }

    [Fact]
    public async Task Escape_sequences_of_a_peer_do_not_reach_the_terminal()
    {
        CliRun run = await CliHarness.RunAsync("decode", "40013039b41b5b324aff1b5b324a");

        run.HasExitCode(ExitCodes.Success);
        Assert.DoesNotContain('\u001b', run.Out);
    }

    [Theory]
    [InlineData]
    [InlineData("xyz")]
    [InlineData("404")]
    public async Task Input_that_is_not_hexadecimal_is_refused(params string[] words)
    {
        Assert.Equal(ExitCodes.Usage, (await CliHarness.RunAsync(["decode", .. words])).ExitCode);
    }
}
