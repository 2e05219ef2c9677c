namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>
/// Servers that do nothing wrong beside those that do. The client has a request under way at them, an observation, an upload and a
/// download, and each must end as if there were nothing else.
/// </summary>
internal sealed class WellBehavedServer
{
    private const string Slow = "192.0.2.20";
    private const string Source = "192.0.2.21";
    private const string Store = "192.0.2.22";
    private const int Blocks = 6;

    private readonly CoapDatagramSerializer _serializer = new();
    private readonly ClientWorld _world;
    private readonly Dictionary<string, ScriptedPeer> _peers = [];
    private readonly Dictionary<string, CoapMessage> _held = [];
    private readonly HashSet<(string, ushort)> _seen = [];
    private readonly byte[] _body = [.. Enumerable.Range(0, 64 * Blocks).Select(i => (byte)(i / 5))];
    private readonly List<byte> _stored = [];
    private bool _isHurrying;
    private int _states;
    private ushort _id = 0x2000;
    private CoapToken _observation;
    private Task<CoapResponse>? _slow;
    private Task<CoapResponse>? _download;
    private Task<CoapResponse>? _upload;
    private CoapObservation? _observed;

    public WellBehavedServer(ClientWorld world)
    {
        _world = world;
        foreach (string host in (string[])[Slow, Source, Store])
        {
            ScriptedPeer peer = world.Network.CreatePeer(InMemoryNetwork.Address(host + ":5683"), world.Address);
            peer.Responder = datagram => OnReceived(host, datagram);
            _peers.Add(host, peer);
        }
    }

    private string State => $"state {_states}";

    public async Task BeginAsync(CoapClient client)
    {
        lock (_held)
        {
            _held.Clear();
            _seen.Clear();
            _stored.Clear();
            _isHurrying = false;
        }

        Task<CoapObservation> observing = client.ObserveAsync($"coap://{Slow}/state");
        await _world.WaitAsync(() => observing.IsCompleted, () => "A peer that did nothing wrong is not observed.");
        _observed = await observing;
        _slow = client.GetAsync($"coap://{Slow}/slow");
        _download = client.SendAsync(new CoapRequest(CoapMethod.Get, $"coap://{Source}/large") { BlockSize = 64 });
        _upload = client.SendAsync(
            new CoapRequest(CoapMethod.Put, $"coap://{Store}/store") { BlockSize = 64, Content = CoapContent.Binary(_body) });
        await _world.WaitAsync(() => Holds(Slow) && Holds(Source) && Holds(Store),
            () => "A peer that did nothing wrong was asked nothing.");
    }

    public async Task BeatAsync()
    {
        if (_stored.Count < 64 * (Blocks - 2))
        {
            Release(Source);
            Release(Store);
        }

        Notify();

        // Other threads of the client send the next blocks. Time that passes before they did counts as time without an answer.
        await _world.WaitAsync(
            () => Holds(Source) && Holds(Store), () => "A peer that did nothing wrong was not asked for the next block.");
    }

    public async Task EndAsync()
    {
        _isHurrying = true;
        Notify();
        Release(Slow);
        Release(Source);
        Release(Store);
        _world.Network.Pump();
        await _world.WaitAsync(
            () => _slow!.IsCompleted && _download!.IsCompleted && _upload!.IsCompleted,
            () => $"Requests to peers that did nothing wrong do not end: {_slow!.Status}, {_download!.Status}, {_upload!.Status}.");
        Assert.Equal("slow", (await _slow!).GetText());
        Assert.True((await _download!).Payload.Span.SequenceEqual(_body), "The download from a peer that did nothing wrong was damaged.");
        Assert.Equal(CoapCode.Changed, (await _upload!).Code);
        Assert.True(_stored.ToArray().AsSpan().SequenceEqual(_body), "The upload to a peer that did nothing wrong was damaged.");
        await _world.WaitAsync(() => _observed!.Latest?.GetText() == State,
            () => $"The observation of a peer that did nothing wrong has {_observed!.Latest?.GetText()} and not {State}.");
        Assert.Equal(CoapObserveState.Observing, _observed!.State);
        await _observed.DisposeAsync();
    }

    private bool Holds(string host)
    {
        lock (_held)
        {
            return _held.ContainsKey(host);
        }
    }

    private void Notify()
    {
        _states++;
        CoapMessage notification = new(CoapCode.Content)
        {
            Type = CoapMessageType.Confirmable,
            MessageId = ++_id,
            Token = _observation,
            Payload = Encoding.UTF8.GetBytes(State)
        };
        notification.Options.Observe = (uint)(100 + _states);
        notification.Options.MaxAge = TimeSpan.FromHours(2);
        _peers[Slow].Send(_serializer.Serialize(notification));
    }

    // What was acknowledged before is answered in a message of its own.
    private void Release(string host)
    {
        CoapMessage? request;
        lock (_held)
        {
            if (!_held.Remove(host, out request))
            {
                return;
            }
        }

        CoapMessage response = Answer(host, request);
        response.Type = CoapMessageType.Confirmable;
        response.MessageId = ++_id;
        response.Token = request.Token;
        _peers[host].Send(_serializer.Serialize(response));
    }

    private CoapMessage Answer(string host, CoapMessage request)
    {
        CoapMessage response = new(host == Store ? CoapCode.Continue : CoapCode.Content);
        if (host == Source)
        {
            BlockValue block = request.Options.Block2 ?? new BlockValue(0, more: false, 2);
            response.Payload = _body.AsMemory(block.Number * block.Size, 64);
            response.Options.Block2 = new BlockValue(block.Number, block.Number < Blocks - 1, 2);
            response.Options.ETag = new CoapETag([1]);
        }
        else if (host == Store)
        {
            BlockValue block = request.Options.Block1!.Value;
            Assert.Equal(_stored.Count, block.Number * block.Size);
            _stored.AddRange(request.Payload.ToArray());
            response.Code = block.More ? CoapCode.Continue : CoapCode.Changed;
            response.Options.Block1 = block;
        }
        else
        {
            response.Payload = "slow"u8.ToArray();
        }

        return response;
    }

    private bool OnReceived(string host, ReceivedDatagram datagram)
    {
        CoapMessage message = _serializer.Deserialize(datagram.Data.Span);
        Assert.NotEqual(CoapMessageType.Reset, message.Type);
        if (!message.Code.IsRequest)
        {
            return true;
        }

        if (message.Options.Observe is { } observe)
        {
            if (observe == 0)
            {
                _observation = message.Token;
                _peers[host].Piggyback(datagram, CoapCode.Content, $"62 0001 82 1c20 ff '{State}'");
            }
            else
            {
                _peers[host].Piggyback(datagram, CoapCode.Content, $"ff '{State}'");
            }

            return true;
        }

        _peers[host].Acknowledge(datagram);
        lock (_held)
        {
            if (!_seen.Add((host, message.MessageId)))
            {
                return true;
            }

            _held[host] = message;
        }

        if (_isHurrying && host != Slow)
        {
            Release(host);
        }

        return true;
    }
}
