namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>
/// A client that asks hostile servers. Words of its rows: <c>get /x</c>, <c>non /x</c> (a Non-confirmable GET), <c>post /x text</c>,
/// <c>put /x 500</c> (so many bytes), <c>observe /x</c>, <c>discover</c>, <c>cancel</c>; <c>= 2.05 text</c>, <c>= Reset</c>
/// and <c>= pending</c> say how the first of them that was not looked at yet ended.
/// </summary>
internal sealed class ClientWorld : DatagramWorld
{
    /// <summary>A size of buffers that no other test has.</summary>
    public const int DatagramSize = 1409;

    private readonly CoapClient _client;
    private readonly WellBehavedServer _server;
    private readonly Queue<(string What, Task<string> Outcome, CancellationTokenSource Cancel)> _asked = new();
    private readonly List<CoapObservation> _observations = [];

    private ClientWorld(Action<CoapEndpointOptions>? configure)
        : base(DatagramSize)
    {
        Options.Parameters = CoapTransmissionParameters.Default with { ResponseTimeout = Timeout.InfiniteTimeSpan };
        Options.Limits.Blockwise.MaxResponseBodySize = 100_000;
        configure?.Invoke(Options);
        _client = new CoapClient(Options);
        _client.Endpoint.AddTransport(Network.CreateTransport(Address));
        _server = new WellBehavedServer(this);
    }

    protected override CoapEndpoint Endpoint => _client.Endpoint;

    public static async Task<ClientWorld> StartAsync(Action<CoapEndpointOptions>? configure = null)
    {
        ClientWorld world = new(configure);
        await world._client.Endpoint.StartAsync();
        return world;
    }

    public Task WaitAsync(Func<bool> condition, Func<string> what) => UntilAsync(condition, what);

    public override ValueTask DisposeAsync() => _client.DisposeAsync();

    protected override Task BeginAsync() => _server.BeginAsync(_client);

    protected override Task BeatAsync() => _server.BeatAsync();

    protected override Task EndAsync() => _server.EndAsync();

    protected override async Task FinishAsync()
    {
        Assert.True(_asked.Count == 0, $"The row does not say how {string.Join(", ", _asked.Select(asked => asked.What))} ends.");
        foreach (CoapObservation observation in _observations)
        {
            await observation.DisposeAsync();
        }
    }

    protected override async Task ServeHostileAsync()
    {
        // What still came for an observation that the row had is none of this.
        ScriptedPeer peer = Peer('a');
        if (_observations.Count > 0)
        {
            Clock.Advance(TimeSpan.FromMinutes(10));
            _observations.Clear();
        }

        Network.Pump();
        peer.Clear();
        Task<CoapResponse> task = _client.GetAsync($"coap://{Host}/alive");
        await UntilAsync(() => peer.Pending > 0, () => "A server that was hostile before is not asked any more.");

        // An Echo that it gave is given back with the next request (RFC 9175 section 2.3).
        peer.Expect("44 01 <mid:2> <token:4> b5 'alive' ..");
        peer.Send("64 45 <mid> <token> ff 'yes'");
        await UntilAsync(() => task.IsCompleted, () => "A server that was hostile before is not heard any more.");
        Assert.Equal("yes", (await task).GetText());
    }

    protected override async Task DoOtherAsync(HostileStep step)
    {
        string[] words = step.Rest.Split(' ', 2);
        string uri = $"coap://{Host}{words[0]}";
        switch (step.Do)
        {
            case "get":
                Ask(step, new CoapRequest(CoapMethod.Get, uri));
                break;
            case "non":
                Ask(step, new CoapRequest(CoapMethod.Get, uri) { Confirmable = false });
                break;
            case "post":
                Ask(step, new CoapRequest(CoapMethod.Post, uri) { Content = CoapContent.Text(words[1]) });
                break;
            case "put":
                Ask(step, new CoapRequest(CoapMethod.Put, uri)
                {
                    Content = CoapContent.Binary(ServerWorld.Pattern(int.Parse(words[1], CultureInfo.InvariantCulture))),
                    BlockSize = 64
                });
                break;
            case "observe":
                CancellationTokenSource observing = new();
                _asked.Enqueue((step.Do, OutcomeAsync(_client.ObserveAsync(new CoapRequest(CoapMethod.Get, uri), null, observing.Token)),
                    observing));
                break;
            case "discover":
                CancellationTokenSource discovering = new();
                _asked.Enqueue((step.Do, OutcomeAsync(_client.DiscoverAsync($"coap://{Host}", null, discovering.Token)), discovering));
                break;

            // A URI with the hostile host for {host}; what the library refuses leaves nothing.
            case "uri":
                try
                {
                    Ask(step, new CoapRequest(CoapMethod.Get, step.Rest.Replace("{host}", Host)));
                }
                catch (CoapFormatException)
                {
                    _asked.Enqueue((step.Rest, Task.FromResult("refused"), new CancellationTokenSource()));
                }

                break;
            case "latest":
                CoapObservation latest = _observations[^1];
                await UntilAsync(() => Describe(latest) == step.Rest,
                    () => $"The observation is '{Describe(latest)}' and not '{step.Rest}'.");
                break;
            case "dispose":
                await _observations[^1].DisposeAsync();
                break;
            case "blocks":
                // A server that always has another block of 1,024 bytes.
                await ServeBlocksAsync(int.Parse(step.Rest, CultureInfo.InvariantCulture));
                break;
            case "cancel":
                await _asked.Peek().Cancel.CancelAsync();
                break;
            case "=":
                await CheckAsync(step.Rest);
                break;
            default:
                throw new ScriptExpectationException($"No such step: {step.Do}");
        }
    }

    protected override IEnumerable<(string What, long Count)> Tables() =>
        [.. TablesOfPipeline(), ("observations", _client.Endpoint.Observed.Count),
            ("registrations", _client.Endpoint.Observed.Registrations)];

    private static string Describe(CoapResponse response) =>
        $"{response.Code.Class}.{response.Code.Detail:d2} {(response.Payload.Length > 40 ? $"[{response.Payload.Length}]" : Encoding.UTF8.GetString(response.Payload.Span))}".Trim();

    private static string Describe(CoapObservation observation) => $"{observation.State} {observation.Latest?.GetText()}".Trim();

    private static async Task<string> OutcomeAsync(Task<CoapResponse> task)
    {
        try
        {
            return Describe(await task.ConfigureAwait(false));
        }
        catch (Exception exception) when (exception is CoapFormatException or ArgumentException)
        {
            return "refused";
        }
        catch (Exception exception) when (exception is CoapException or OperationCanceledException)
        {
            return exception is CoapException { Error: not CoapError.Unspecified } known ? $"{known.Error}" : exception.GetType().Name;
        }
    }

    private static async Task<string> OutcomeAsync(Task<IReadOnlyList<CoapLink>> task)
    {
        try
        {
            IReadOnlyList<CoapLink> links = await task.ConfigureAwait(false);
            return string.Join(' ', links.Select(link => link.Target));
        }
        catch (Exception exception) when (exception is CoapException or OperationCanceledException)
        {
            return exception is CoapException { Error: not CoapError.Unspecified } known ? $"{known.Error}" : exception.GetType().Name;
        }
    }

    private async Task<string> OutcomeAsync(Task<CoapObservation> task)
    {
        try
        {
            CoapObservation observation = await task.ConfigureAwait(false);
            _observations.Add(observation);
            return Describe(observation);
        }
        catch (Exception exception) when (exception is CoapException or OperationCanceledException)
        {
            return exception is CoapException { Error: not CoapError.Unspecified } known ? $"{known.Error}" : exception.GetType().Name;
        }
    }

    private void Ask(HostileStep step, CoapRequest request)
    {
        CancellationTokenSource cancel = new();
        _asked.Enqueue(($"{step.Do} {step.Rest}", OutcomeAsync(_client.SendAsync(request, cancel.Token)), cancel));
    }

    private async Task ServeBlocksAsync(int most)
    {
        ScriptedPeer peer = Peer('a');
        for (int i = 1; i < most; i++)
        {
            await UntilAsync(() => peer.Pending > 0 || _asked.Peek().Outcome.IsCompleted,
                () => "No block is asked for, and the request does not end.");
            if (peer.Receive() is not { } request)
            {
                return;
            }

            peer.Piggyback(request, CoapCode.Content, HostileScript.Expand($"d2 0a {(i << 4) + 14:x4} ff [61*1024]"));
        }
    }

    private async Task CheckAsync(string expected)
    {
        if (expected == "pending")
        {
            Assert.False(_asked.Peek().Outcome.IsCompleted, "The request ended.");
            return;
        }

        (string what, Task<string> outcome, CancellationTokenSource cancel) = _asked.Dequeue();
        await UntilAsync(() => outcome.IsCompleted, () => $"{what} does not end; expected: {expected}");
        Assert.Equal(expected, await outcome);
        cancel.Dispose();
    }
}
