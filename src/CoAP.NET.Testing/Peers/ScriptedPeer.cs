using System.Threading.Channels;
using CoAP.NET.Testing.Network;
using CoAP.NET.Testing.Peers;

namespace CoAP.NET.Testing;

/// <summary>
/// A peer on an <see cref="InMemoryNetwork"/> that sends exactly the bytes of the test, and compares received ones with patterns.
/// </summary>
/// <remarks>
/// It knows no protocol, so it can send what no CoAP stack would send. Later patterns and sent bytes can use the captures of earlier
/// patterns.
/// <code>
/// peer.Send("40 01 7d34 b4 'temp'");
/// peer.Expect("60 45 7d34 c0 ff &lt;body:*&gt;");
/// </code>
/// Blanks are ignored. A pattern consists of these parts:
/// <list type="table">
/// <item><term><c>4f</c></term><description>this byte</description></item>
/// <item><term><c>??</c>, <c>4?</c>, <c>?1</c></term><description>any byte; any byte with this hex digit</description></item>
/// <item><term><c>'text'</c></term><description>these characters in UTF-8</description></item>
/// <item><term><c>&lt;mid:2&gt;</c></term><description>two bytes, captured under that name</description></item>
/// <item><term><c>&lt;token:tkl&gt;</c></term><description>as many bytes as the low half of the first byte says: a token of up to 8
/// bytes</description></item>
/// <item><term><c>&lt;body:*&gt;</c></term><description>all remaining bytes, captured under that name; only at the
/// end</description></item>
/// <item><term><c>&lt;mid&gt;</c></term><description>the bytes that were captured under that name</description></item>
/// <item><term><c>..</c></term><description>any bytes, or none; only at the end</description></item>
/// </list>
/// Without <c>..</c> or <c>&lt;name:*&gt;</c> the datagram must end where the pattern does. Bytes to send have the same syntax, with
/// bytes, text and captured names.
/// <see cref="InMemoryNetwork.CreatePeer"/> creates it. One thread uses it; the network may deliver on others.
/// </remarks>
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

    /// <summary>Its address as others see it. It changes with <see cref="InMemoryNetwork.Rebind"/>.</summary>
    public CoapAddress Address => _node.Outside;

    /// <summary>Sees each datagram as it arrives, and may send. Null for none.</summary>
    /// <remarks>If it returns true, the datagram is handled and not queued for <see cref="Receive"/>.</remarks>
    public Func<ReceivedDatagram, bool>? Responder { get; set; }

    /// <summary>The number of received datagrams that no expectation has taken.</summary>
    public int Pending => _queue.Reader.Count;

    /// <summary>The number of datagrams of this peer that were reported as undeliverable.</summary>
    internal int UnreachableCount { get; private set; }

    /// <summary>Takes the oldest queued datagram. Lets no time pass.</summary>
    /// <returns>The datagram; null when the queue is empty.</returns>
    public ReceivedDatagram? Receive()
    {
        _network.PumpImmediately();
        return _queue.Reader.TryRead(out ReceivedDatagram? datagram) ? datagram : null;
    }

    /// <summary>Takes the oldest queued datagram, which must exist and match. Lets no time pass.</summary>
    /// <param name="pattern">The expected pattern; see <see cref="ScriptedPeer"/>.</param>
    /// <returns>The datagram, with the captures.</returns>
    /// <exception cref="ScriptExpectationException">The queue is empty, or the datagram differs.</exception>
    public ReceivedDatagram Expect(string pattern) => Script.Check(DatagramBytePattern.Parse(pattern), Receive(), Trace);

    /// <summary>Lets virtual time pass until a datagram arrives, which must match.</summary>
    /// <param name="pattern">The expected pattern; see <see cref="ScriptedPeer"/>.</param>
    /// <param name="max">The maximum time. The clock stops at the arrival.</param>
    /// <returns>The datagram, with the captures.</returns>
    /// <exception cref="ScriptExpectationException">No datagram arrives, or it differs.</exception>
    /// <exception cref="InvalidOperationException">The network has no virtual clock.</exception>
    public ReceivedDatagram ExpectWithin(string pattern, TimeSpan max)
    {
        DatagramBytePattern parsed = DatagramBytePattern.Parse(pattern);
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

    /// <summary>Checks that no datagram is queued. Lets no time pass.</summary>
    /// <exception cref="ScriptExpectationException">A datagram is queued.</exception>
    public void ExpectNothing()
    {
        if (Receive() is { } datagram)
        {
            throw new ScriptExpectationException($"Expected: nothing{Environment.NewLine}Received: {datagram}{Trace()}");
        }
    }

    /// <summary>Lets virtual time pass and checks that no datagram arrives meanwhile.</summary>
    /// <remarks>The clock stops just before the end, so a datagram that arrives exactly then does not count.</remarks>
    /// <param name="time">The time to pass.</param>
    /// <exception cref="ScriptExpectationException">A datagram arrived.</exception>
    /// <exception cref="InvalidOperationException">The network has no virtual clock.</exception>
    public void ExpectNothingFor(TimeSpan time) => ExpectNothingUntil(_network.Now + time);

    /// <summary>
    /// Lets virtual time pass and checks that no datagram arrives before a point in time. The clock stops just before it.
    /// </summary>
    /// <param name="time">The point in time, in terms of <see cref="InMemoryNetwork.Now"/>.</param>
    /// <exception cref="ScriptExpectationException">A datagram arrived.</exception>
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

    /// <summary>Waits for a datagram that another thread delivers. Lets no virtual time pass.</summary>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The datagram.</returns>
    public ValueTask<ReceivedDatagram> ReceiveAsync(CancellationToken cancellationToken)
    {
        _network.PumpImmediately();
        return _queue.Reader.ReadAsync(cancellationToken);
    }

    /// <summary>Waits for a datagram that another thread delivers, which must match. Lets no virtual time pass.</summary>
    /// <param name="pattern">The expected pattern; see <see cref="ScriptedPeer"/>.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The datagram, with the captures.</returns>
    /// <exception cref="ScriptExpectationException">The datagram differs.</exception>
    public async ValueTask<ReceivedDatagram> ExpectAsync(string pattern, CancellationToken cancellationToken)
    {
        DatagramBytePattern parsed = DatagramBytePattern.Parse(pattern);
        return Script.Check(parsed, await ReceiveAsync(cancellationToken).ConfigureAwait(false), Trace);
    }

    internal int Clear()
    {
        int count = 0;
        while (Receive() is not null)
        {
            count++;
        }

        return count;
    }

    /// <summary>Leaves the network and frees the address.</summary>
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
        // A raw sender gets no report; the trace records it.
    }

    private protected override void Transmit(CoapAddress to, ReadOnlySpan<byte> data)
    {
        _network.Send(_node, to, data.ToArray());
        _network.PumpImmediately();
    }

    private VirtualClock Clock() =>
        _network.TimeProvider as VirtualClock
            ?? throw new InvalidOperationException(
                "The network has no VirtualClock, so the test cannot let time pass. Use the asynchronous methods.");

    private string Trace() => $"{Environment.NewLine}Trace:{Environment.NewLine}{_network.PrintTrace(TraceLines)}";
}
