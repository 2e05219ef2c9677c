using System.Threading.Channels;
using CoAP.NET.Transports;

namespace CoAP.NET.Testing;

/// <summary>
/// A peer on an <see cref="InMemoryNetwork"/> that says byte for byte what the test has it say, and holds what it gets against patterns (<see cref="BytePattern"/>).
/// It knows no protocol, so it can also say what no CoAP stack would. What a pattern captures is remembered and can be used in later patterns and in what is sent.
/// <code>
/// peer.Send("40 01 7d34 b4 'temp'");
/// peer.Expect("60 45 7d34 c0 ff &lt;body:*&gt;");
/// </code>
/// Made by <see cref="InMemoryNetwork.CreatePeer"/>. For one thread, but for what the network delivers.
/// </summary>
public sealed class ScriptedPeer : IDisposable, INetworkReceiver
{
    private const int TraceLines = 30;

    private readonly InMemoryNetwork _network;
    private readonly NetworkNode _node;
    private readonly PeerScript _script = new();
    private readonly Channel<ReceivedDatagram> _queue = Channel.CreateUnbounded<ReceivedDatagram>();
    private bool _remoteIsSet;

    internal ScriptedPeer(InMemoryNetwork network, CoapAddress local, CoapAddress remote)
    {
        _network = network;
        Remote = remote;
        _node = network.Attach(local, this);
    }

    /// <summary>Its address as others see it; changes with <see cref="InMemoryNetwork.Rebind"/>.</summary>
    public CoapAddress Address => _node.Outside;

    /// <summary>Where it sends to. The default address until it was set or somebody sent something; then the last sender, unless it was set.</summary>
    public CoapAddress Remote { get; set => (field, _remoteIsSet) = (value, value != default); }

    /// <summary>Everything that arrived, also what <see cref="Responder"/> took.</summary>
    public IReadOnlyList<ReceivedDatagram> Received => _script.Received;

    /// <summary>What patterns captured so far, by name; later ones replace earlier ones.</summary>
    public IReadOnlyDictionary<string, byte[]> Remembered => _script.Remembered;

    /// <summary>Sees each datagram as it arrives and may send. What it answers true to is dealt with and not queued for <see cref="Receive"/>. Null for none.</summary>
    public Func<ReceivedDatagram, bool>? Responder { get; set; }

    /// <summary>How many datagrams wait to be received.</summary>
    public int Pending => _queue.Reader.Count;

    /// <summary>How many datagrams of this peer were reported to have found nobody.</summary>
    public int UnreachableCount { get; private set; }

    /// <summary>Sends bytes to <see cref="Remote"/>.</summary>
    /// <param name="hex">Bytes, text and remembered names, as in <see cref="BytePattern"/>.</param>
    /// <exception cref="FormatException">The text leaves open what to send.</exception>
    public void Send(string hex) => Send(_script.Bytes(hex));

    /// <summary>Sends bytes to <see cref="Remote"/>.</summary>
    /// <param name="data">The bytes.</param>
    /// <exception cref="InvalidOperationException">There is no remote address yet.</exception>
    public void Send(ReadOnlySpan<byte> data) => SendTo(Remote, data);

    /// <summary>Sends bytes.</summary>
    /// <param name="to">Where to; may be a group.</param>
    /// <param name="hex">Bytes, text and remembered names, as in <see cref="BytePattern"/>.</param>
    /// <exception cref="FormatException">The text leaves open what to send.</exception>
    public void SendTo(CoapAddress to, string hex) => SendTo(to, _script.Bytes(hex));

    /// <summary>Sends bytes.</summary>
    /// <param name="to">Where to; may be a group.</param>
    /// <param name="data">The bytes.</param>
    /// <exception cref="InvalidOperationException">The address is the default one.</exception>
    public void SendTo(CoapAddress to, ReadOnlySpan<byte> data)
    {
        if (to == default)
        {
            throw new InvalidOperationException("The peer does not know where to send to. Set Remote, or let somebody send to it first.");
        }

        _network.Send(_node, to, data.ToArray());
        _network.PumpImmediately();
    }

    /// <summary>Acknowledges a datagram with an Empty message (RFC 7252 section 4.2), to who sent it.</summary>
    /// <param name="received">What is acknowledged.</param>
    public void Acknowledge(ReceivedDatagram received)
    {
        ArgumentNullException.ThrowIfNull(received);
        SendTo(received.From, PeerScript.Acknowledgement(received.Head));
    }

    /// <summary>Rejects a datagram with a Reset message (RFC 7252 section 4.2), to who sent it.</summary>
    /// <param name="received">What is rejected.</param>
    public void Reset(ReceivedDatagram received)
    {
        ArgumentNullException.ThrowIfNull(received);
        SendTo(received.From, PeerScript.Reset(received.Head));
    }

    /// <summary>Answers a request in the acknowledgement (RFC 7252 section 5.2.1).</summary>
    /// <param name="request">The request.</param>
    /// <param name="code">The code of the response.</param>
    /// <param name="rest">What follows the token: options, <c>ff</c>, payload, written as in <see cref="BytePattern"/>.</param>
    public void Piggyback(ReceivedDatagram request, CoapCode code, string rest = "")
    {
        ArgumentNullException.ThrowIfNull(request);
        SendTo(request.From, _script.Response(CoapMessageType.Acknowledgement, code, request.Head.MessageId, request.Head, rest));
    }

    /// <summary>Answers a request in a message of its own (RFC 7252 sections 5.2.2 and 5.2.3).</summary>
    /// <param name="request">The request.</param>
    /// <param name="type">Confirmable or Non-confirmable; others are sent too.</param>
    /// <param name="messageId">The Message ID.</param>
    /// <param name="code">The code of the response.</param>
    /// <param name="rest">What follows the token: options, <c>ff</c>, payload, written as in <see cref="BytePattern"/>.</param>
    public void Respond(ReceivedDatagram request, CoapMessageType type, ushort messageId, CoapCode code, string rest = "")
    {
        ArgumentNullException.ThrowIfNull(request);
        SendTo(request.From, _script.Response(type, code, messageId, request.Head, rest));
    }

    /// <summary>Remembers bytes by a name, as if a pattern had captured them.</summary>
    /// <param name="name">The name.</param>
    /// <param name="bytes">The bytes.</param>
    public void Remember(string name, ReadOnlySpan<byte> bytes) => _script.Remember(name, bytes);

    /// <summary>Takes the datagram that arrived first of those that wait. Lets no time pass.</summary>
    /// <returns>The datagram; null when none waits.</returns>
    public ReceivedDatagram? Receive()
    {
        _network.PumpImmediately();
        return _queue.Reader.TryRead(out ReceivedDatagram? datagram) ? datagram : null;
    }

    /// <summary>Takes the next datagram, which must be there and match. Lets no time pass.</summary>
    /// <param name="pattern">What it must look like; see <see cref="BytePattern"/>.</param>
    /// <returns>The datagram, with what was captured.</returns>
    /// <exception cref="ScriptException">There is none, or it differs.</exception>
    public ReceivedDatagram Expect(string pattern) => _script.Check(BytePattern.Parse(pattern), Receive(), Trace);

    /// <summary>Lets virtual time pass until a datagram arrives, which must match.</summary>
    /// <param name="pattern">What it must look like; see <see cref="BytePattern"/>.</param>
    /// <param name="max">The longest time to pass. The clock stops at the arrival.</param>
    /// <returns>The datagram, with what was captured.</returns>
    /// <exception cref="ScriptException">None comes, or it differs.</exception>
    /// <exception cref="InvalidOperationException">The network has no virtual clock.</exception>
    public ReceivedDatagram ExpectWithin(string pattern, TimeSpan max)
    {
        BytePattern parsed = BytePattern.Parse(pattern);
        VirtualClock clock = Clock();
        TimeSpan end = clock.Elapsed + max;
        ReceivedDatagram? datagram = Receive();
        while (datagram is null && clock.NextDue is { } due && due <= end)
        {
            clock.AdvanceTo(due);
            datagram = Receive();
        }

        if (datagram is null)
        {
            clock.AdvanceTo(end);
        }

        return _script.Check(parsed, datagram, Trace);
    }

    /// <summary>Says that nothing waits. Lets no time pass.</summary>
    /// <exception cref="ScriptException">A datagram waits.</exception>
    public void ExpectNothing()
    {
        if (Receive() is { } datagram)
        {
            throw new ScriptException($"Expected: nothing{Environment.NewLine}Received: {datagram}{Trace()}");
        }
    }

    /// <summary>Lets virtual time pass and says that nothing arrives meanwhile. What arrives at the end of the time is too late to count: the clock stops just before.</summary>
    /// <param name="time">How long.</param>
    /// <exception cref="ScriptException">A datagram arrived.</exception>
    /// <exception cref="InvalidOperationException">The network has no virtual clock.</exception>
    public void ExpectNothingFor(TimeSpan time) => ExpectNothingUntil(_network.Now + time);

    /// <summary>Lets virtual time pass and says that nothing arrives before a point in time. The clock stops just before it.</summary>
    /// <param name="time">The point, as <see cref="InMemoryNetwork.Now"/> counts.</param>
    /// <exception cref="ScriptException">A datagram arrived.</exception>
    /// <exception cref="InvalidOperationException">The network has no virtual clock.</exception>
    public void ExpectNothingUntil(TimeSpan time)
    {
        VirtualClock clock = Clock();
        ExpectNothing();
        TimeSpan left = time - _network.Now - TimeSpan.FromTicks(1);
        if (left >= TimeSpan.Zero)
        {
            clock.Advance(left);
        }

        ExpectNothing();
    }

    /// <summary>Waits for a datagram that another thread delivers; lets no virtual time pass.</summary>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The datagram.</returns>
    public ValueTask<ReceivedDatagram> ReceiveAsync(CancellationToken cancellationToken)
    {
        _network.PumpImmediately();
        return _queue.Reader.ReadAsync(cancellationToken);
    }

    /// <summary>Waits for a datagram that another thread delivers, which must match; lets no virtual time pass.</summary>
    /// <param name="pattern">What it must look like; see <see cref="BytePattern"/>.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The datagram, with what was captured.</returns>
    /// <exception cref="ScriptException">It differs.</exception>
    public async ValueTask<ReceivedDatagram> ExpectAsync(string pattern, CancellationToken cancellationToken)
    {
        BytePattern parsed = BytePattern.Parse(pattern);
        return _script.Check(parsed, await ReceiveAsync(cancellationToken).ConfigureAwait(false), Trace);
    }

    /// <summary>Throws away what waits.</summary>
    /// <returns>How many datagrams waited.</returns>
    public int Clear()
    {
        int count = 0;
        while (Receive() is not null)
        {
            count++;
        }

        return count;
    }

    /// <summary>Leaves the network; the address is free again.</summary>
    public void Dispose() => _network.Detach(_node);

    void INetworkReceiver.Deliver(NetworkPacket packet, CoapAddress local)
    {
        if (!_remoteIsSet)
        {
            (Remote, _remoteIsSet) = (packet.From, false);
        }

        ReceivedDatagram datagram = new(_network.Now, packet.From, packet.To, packet.Data);
        _script.Log(datagram);
        if (Responder?.Invoke(datagram) != true)
        {
            _queue.Writer.TryWrite(datagram);
        }
    }

    void INetworkReceiver.PortUnreachable(CoapAddress remote, CoapAddress local, ReadOnlySpan<byte> quoted) => UnreachableCount++;

    void INetworkReceiver.TooLong(NetworkPacket packet, CoapAddress local)
    {
        // A raw sender learns nothing; the trace says so.
    }

    private VirtualClock Clock() =>
        _network.TimeProvider as VirtualClock ?? throw new InvalidOperationException("The network has no VirtualClock, so no time can be let pass. Use the asynchronous methods.");

    private string Trace() => $"{Environment.NewLine}Trace:{Environment.NewLine}{_network.PrintTrace(TraceLines)}";
}
