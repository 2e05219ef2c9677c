namespace CoAP.NET.Oscore.Tests.Endpoints;

/// <summary>Answers that anybody can have sent (RFC 8613 appendix D.5.3).</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class UnprotectedAnswerTests : IAsyncLifetime
{
    private readonly OscoreWorld _world = new();
    private readonly TaskCompletionSource<CoapResult> _answer = new(RunContinuationsAsynchronously);
    private CoapServer _server = null!;
    private int _posts;

    public async ValueTask InitializeAsync()
    {
        _server = _world.Server(OscoreWorld.ServerContext());
        _server.MapGet("/late", (CoapRequestContext _, CancellationToken _) => new ValueTask<CoapResult>(_answer.Task)).RequireOscore();
        _server.MapGet("/state", () => CoapResults.Text("on")).Observable().RequireOscore();
        _server.MapPost("/do", _ =>
        {
            _posts++;
            return CoapResults.Changed();
        }).RequireOscore();
        await _server.StartAsync();
    }

    public async ValueTask DisposeAsync() => await _world.DisposeAsync();

    [Fact]
    [Rfc("8613-D.5.3-1", "8613-2-3")]
    public async Task A_forged_error_that_arrives_before_the_response_does_not_end_the_request()
    {
        _world.OnPacket = packet => packet.From.Port == 5683 && packet.Data.Length == 4
            ? NetworkVerdict.Replace(Forged(packet.Data.Span, CoapCode.Unauthorized))
            : NetworkVerdict.Pass;
        Task<CoapResponse> asked = _world.Client(OscoreWorld.ClientContext()).SendAsync(
            new CoapRequest(CoapMethod.Get, OscoreWorld.ServerUri + "/late"));
        await _world.Clock.AdvanceUntilAsync(() => _world.Wire.Count == 2, FromMinutes(1));
        _world.Clock.Advance(FromMilliseconds(1_500));
        _answer.SetResult(CoapResults.Text("late"));

        await _world.RunAsync(asked).Says("late");
    }

    [Fact]
    public async Task An_unprotected_error_ends_the_request_after_ACK_TIMEOUT_without_another_response()
    {
        _world.OnPacket = packet => packet.From.Port == 5683 && packet.Data.Length == 4
            ? NetworkVerdict.Replace(Forged(packet.Data.Span, CoapCode.NotFound))
            : NetworkVerdict.Pass;
        Task<CoapResponse> asked = _world.Client(OscoreWorld.ClientContext()).SendAsync(
            new CoapRequest(CoapMethod.Get, OscoreWorld.ServerUri + "/late"));
        await _world.Clock.AdvanceUntilAsync(() => _world.Wire.Count == 2, FromMinutes(1));
        TimeSpan since = _world.Clock.Elapsed;

        CoapUnprotectedResponseException exception =
            await Assert.ThrowsAsync<CoapUnprotectedResponseException>(() => _world.RunAsync(asked));

        Assert.Equal(CoapCode.NotFound, exception.UnprotectedCode);
        Assert.InRange(_world.Clock.Elapsed - since, FromSeconds(2), FromSeconds(3));
        _answer.SetResult(CoapResults.Text("late"));
    }

    [Theory]
    [InlineData(OptionNumber.MaxAge, "no route", "no route")]
    [InlineData(OptionNumber.ContentFormat, "no route", null)]
    [InlineData(OptionNumber.MaxAge, "", null)]
    public async Task The_diagnostic_of_an_unprotected_error_is_reported_unless_it_has_a_Content_Format(
        int option, string payload, string? reported)
    {
        _world.OnPacket = packet => packet.From.Port == 5683 && packet.Data.Length == 4
            ? NetworkVerdict.Replace(Forged(packet.Data.Span, CoapCode.NotFound, option: option, payload: payload))
            : NetworkVerdict.Pass;
        Task<CoapResponse> asked = _world.Client(OscoreWorld.ClientContext()).SendAsync(
            new CoapRequest(CoapMethod.Get, OscoreWorld.ServerUri + "/late"));

        CoapUnprotectedResponseException exception =
            await Assert.ThrowsAsync<CoapUnprotectedResponseException>(() => _world.RunAsync(asked));

        Assert.Equal((CoapCode.NotFound, reported), (exception.UnprotectedCode, exception.UnprotectedDiagnostic));
        Assert.Equal(reported is not null, exception.Message.Contains("no route", Ordinal));
        _answer.SetResult(CoapResults.Text("late"));
    }

    [Fact]
    public async Task A_hop_gets_the_Echo_as_an_outer_option_with_the_same_protected_bytes_which_are_executed_once()
    {
        int challenges = 0;
        _world.OnPacket = packet =>
        {
            // The answer of the server is lost to a challenge: as if somebody between the two had been faster.
            CoapMessage message = CoapDatagramSerializer.Default.Deserialize((ReadOnlyMemory<byte>)packet.Data.ToArray());
            if (packet.From.Port != 5683 || challenges++ > 0)
            {
                return NetworkVerdict.Pass;
            }

            CoapMessage challenge = new(CoapCode.Unauthorized)
            {
                Type = CoapMessageType.Acknowledgement,
                MessageId = message.MessageId,
                Token = message.Token,
            };
            challenge.Options.Add(OptionNumber.Echo, [1, 2, 3, 4]);
            return NetworkVerdict.Replace(CoapDatagramSerializer.Default.Serialize(challenge));
        };
        Task<CoapResponse> asked = _world.Client(OscoreWorld.ClientContext()).SendAsync(
            new CoapRequest(CoapMethod.Post, OscoreWorld.ServerUri + "/do"));

        // The server sees the number for the second time, and says so; that is no answer either.
        await Assert.ThrowsAsync<CoapUnprotectedResponseException>(() => _world.RunAsync(asked));

        CoapMessage[] requests = [.. _world.Wire.Where(message => message.Code.IsRequest)];
        Assert.Equal(2, requests.Length);
        Assert.Equal(requests[0].Payload.ToArray(), requests[1].Payload.ToArray());
        Assert.Equal(OscoreWorld.OptionOf(requests[0]), OscoreWorld.OptionOf(requests[1]));
        Assert.True(requests[1].Options.Contains(OptionNumber.Echo));
        Assert.Equal(1, _posts);
    }

    [Fact]
    public async Task A_challenge_of_a_hop_that_kept_the_request_is_answered_and_the_request_succeeds()
    {
        int requests = 0;

        // A ping in the place of the request, which is answered by a Reset; that becomes the challenge.
        _world.OnPacket = packet =>
            packet.From.Port == 5683 && packet.Data.Length == 4
                ? NetworkVerdict.Replace(Forged(packet.Data.Span, CoapCode.Unauthorized, echo: true))
            : packet.To.Port == 5683 && requests++ == 0
                ? NetworkVerdict.Replace([0x40, 0x00, packet.Data.Span[2], packet.Data.Span[3]])
            : NetworkVerdict.Pass;

        CoapResponse response = await _world.SendAsync(
            _world.Client(OscoreWorld.ClientContext()), new CoapRequest(CoapMethod.Post, OscoreWorld.ServerUri + "/do"));

        response.Gives(CoapCode.Changed);
        Assert.Equal(1, _posts);
        Assert.Equal(["00", "00"], _world.Numbers(ofRequests: true));
    }

    [Fact]
    public async Task An_observation_reports_that_the_server_lost_the_keys_and_registers_again()
    {
        CoapObservation observation =
            await _world.RunAsync(_world.Client(OscoreWorld.ClientContext()).ObserveAsync(OscoreWorld.ServerUri + "/state"));
        _world.OnPacket = packet => packet.From.Port == 5683
            ? NetworkVerdict.Replace(Forged(packet.Data.Span, CoapCode.Unauthorized))
            : NetworkVerdict.Pass;

        CoapUnprotectedResponseException exception =
            await Assert.ThrowsAsync<CoapUnprotectedResponseException>(() => _world.RunAsync(observation.RefreshAsync()));

        Assert.Equal(CoapCode.Unauthorized, exception.UnprotectedCode);
        Assert.Equal((CoapObserveState.Reregistering, exception), (observation.State, observation.Error));
        _world.OnPacket = _ => NetworkVerdict.Pass;
        await _world.Clock.AdvanceUntilAsync(() => observation.State == CoapObserveState.Observing, FromMinutes(1));
        Assert.Null(observation.Error);
        await observation.DisposeAsync();
    }

    [Fact]
    public async Task An_unprotected_message_does_not_end_a_registered_observation()
    {
        CoapObservation observation =
            await _world.RunAsync(_world.Client(OscoreWorld.ClientContext()).ObserveAsync(OscoreWorld.ServerUri + "/state"));

        _world.OnPacket = packet =>
        {
            if (packet.From.Port != 5683)
            {
                return NetworkVerdict.Pass;
            }

            CoapMessage forged =
                CoapDatagramSerializer.Default.Deserialize((ReadOnlyMemory<byte>)Forged(packet.Data.Span, CoapCode.Unauthorized));
            forged.Type = CoapMessageType.NonConfirmable;
            return NetworkVerdict.Replace(CoapDatagramSerializer.Default.Serialize(forged));
        };
        _server.Notify("/state");
        _world.Clock.Advance(FromSeconds(30));

        Assert.Equal((CoapObserveState.Observing, null), (observation.State, observation.Error));
        await observation.DisposeAsync();
    }

    // In place of an empty message of the server.
    private byte[] Forged(ReadOnlySpan<byte> empty, CoapCode code, bool echo = false, int? option = null, string payload = "")
    {
        CoapMessage asked;
        lock (_world.Wire)
        {
            asked = _world.Wire.Last(message => message.Code.IsRequest);
        }

        CoapMessage forged = new(code)
        {
            Type = CoapMessageType.Acknowledgement,
            MessageId = (ushort)((empty[2] << 8) | empty[3]),
            Token = asked.Token,
            Payload = Encoding.UTF8.GetBytes(payload),
        };
        if (option is { } number)
        {
            forged.Options.AddUInt(number, 1);
        }

        if (echo)
        {
            forged.Options.Add(OptionNumber.Echo, [1, 2, 3, 4]);
        }

        return CoapDatagramSerializer.Default.Serialize(forged);
    }
}
