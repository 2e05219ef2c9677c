using System.Threading.Channels;
using CoAP.NET.Transports;

namespace CoAP.NET.Testing;

/// <summary>
/// A peer on an <see cref="InMemoryNetwork"/> that says byte for byte what the test has it say, and holds what it gets against patterns
/// (<see cref="BytePattern"/>). It knows no protocol, so it can also say what no CoAP stack would. What a pattern captures is remembered
/// and can be used in later patterns and in what is sent.
/// <code>
/// peer.Send("40 01 7d34 b4 'temp'");
/// peer.Expect("60 45 7d34 c0 ff &lt;body:*&gt;");
/// </code>
/// Made by <see cref="InMemoryNetwork.CreatePeer"/>. For one thread, but for what the network delivers.
/// </summary>
public sealed class ScriptedPeer : ScriptedPeerBase, INetworkReceiver
{
    private const int TraceLines = 30;

    private readonly InMemoryNetwork _network;
    private readonly NetworkNode _node;
    private readonly Channel<ReceivedDatagram> _queue = Channel.CreateUnbounded<ReceivedDatagram>();

    internal ScriptedPeer(InMemoryNetwork network, CoapAddress local, CoapAddress remote)
    {
        _network = network;
        Remote = remote;
        _node = network.Attach(local, this);
    }

    /// <summary>Its address as others see it; changes with <see cref="InMemoryNetwork.Rebind"/>.</summary>
    public CoapAddress Address => _node.Outside;

    /// <summary>
    /// Sees each datagram as it arrives and may send. What it answers true to is dealt with and not queued for <see cref="Receive"/>. Null
    /// for none.
    /// </summary>
    public Func<ReceivedDatagram, bool>? Responder { get; set; }

    /// <summary>How many datagrams wait to be received.</summary>
    public int Pending => _queue.Reader.Count;

    /// <summary>How many datagrams of this peer were reported to have found nobody.</summary>
    public int UnreachableCount { get; private set; }

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
    public ReceivedDatagram Expect(string pattern) => Script.Check(BytePattern.Parse(pattern), Receive(), Trace);

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

        return Script.Check(parsed, datagram, Trace);
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

    /// <summary>
    /// Lets virtual time pass and says that nothing arrives meanwhile. What arrives at the end of the time is too late to count: the clock
    /// stops just before.
    /// </summary>
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
        return Script.Check(parsed, await ReceiveAsync(cancellationToken).ConfigureAwait(false), Trace);
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
    public override void Dispose() => _network.Detach(_node);

    void INetworkReceiver.Deliver(NetworkPacket packet, CoapAddress local)
    {
        ReceivedDatagram datagram = new(_network.Now, packet.From, packet.To, packet.Data);
        OnReceived(datagram);
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

    private protected override void Transmit(CoapAddress to, ReadOnlySpan<byte> data)
    {
        _network.Send(_node, to, data.ToArray());
        _network.PumpImmediately();
    }

    private VirtualClock Clock() =>
        _network.TimeProvider as VirtualClock
            ?? throw new InvalidOperationException(
                "The network has no VirtualClock, so no time can be let pass. Use the asynchronous methods.");

    private string Trace() => $"{Environment.NewLine}Trace:{Environment.NewLine}{_network.PrintTrace(TraceLines)}";
}
