using CoAP.NET.Blockwise.Client;
using CoAP.NET.Caching;
using CoAP.NET.Errors;
using CoAP.NET.Exchanges;
using CoAP.NET.RequestSteps;
using CoAP.NET.Tests.Caching;
using CoAP.NET.Tests.Messaging;

namespace CoAP.NET.Tests.Requests;

/// <summary>Each rule of a step stands once: it is the same whether the answer comes at once or later.</summary>
public sealed class StepRuleTests
{
    private readonly MessagingRig _rig = new();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task The_echo_step_answers_three_challenges_and_keeps_the_last_Echo_for_the_next_request(bool isLate)
    {
        int count = 0;
        ScriptedStep last = new(_ => Echo(CoapCode.Unauthorized, (byte)++count), isLate);
        OutgoingRequest request = Outgoing("x");
        CoapResponse response = await SendAsync(last, request, new EchoStep());
        response.Gives(CoapCode.Unauthorized);
        Assert.Equal([null, "01", "02", "03"], last.Sent.Select(EchoOf));
        Assert.Equal([4], PeerRequestStepState.Of(request.Channel)?.EchoToReturn);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task The_echo_step_sends_a_kept_Echo_and_still_answers_a_challenge(bool isLate)
    {
        int count = 0;
        ScriptedStep last = new(_ => ++count == 1 ? Echo(CoapCode.Unauthorized, 8) : CachedPeers.Response(CoapCode.Content, "open"),
            isLate);
        OutgoingRequest request = Outgoing("x");
        PeerRequestStepState.GetOrAdd(request.Channel).EchoToReturn = [7];
        CoapResponse response = await SendAsync(last, request, new EchoStep());
        response.Says("open");
        Assert.Equal(["07", "08"], last.Sent.Select(EchoOf));
        Assert.Null(PeerRequestStepState.Of(request.Channel)?.EchoToReturn);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task The_echo_step_ignores_a_challenge_to_a_request_with_its_own_Echo(bool isLate)
    {
        ScriptedStep last = new(_ => Echo(CoapCode.Unauthorized, 8), isLate);
        OutgoingRequest request = Outgoing("x");
        request.Message.Options.Add(OptionNumber.Echo, [1]);
        await SendAsync(last, request, new EchoStep());
        Assert.Single(last.Sent);
        Assert.Null(PeerRequestStepState.Of(request.Channel)?.EchoToReturn);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_request_after_a_4_29_fails_at_once_without_being_sent(bool isLate)
    {
        RetryAfterStep step = new(_rig.Environment, CoapTooManyRequestsBehavior.FailFast);
        ScriptedStep last = new(_ => CachedPeers.Response(CoapCode.TooManyRequests, maxAge: 5), isLate);
        OutgoingRequestPipeline chain = new(null!, step, last);
        OutgoingRequest request = Outgoing("x");
        await chain.SendAsync(request).Gives(CoapCode.TooManyRequests);
        CoapException refused =
            await Failure.OfAsync(CoapError.RetryLater, () => chain.SendAsync(Outgoing("x") with { Channel = request.Channel }));
        Assert.Equal(5, refused.RetryAfter!.Value.TotalSeconds, 0.001);
        Assert.Single(last.Sent);
    }

    [Theory]
    [InlineData(false, "answer")]
    [InlineData(true, "answer")]
    [InlineData(false, "reset")]
    [InlineData(true, "reset")]
    [InlineData(false, "silence")]
    [InlineData(true, "silence")]
    public async Task Long_token_support_of_a_peer_is_probed_once(bool isLate, string reaction)
    {
        ScriptedStep last = new(
            sent => sent.Message.Token.Length <= 8 ? CachedPeers.Response(CoapCode.Content, "short")
                : reaction == "answer" ? CachedPeers.Response(CoapCode.BadRequest)
                : reaction == "reset" ? throw RequestErrors.Reset("peer")
                : throw new CoapException("nothing came"),
            isLate);
        OutgoingRequest request = Outgoing("x") with { TokenLength = 20 };
        request.Message.Type = CoapMessageType.Confirmable;
        Task<CoapResponse> task = SendAsync(last, request, new ExtendedTokenRequestStep(_rig.Environment));
        if (reaction == "silence")
        {
            Assert.Equal("nothing came", (await Assert.ThrowsAsync<CoapException>(() => task)).Message);
            Assert.Equal(LongTokenSupport.Unknown, PeerRequestStepState.Of(request.Channel)!.LongTokens);
            return;
        }

        await task.Says("short");
        Assert.Equal([20, 0], last.Sent.Select(static sent => sent.Message.Token.Length));
        Assert.Equal(LongTokenSupport.No, PeerRequestStepState.Of(request.Channel)!.LongTokens);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_stale_response_is_validated_and_requested_without_ETags_when_a_2_03_has_an_unknown_ETag(bool isLate)
    {
        CacheStep step = new(_rig.Environment, new CoapCache());
        Queue<CoapResponse> answers = new(
        [
            CachedPeers.Response(CoapCode.Content, "1", maxAge: 1, tag: 1),
            CachedPeers.Response(CoapCode.Valid, maxAge: 1, tag: 1),
            CachedPeers.Response(CoapCode.Valid, tag: 9),
            CachedPeers.Response(CoapCode.Content, "2", maxAge: 60, tag: 2),
        ]);
        ScriptedStep last = new(_ => answers.Dequeue(), isLate);
        OutgoingRequestPipeline chain = new(null!, step, last);
        MakeFour(out OutgoingRequest first, out OutgoingRequest second, out OutgoingRequest third, out OutgoingRequest fourth);
        await chain.SendAsync(first).Says("1");
        _rig.Clock.Now += 2 * TimeSpan.TicksPerSecond;
        await chain.SendAsync(second).Says("1");
        _rig.Clock.Now += 2 * TimeSpan.TicksPerSecond;
        await chain.SendAsync(third).Says("2");
        Assert.Equal([0, 1, 1, 0], last.Sent.Select(static sent => sent.Message.Options.GetAll<ETagOption>().Count()));
        await chain.SendAsync(fourth).Says("2");
        Assert.Empty(answers);
    }

    [Theory]
    [InlineData(false, true)]
    [InlineData(true, true)]
    [InlineData(false, false)]
    [InlineData(true, false)]
    public async Task A_resource_changed_by_a_request_is_not_answered_from_the_cache_even_without_a_response(bool isLate, bool isAnswered)
    {
        CacheStep step = new(_rig.Environment, new CoapCache());
        ScriptedStep last = new(
            sent => sent.Message.Code == CoapCode.Get ? CachedPeers.Response(CoapCode.Content, "1", maxAge: 60)
                : isAnswered ? CachedPeers.Response(CoapCode.Changed) : throw new CoapException("nothing came"),
            isLate);
        OutgoingRequestPipeline chain = new(null!, step, last);
        MakeFour(out OutgoingRequest first, out OutgoingRequest second, out OutgoingRequest third, out _);
        await chain.SendAsync(first);
        await chain.SendAsync(second);
        Assert.Single(last.Sent);
        CoapMessage put = CachedPeers.Request("x", CoapMethod.Put);
        Task<CoapResponse> change = chain.SendAsync(first with { Message = put, Request = new CoapRequest(put) });
        _ = isAnswered ? await change : await Assert.ThrowsAsync<CoapException>(() => change) as object;
        await chain.SendAsync(third);
        Assert.Equal(3, last.Sent.Count);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task The_remaining_blocks_of_a_response_are_requested(bool isLate)
    {
        ScriptedStep last = new(
            sent =>
            {
                int number = sent.Message.OptionsToRead?.Block2?.Number ?? 0;
                CoapResponse block = CachedPeers.Response(CoapCode.Content, number < 2 ? new string((char)('a' + number), 16) : "c");
                block.Options.Block2 = new BlockValue(number, number < 2, 0);
                return block;
            },
            isLate);
        CoapResponse response = await SendAsync(last, Outgoing("x"), new BlockwiseStep(_rig.Environment), new EchoStep());
        response.Says("aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbc");
        Assert.Equal(3, last.Sent.Count);
    }

    [Theory]
    [InlineData(false, true)]
    [InlineData(true, true)]
    [InlineData(false, false)]
    [InlineData(true, false)]
    public async Task A_POST_is_concluded_with_a_response_or_an_exception(bool isLate, bool isAnswered)
    {
        BlockwiseStep step = new(_rig.Environment);
        ScriptedStep last = new(_ => isAnswered ? CachedPeers.Response(CoapCode.Changed) : throw new CoapException("nothing came"), isLate);
        OutgoingRequestPipeline chain = new(null!, step, last);
        CoAP.NET.CoapChannel channel = CachedPeers.Channel(CachedPeers.Server);
        for (int i = 0; i < 3; i++)
        {
            CoapMessage post = CachedPeers.Request("x", CoapMethod.Post);
            Task<CoapResponse> task =
                chain.SendAsync(Outgoing("x") with { Message = post, Request = new CoapRequest(post), Channel = channel });
            _ = isAnswered ? await task : await Assert.ThrowsAsync<CoapException>(() => task) as object;
        }

        // Two at a time would have a tag: the one before was over each time.
        Assert.All(last.Sent, static sent => Assert.False(sent.Message.Options.Contains(OptionNumber.RequestTag)), throwIfEmpty: true);
    }

    private static void MakeFour(out OutgoingRequest first, out OutgoingRequest second, out OutgoingRequest third,
        out OutgoingRequest fourth)
    {
        first = Outgoing("x");
        CoAP.NET.CoapChannel channel = first.Channel;
        second = Outgoing("x") with { Channel = channel };
        third = Outgoing("x") with { Channel = channel };
        fourth = Outgoing("x") with { Channel = channel };
    }

    private static Task<CoapResponse> SendAsync(
        ScriptedStep last, OutgoingRequest request, params ReadOnlySpan<OutgoingRequestStep> steps) =>
        new OutgoingRequestPipeline(null!, [.. steps, last]).SendAsync(request);

    private static CoapResponse Echo(CoapCode code, byte value)
    {
        CoapResponse response = CachedPeers.Response(code);
        response.Options.Add(OptionNumber.Echo, [value]);
        return response;
    }

    private static string? EchoOf(OutgoingRequest sent) =>
        sent.Message.OptionsToRead is { } options && options.TryGetValue(OptionNumber.Echo, out ReadOnlySpan<byte> value)
            ? Convert.ToHexStringLower(value)
            : null;

    private static OutgoingRequest Outgoing(string path)
    {
        CoapMessage message = CachedPeers.Request(path);
        return new OutgoingRequest
        {
            Request = new CoapRequest(message),
            Message = message,
            Channel = CachedPeers.Channel(CachedPeers.Server),
            Target = null,
            Timeout = null,
            StartedAt = 0,
        };
    }
}
