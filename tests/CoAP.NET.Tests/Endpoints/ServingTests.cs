namespace CoAP.NET.Tests.Endpoints;

/// <summary>What a server answers to bytes, through all stages.</summary>
public class ServingTests : EndpointTest
{
    [Fact]
    [Rfc("7252-5.8.1-1", "7252-4.2-3")]
    public async Task Figures_16_and_17_of_RFC_7252_are_answered_as_printed()
    {
        Server.MapGet("/temperature", () => new CoapResult(CoapCode.Content, "22.3 C"u8.ToArray()));
        await StartAsync();
        Assert.Equal("60457d34ff32322e332043", Exchange("40017d34bb74656d7065726174757265"));
        Assert.Equal("61457d3520ff32322e332043", Exchange("41017d3520bb74656d7065726174757265"));
    }

    [Fact]
    [Rfc("7252-5.2.3-1", "7252-4.3-1")]
    public async Task A_Non_confirmable_request_gets_a_Non_confirmable_response_with_its_token()
    {
        Server.MapGet("/temperature", () => new CoapResult(CoapCode.Content, "22.3 C"u8.ToArray()));
        await StartAsync();
        string answer = Exchange("51017d4075bb74656d7065726174757265");
        answer.Begins("5145");
        answer.Ends("75ff32322e332043");
    }

    [Theory]
    [Rfc("7252-4.2-2", "7252-3-2", "7252-3-3", "7252-3.1-2", "7252-3.1-3", "7252-3.1-4", "7252-4.1-1")]
    [InlineData("4f017d34aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")]
    [InlineData("44017d34aabb")]
    [InlineData("41007d3420")]
    [InlineData("40007d3400")]
    [InlineData("40007d34ff")]
    [InlineData("40007d34b474657374")]
    [InlineData("40017d34ff")]
    [InlineData("40017d34b474657374ff")]
    [InlineData("40017d34f0")]
    [InlineData("40017d34f1aa")]
    [InlineData("40017d34fe")]
    [InlineData("40017d341f")]
    [InlineData("40017d34bf74657374")]
    [InlineData("40017d34d0")]
    [InlineData("40017d34e0")]
    [InlineData("40017d34e001")]
    [InlineData("40017d34bd")]
    [InlineData("40017d34be")]
    [InlineData("40017d34be01")]
    [InlineData("40017d34b474")]
    [InlineData("40017d34bd0061")]
    [InlineData("40217d34")]
    [InlineData("40c17d34")]
    [InlineData("40e17d34")]
    [InlineData("40017d34e0ffffe0ffff")]
    [InlineData("40007d34")]
    [InlineData("41457d3499ff31")]
    [InlineData("40457d34")]
    public async Task A_Confirmable_message_that_cannot_be_processed_gets_a_Reset(string hex)
    {
        await StartAsync();
        Assert.Equal("70007d34", Exchange(hex));
        Assert.Equal("60847d34", Exchange("40017d35b17a").Replace("7d35", "7d34", Ordinal)[..8]);
    }

    [Theory]
    [Rfc("7252-3-1", "7252-4.2-5", "7252-4.3-1", "7252-4.3-2")]
    [InlineData("")]
    [InlineData("40")]
    [InlineData("400001")]
    [InlineData("00017d34")]
    [InlineData("80017d34")]
    [InlineData("c0017d34")]
    [InlineData("60217d34")]
    [InlineData("60017d34")]
    [InlineData("70457d34")]
    [InlineData("70007d34ff")]
    [InlineData("50007d34")]
    [InlineData("6000beef")]
    [InlineData("7000beef")]
    [InlineData("65007d343432323833")]
    [InlineData("51457d3499ff31")]
    [InlineData("61457d3499ff31")]
    [InlineData("54017d34aabb")]
    [InlineData("50017d34ff")]
    public async Task A_message_that_must_be_ignored_gets_no_response_and_the_next_request_does(string hex)
    {
        await StartAsync();
        Transport.Receive(Peer, hex);
        Transport.HasSentNothing();
        Exchange("40017d99b17a").Begins("60847d99");
    }

    [Fact]
    [Rfc("7252-5.8-1")]
    public async Task An_unknown_method_gets_4_05()
    {
        Server.MapGet("/", () => "root");
        await StartAsync();
        Exchange("401f7d34").Begins("60857d34");
    }

    [Fact]
    [Rfc("7252-5.4.1-2", "7252-5.4.1-4", "7252-5.4.6-1")]
    public async Task An_unknown_critical_option_is_a_bad_option_that_the_answer_names()
    {
        Server.MapGet("/", () => "root");
        await StartAsync();
        string answer = Exchange("40017d34e02602");
        answer.Begins("60827d34ff");
        Encoding.UTF8.GetString(Wire.Hex(answer[10..])).Mentions("9999");
        Exchange("50017d35e02602").Begins("5082");
        Exchange("40017d36e1260178").Begins("60457d36");
    }

    [Theory]
    [Rfc("7252-5.4.3-1", "7252-5.4.5-1")]
    [InlineData("40017d34d0040132", "60827d34")]
    [InlineData("40037d345101ff78", "60827d34")]
    [InlineData("40017d3440", "60457d34")]
    [InlineData("40017d3449010101010101010101", "60457d34")]
    [InlineData("40037d34c00132ff78", "60447d34")]
    public async Task An_option_of_invalid_length_or_a_repeated_option_is_treated_as_unrecognized(string hex, string answer)
    {
        Server.MapGet("/", () => "root");
        Server.MapPut("/",
            request => request.ContentFormat == CoapContentFormat.TextPlain
                ? CoapResults.Changed()
                : CoapResults.BadRequest("wrong format"));
        await StartAsync();
        Exchange(hex).Begins(answer);
    }

    [Theory]
    [Rfc("7252-5.10.1-1", "7252-3.2-3")]
    [InlineData("40017d34b12e")]
    [InlineData("40017d34b22e2e")]
    [InlineData("40017d34b1ff")]
    public async Task A_path_with_dot_segments_or_invalid_UTF_8_finds_no_resource(string hex)
    {
        Server.MapGet("/", () => "root");
        await StartAsync();
        Assert.Matches("^608[024]7d34", Exchange(hex));
    }

    [Fact]
    [Rfc("7252-4.5-1", "7252-4.5-3", "7252-5.2.2-3")]
    public async Task A_repeated_request_is_answered_from_memory_and_runs_once()
    {
        int runs = 0;
        Server.MapPost("/count", () => CoapResults.Text($"{Interlocked.Increment(ref runs)}"));
        await StartAsync();
        string first = Exchange("40027d34b5636f756e74");
        foreach (int seconds in new[] { 1, 59, 180 })
        {
            Clock.Advance(FromSeconds(seconds));
            Assert.Equal(first, Exchange("40027d34b5636f756e74"));
        }

        Assert.Equal(1, runs);
        Transport.Receive(Other, "40027d34b5636f756e74");
        Assert.Equal(2, runs);
        Clock.Advance(FromSeconds(10));
        Exchange("40027d34b5636f756e74");
        Assert.Equal(3, runs);
    }

    [Fact]
    [Rfc("7252-4.2-1", "7252-5.2.2-1", "7252-4.5-5", "7252-4.2-9")]
    public async Task A_slow_answer_is_acknowledged_in_time_and_follows_as_a_separate_response()
    {
        TaskCompletionSource<CoapResult> late = new();
        int runs = 0;
        Server.MapGet("/slow", (CoapRequestContext _, CancellationToken _) =>
        {
            Interlocked.Increment(ref runs);
            return late.Task;
        });
        await StartAsync();
        Transport.Receive(Peer, "41017d3853b4736c6f77");
        Transport.HasSentNothing();
        Clock.Advance(FromSeconds(1.9));
        Transport.HasSent("60007d38");
        Transport.Receive(Peer, "41017d3853b4736c6f77");
        Transport.HasSent("60007d38");

        TaskCompletionSource<string> sent = new(RunContinuationsAsynchronously);
        Transport.OnSent = (_, bytes) => sent.TrySetResult(Wire.Hex(bytes));
        late.SetResult(new CoapResult(CoapCode.Content, "22.3 C"u8.ToArray()));
        string response = await Within(sent.Task);
        response.Begins("4145");
        response.Ends("53ff32322e332043");
        Transport.OnSent = null;

        // Not acknowledged yet: it is sent again, the same bytes; then the acknowledgement ends it.
        Clock.Advance(FromSeconds(3));
        string[] copies = Transport.TakeSent();
        Assert.Equal(response, copies[^1]);
        Transport.Receive(Peer, "6000" + response[4..8]);
        Clock.Advance(FromSeconds(200));
        Transport.HasSentNothing();
        Transport.Receive(Peer, "41017d3853b4736c6f77");
        Transport.HasSent("60007d38");
        Assert.Equal(1, runs);
    }

    [Fact]
    [Rfc("7252-4.4-3")]
    public async Task The_first_Message_IDs_of_different_endpoints_differ()
    {
        HashSet<string> first = [];
        for (ulong seed = 0; seed < 20; seed++)
        {
            DirectTransport transport = new();
            await using CoapServer server =
                new(new CoapEndpointOptions { TimeProvider = Clock, Pipeline = { Random = new CoAP.NET.Testing.VirtualRandom(seed) } });
            server.MapGet("/", () => "x");
            server.Endpoint.AddTransport(transport);
            await server.StartAsync();
            transport.Receive(Peer, "50017d34");
            first.Add(Assert.Single(transport.TakeSent())[4..8]);
        }

        Assert.True(first.Count >= 19);
    }

    [Fact]
    [Rfc("8974-2.2.2-3", "7252-5.3.1-1", "7252-5.3.1-4")]
    public async Task A_token_is_echoed_unchanged_and_a_token_above_the_limit_gets_4_00()
    {
        Server.MapGet("/", () => new CoapResult(CoapCode.Content));
        await StartAsync();
        for (int length = 0; length <= 8; length++)
        {
            string token = string.Concat(Enumerable.Repeat("00", length));
            Assert.Equal($"6{length}4500{length:00}{token}", Exchange($"4{length}0100{length:00}{token}"));
        }

        string ok = string.Concat(Enumerable.Repeat("ab", 64));
        Exchange($"4d01002033{ok}").Begins($"6d45002033{ok}");
        string tooLong = string.Concat(Enumerable.Repeat("ab", 65));
        Exchange($"4d01002134{tooLong}").Begins($"6d80002134{tooLong}");
    }

    [Fact]
    [Rfc("8974-2.2.2-3", "7252-4.2-2", "7252-4.3-1")]
    public async Task A_message_that_is_not_a_request_never_gets_a_response_whatever_its_token_length()
    {
        await StartAsync();
        string tooLong = "34" + string.Concat(Enumerable.Repeat("ab", 65));
        Assert.Equal("70000001", Exchange($"4d450001{tooLong}"));
        Assert.Equal("70000002", Exchange($"4de10002{tooLong}"));
        Transport.Receive(Peer, $"5d450003{tooLong}");
        Transport.Receive(Peer, $"6d450004{tooLong}");
        Transport.Receive(Peer, Wire.Hex("4045000511"), isTruncated: true);
        Transport.Receive(Peer, Wire.Hex("5045000611"), isTruncated: true);

        // To a group only Non-confirmable messages are sent; a Confirmable one gets nothing.
        Transport.Receive(Peer, $"4d010007{tooLong}", CoapAddress.FromIPv4(0xe00001bb, 5683));
        Transport.HasSent("70000005");
    }

    [Fact]
    [Rfc("7252-5.7.2-1")]
    public async Task A_server_that_is_not_a_proxy_answers_Proxy_Uri_with_5_05()
    {
        await StartAsync();
        Exchange("40017d34d916636f61703a2f2f682f").Begins("60a57d34");
    }

    [Fact]
    [Rfc("8768-3-1")]
    public async Task A_Hop_Limit_out_of_range_is_a_bad_request()
    {
        Server.MapGet("/", () => "root");
        await StartAsync();
        Exchange("40017d34d003").Begins("6080");
        Exchange("40017d35d10300").Begins("6080");
        Exchange("40017d36d2030100").Begins("6080");
        Exchange("40017d37d10310").Begins("6045");
    }

    [Fact]
    [Rfc("7252-5.1-1", "7252-5.8.3-1", "7252-5.8.4-1", "7252-5.10.8-2", "7252-11.1-1")]
    public async Task PUT_creates_and_replaces_a_resource_DELETE_removes_it_and_GET_creates_nothing()
    {
        byte[]? stored = null;
        Server.MapGet("/r", () => stored is null ? CoapResults.NotFound() : new CoapResult(CoapCode.Content, stored));
        Server.MapPut("/r", request =>
        {
            bool existed = stored is not null;
            if (request.CheckPreconditions(existed) is { } refusal)
            {
                return refusal;
            }

            stored = request.Payload.ToArray();
            return existed ? CoapResults.Changed() : CoapResults.Created();
        });
        Server.MapDelete("/r", () =>
        {
            stored = null;
            return CoapResults.Deleted();
        });
        Server.MapPut("/forbidden", () => CoapResults.Forbidden());
        await StartAsync();

        // A segment that only looks like a path is another resource: the route is found by the decoded segments, as the handler sees them.
        Assert.Equal("60840001", Exchange("40010001b172"));
        Assert.Equal("60840002", Exchange("40010002b22f72"));
        Assert.Equal("60410003", Exchange("40030003b172ff31"));
        Assert.Equal("60440004", Exchange("40030004b172ff32"));
        Assert.Equal("60450005ff32", Exchange("40010005b172"));
        Exchange("4003000650" + "6172ff33").Begins("608c0006");
        Assert.Equal("60420007", Exchange("40040007b172"));
        Assert.Equal("60420008", Exchange("40040008b172"));
        Assert.Equal("60840009", Exchange("40010009b172"));
        Exchange("4003000a10a172ff33").Begins("608c000a");
        Exchange("4003000b10a9666f7262696464656eff33").Begins("6083000b");
    }

    [Theory]
    [InlineData("40030001d10e0eff31", "60800001")]
    [InlineData("40030002d10e16ff31", "60880002")]
    [InlineData("40030003d10e06ff31", "60440003")]
    [InlineData("40010004d10a12", "60800004")]
    [InlineData("40010005d10a02", "60450005")]
    public async Task An_invalid_block_is_refused_and_a_single_block_that_is_the_whole_body_is_accepted(string hex, string answer)
    {
        Server.MapGet("/", () => "root");
        Server.MapPut("/", () => CoapResults.Changed());
        await StartAsync();
        Exchange(hex).Begins(answer);
    }
}
