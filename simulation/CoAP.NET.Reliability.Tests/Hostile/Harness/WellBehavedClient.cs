namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>
/// A client that does nothing wrong beside those that do: it has a request under way, an observation, an upload and a download, and each
/// must end as if it were alone. Byte for byte, so that it cannot be wrong in the same way as the server.
/// </summary>
internal sealed class WellBehavedClient
{
    public static readonly byte[] Large = [.. Enumerable.Range(0, 64 * 200).Select(i => (byte)(i / 7))];

    private readonly CoapDatagramSerializer _serializer = new();
    private readonly ServerWorld _world;
    private readonly ScriptedPeer _peer;
    private readonly Dictionary<CoapToken, Queue<CoapMessage>> _inbox = [];
    private readonly List<byte> _sent = [];
    private byte[]? _stored;
    private ushort _id = 0x1000;
    private int _uploaded;
    private int _downloaded;
    private int _states;
    private CoapToken _observation;
    private CoapToken _held;

    public WellBehavedClient(ServerWorld world)
    {
        _world = world;
        _peer = world.Network.CreatePeer(InMemoryNetwork.Address("192.0.2.77:40077"), world.Address);
        _peer.Responder = OnReceived;
    }

    public TaskCompletionSource<CoapResult> Held { get; private set; } = new();

    public string State => $"state {_states}";

    public CoapResult Store(ReadOnlyMemory<byte> body)
    {
        _stored = body.ToArray();
        return CoapResults.Changed();
    }

    public void Begin()
    {
        (_uploaded, _downloaded, _stored) = (0, 0, null);
        _sent.Clear();
        _inbox.Clear();
        Held = new TaskCompletionSource<CoapResult>();
        _held = Send(Request(CoapMethod.Get, "held"));
        CoapMessage registration = Request(CoapMethod.Get, "state");
        registration.Options.Observe = 0;
        _observation = Send(registration);
        Assert.NotNull(Take(_observation).Options.Observe);
        Upload(isLast: false);
        Download();
    }

    public void Beat()
    {
        _states++;
        _world.NotifyState();
        Upload(isLast: false);
        Download();
    }

    public void End()
    {
        _states++;
        _world.NotifyState();
        Upload(isLast: true);
        Assert.True(_sent.ToArray().AsSpan().SequenceEqual(_stored), "The upload of a peer that did nothing wrong was damaged.");
        Download();
        Held.SetResult(CoapResults.Text("held"));
        Assert.Equal("held", Text(Take(_held)));

        // A notification may have to wait for its turn (RFC 7641 section 4.5.1).
        _world.Clock.Advance(TimeSpan.FromSeconds(5));
        CoapMessage? last = null;
        while (_inbox.TryGetValue(_observation, out Queue<CoapMessage>? queue) && queue.TryDequeue(out CoapMessage? notification))
        {
            last = notification;
        }

        Assert.Equal(State, last is null ? null : Text(last));
        CoapMessage cancel = Request(CoapMethod.Get, "state");
        cancel.Options.Observe = 1;
        cancel.Token = _observation;
        Send(cancel);
        Assert.Null(Take(_observation).Options.Observe);
        Assert.DoesNotContain(_inbox, entry => entry.Value.Count > 0);
    }

    private static string Text(CoapMessage message) => Encoding.UTF8.GetString(message.Payload.Span);

    private CoapMessage Request(CoapMethod method, string path)
    {
        CoapMessage request = new(method)
        {
            Type = CoapMessageType.Confirmable,
            MessageId = ++_id,
            Token = new CoapToken([0x77, (byte)(_id >> 8), (byte)_id])
        };
        request.Options.Add(OptionNumber.UriPath, Encoding.UTF8.GetBytes(path));
        return request;
    }

    private CoapToken Send(CoapMessage request)
    {
        _peer.Send(_serializer.Serialize(request));
        return request.Token;
    }

    private CoapMessage Take(CoapToken token)
    {
        _world.Network.Pump();
        Assert.True(_inbox.TryGetValue(token, out Queue<CoapMessage>? queue) && queue.Count > 0,
            "A peer that did nothing wrong got no answer.");
        return queue!.Dequeue();
    }

    private void Upload(bool isLast)
    {
        byte[] block = [.. Enumerable.Range(_uploaded, isLast ? 10 : 64).Select(i => (byte)(i * 3))];
        CoapMessage request = Request(CoapMethod.Put, "store");
        request.Options.Block1 = new BlockValue(_uploaded++, more: !isLast, 2);
        request.Payload = block;
        _sent.AddRange(block);
        CoapMessage answer = Take(Send(request));
        Assert.Equal(isLast ? CoapCode.Changed : CoapCode.Continue, answer.Code);
    }

    private void Download()
    {
        CoapMessage request = Request(CoapMethod.Get, "large");
        request.Options.Block2 = new BlockValue(_downloaded, more: false, 2);
        CoapMessage answer = Take(Send(request));
        Assert.Equal(new BlockValue(_downloaded, more: true, 2), answer.Options.Block2);
        Assert.True(answer.Payload.Span.SequenceEqual(Large.AsSpan(64 * _downloaded++, 64)), "A block of a download was damaged.");
    }

    private bool OnReceived(ReceivedDatagram datagram)
    {
        CoapMessage message = _serializer.Deserialize(datagram.Data.Span);
        if (message.Type == CoapMessageType.Confirmable)
        {
            _peer.Acknowledge(datagram);
        }

        Assert.NotEqual(CoapMessageType.Reset, message.Type);
        if (!message.Code.IsEmpty)
        {
            if (!_inbox.TryGetValue(message.Token, out Queue<CoapMessage>? queue))
            {
                _inbox.Add(message.Token, queue = new Queue<CoapMessage>());
            }

            queue.Enqueue(message);
        }

        return true;
    }
}
