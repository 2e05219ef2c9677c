using CoAP.NET.Diagnostics;
using CoAP.NET.Simulation.Attack;
using CoAP.NET.Testing.Peers;
using CoAP.NET.Tests.Transports.Streams;

namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>
/// An endpoint that serves and asks over connections in memory (RFC 8323), cut into frames as a real one is. A row has one connection: the
/// hostile peer opens it, or the endpoint, when the row begins with a request. Words besides those of <see cref="ClientWorld"/>:
/// <c>aborted</c> (we sent an Abort that says why, and closed), <c>closed</c>, <c>open</c>, <c>end</c> (the peer closes its side),
/// <c>break</c> (the connection breaks). A connection that behaves has a request, an observation and an upload under way.
/// </summary>
internal sealed class StreamWorld : IHostileWorld
{
    private static readonly CoapCounter[] s_never = [CoapCounter.StageErrors, CoapCounter.EncodeErrors, CoapCounter.Declined,
        CoapCounter.HandlerErrors, CoapCounter.NotSent];
    private readonly CoapStreamSerializer _serializer =
        new(new CoapSerializerOptions { MaxMessageSize = 4 << 20 });
    private readonly Dictionary<string, byte[]> _remembered = [];
    private readonly Queue<Task<string>> _asked = new();
    private readonly Queue<string> _inbox = new();
    private readonly VirtualClock _clock = new();
    private readonly ErrorLog _log = new();
    private readonly DirectStreamTransport _streams;
    private readonly CoapServer _server;
    private readonly CoapClient _client;
    private readonly CoapRouteHandlerBuilder _state;
    private TaskCompletionSource<CoapResult> _held = new();
    private TaskCompletionSource<CoapResult> _slow = new();
    private DirectConnection? _connection;
    private DirectConnection _good = null!;
    private string _host = "";
    private string? _stored;
    private int _states;
    private int _rows;

    private StreamWorld()
    {
        CoapEndpointOptions options = new() { TimeProvider = _clock, Pipeline = { Random = new VirtualRandom(42) }, LoggerFactory = _log };
        options.Limits.Connections.MaxMessageSize = 20_000;
        _streams = new DirectStreamTransport();
        _server = new CoapServer(options);
        _client = new CoapClient(_server.Endpoint);
        _server.Endpoint.AddTransport(_streams);
        _server.MapGet("/x", () => CoapResults.Text("hi"));
        _server.MapPut("/body", request => CoapResults.Changed(CoapContent.Text($"{request.Payload.Length}")));
        _server.MapGet("/big", () => CoapResults.Bytes(ServerWorld.Pattern(2000)));
        _server.MapGet("/held", () => _held.Task);
        _server.MapGet("/slow", () => _slow.Task);
        _server.MapGet("/obs", () => CoapResults.Text($"{_states}")).Observable();
        _state = _server.MapGet("/state", () => CoapResults.Text($"state {_states}")).Observable();
        _server.MapPut("/store", request =>
        {
            _stored = Encoding.UTF8.GetString(request.Payload.Span);
            return CoapResults.Changed();
        });
    }

    public static async Task<StreamWorld> StartAsync()
    {
        StreamWorld world = new();
        await world._server.StartAsync();
        return world;
    }

    public ValueTask DisposeAsync() => _server.DisposeAsync();

    public async Task RunAsync(HostileRow row)
    {
        SynchronizationContext.SetSynchronizationContext(null);
        _rows++;
        _host = $"10.{_rows >> 8}.{_rows & 255}.1";
        _connection = null;
        _remembered.Clear();
        _inbox.Clear();
        _asked.Clear();
        _held = new TaskCompletionSource<CoapResult>();
        _slow = new TaskCompletionSource<CoapResult>();
        Begin();
        try
        {
            long before = _server.Counters[row.Counter];
            foreach (HostileStep step in HostileScript.Parse(row.Script))
            {
                await DoAsync(step);
            }

            Collect();
            Assert.True(_inbox.Count == 0, $"{string.Join(", ", _inbox)} came, and nothing was expected.");
            Assert.True(_asked.Count == 0, "The row does not say how its request ends.");
            long counted = _server.Counters[row.Counter] - before;
            Assert.True(counted == row.Count, $"{row.Counter} went up by {counted}, not by {row.Count}.");
            await EndAsync();
            _connection?.Break();
            _slow.TrySetResult(CoapResults.Text("late"));
            _clock.Advance(TimeSpan.FromMinutes(10));
            await UntilAsync(() => _server.Endpoint.Connections.Count == 0 && _server.RequestsServed == 0 && _server.ObserverCount == 0
                && _server.BodyBytes == 0, () =>
                    $"Left over: {_server.Endpoint.Connections.Count} connections, {_server.RequestsServed} "
                        + $"requests, {_server.ObserverCount} observers, {_server.BodyBytes} bytes of bodies.");
            Assert.Empty(_log.Take());
            Assert.Equal([], s_never.Where(counter => _server.Counters[counter] != 0));
        }
        catch (Exception exception) when (exception is not Xunit.Sdk.XunitException { InnerException: not null })
        {
            throw new Xunit.Sdk.XunitException($"{row.Name}\n{row.Script}\n{exception.Message}\n{exception.StackTrace}");
        }
    }

    private static async Task<string> OutcomeAsync(Task<CoapResponse> task)
    {
        try
        {
            CoapResponse response = await task.ConfigureAwait(false);
            return $"{response.Code.Class}.{response.Code.Detail:d2} {Encoding.UTF8.GetString(response.Payload.Span)}".Trim();
        }
        catch (CoapException exception)
        {
            return exception.GetType().Name;
        }
    }

    private static async Task UntilAsync(Func<bool> condition, Func<string> what)
    {
        using CancellationTokenSource guard = new(TimeSpan.FromMinutes(2));
        while (!condition())
        {
            if (guard.IsCancellationRequested)
            {
                throw new ScriptExpectationException(what());
            }

#pragma warning disable RS0030 // Other threads of the process are to run; nothing is timed by it.
            await Task.Delay(1);
#pragma warning restore RS0030
        }
    }

    private DirectConnection Connection() => _connection ??= Open();

    private DirectConnection Open()
    {
        DirectConnection connection = _streams.Accept(InMemoryNetwork.Address(_host + ":40000"));

        // Our CSM, the first frame on each connection.
        Assert.Equal(CoapCode.Csm, Read(Assert.Single(connection.TakeSent())).Code);
        return connection;
    }

    private CoapMessage Read(string hex) => _serializer.Deserialize(Convert.FromHexString(hex));

    private void Collect()
    {
        foreach (string frame in _connection?.TakeSent() ?? [])
        {
            _inbox.Enqueue(frame);
        }
    }

    private async Task DoAsync(HostileStep step)
    {
        switch (step.Do)
        {
            case ">":
                byte[] bytes = DatagramBytePattern.Parse(step.Rest).ToBytes(_remembered);
                for (int i = 0; i < step.Times; i++)
                {
                    Connection().Receive(bytes);
                }

                break;

            // The same, byte by byte.
            case "drip":
                foreach (byte one in DatagramBytePattern.Parse(HostileScript.Expand(step.Rest)).ToBytes(_remembered))
                {
                    Connection().Receive([one]);
                }

                break;
            case "<":
                for (int i = 0; i < step.Times; i++)
                {
                    await ExpectAsync(step.Rest);
                }

                break;
            case "~":
                _clock.Advance(TimeSpan.FromSeconds(double.Parse(step.Rest, CultureInfo.InvariantCulture)));
                break;
            case "aborted":
                Collect();
                CoapMessage abort = Read(Assert.Single(_inbox));
                _inbox.Clear();
                Assert.Equal(CoapCode.Abort, abort.Code);
                Assert.NotEqual(0, abort.Payload.Length);
                Assert.Equal(step.Rest, string.Join(' ', abort.Options));
                Assert.True(Connection().HasSentLast, "The connection is still open.");
                break;
            case "closed":
                Assert.True(Connection().IsClosed, "The connection is still open.");
                break;
            case "open":
                Assert.False(Connection().IsClosed, "The connection is closed.");
                break;
            case "end":
                Connection().ReceiveEnd();
                break;
            case "break":
                Connection().Break(new IOException("reset"));
                break;
            case "release":
                _slow.SetResult(CoapResults.Text("late"));
                break;
            case "get" or "post":
                int opened = _streams.OpenedByUs.Count;
                string uri = $"coap+tcp://{_host}{step.Rest}";
                _asked.Enqueue(OutcomeAsync(step.Do == "get" ? _client.GetAsync(uri) : _client.PostAsync(uri, null)));
                await UntilAsync(() => _connection is not null || _streams.OpenedByUs.Count > opened,
                    () => "No connection is opened.");
                if (_connection is null)
                {
                    _connection = _streams.OpenedByUs[^1];
                    await ExpectAsync("?0 e1 ..");
                }

                break;
            case "=" when step.Rest == "pending":
                Assert.False(_asked.Peek().IsCompleted, "The request ended.");
                break;
            case "=":
                Task<string> outcome = _asked.Dequeue();
                await UntilAsync(() => outcome.IsCompleted, () => "The request does not end.");
                Assert.Equal(step.Rest, await outcome);
                break;
            default:
                throw new ScriptExpectationException($"No such step: {step.Do}");
        }
    }

    private async Task ExpectAsync(string pattern)
    {
        await UntilAsync(
            () =>
            {
                Collect();
                return _inbox.Count > 0;
            },
            () => $"Nothing came where {pattern} was expected.");
        string frame = _inbox.Dequeue();
        BytePatternMatch match = DatagramBytePattern.Parse(pattern).Match(Convert.FromHexString(frame), _remembered);
        Assert.True(match.IsMatch, $"{frame} where {pattern} was expected, at byte {match.Offset}: {match.Reason}");
        foreach ((string name, byte[] value) in match.Captures)
        {
            _remembered[name] = value;
        }
    }

    // GET /held, GET /state with Observe 0 and PUT /store with Block1 0/1/64, byte by byte.
    private void Begin()
    {
        _stored = null;
        _good = _streams.Accept(InMemoryNetwork.Address("192.0.2.77:40077"));
        _good.Receive("50e12310000020");
        _good.Receive("5101a1b468656c64");
        _good.Receive("7101a2605573746174 65");
        _good.Receive($"d13d03a3b573746f7265d1030aff{string.Concat(Enumerable.Repeat("61", 64))}");
        string[] sent = _good.TakeSent();
        Assert.Equal(3, sent.Length);
        Assert.Equal(CoapCode.Continue, Read(sent[2]).Code);
    }

    private async Task EndAsync()
    {
        _states++;
        _state.Notify();
        _good.Receive("b103a3b573746f7265d10312ff62");
        _held.SetResult(CoapResults.Text("held"));
        _clock.Advance(TimeSpan.FromSeconds(5));
        List<CoapMessage> all = [];
        await UntilAsync(
            () =>
            {
                all.AddRange(_good.TakeSent().Select(Read));
                return all.Count >= 3;
            },
            () => $"A connection that did nothing wrong got {all.Count} answers and not 3.");
        Assert.Equal("held", Encoding.UTF8.GetString(all.Single(message => message.Token == new CoapToken([0xa1])).Payload.Span));
        Assert.Equal($"state {_states}",
            Encoding.UTF8.GetString(all.Last(message => message.Token == new CoapToken([0xa2])).Payload.Span));
        Assert.Equal(CoapCode.Changed, all.Single(message => message.Token == new CoapToken([0xa3])).Code);
        Assert.Equal(new string('a', 64) + "b", _stored);
        _good.Break();
    }
}
