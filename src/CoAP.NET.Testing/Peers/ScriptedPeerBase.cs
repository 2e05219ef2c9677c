using CoAP.NET.Transports;

namespace CoAP.NET.Testing;

/// <summary>
/// What a <see cref="ScriptedPeer"/> and a <see cref="UdpScriptedPeer"/> have in common: what they say, what they received, and what
/// patterns captured. They differ in what carries the bytes, and in how one waits for them.
/// </summary>
public abstract class ScriptedPeerBase : IDisposable
{
    private bool _remoteIsSet;

    private protected ScriptedPeerBase()
    {
    }

    /// <summary>
    /// Where it sends to. The default address until it was set or somebody sent something; then the last sender, unless it was set.
    /// </summary>
    public CoapAddress Remote { get; set => (field, _remoteIsSet) = (value, value != default); }

    /// <summary>Everything that arrived, in order.</summary>
    public IReadOnlyList<ReceivedDatagram> Received => Script.Received;

    /// <summary>What patterns captured so far, by name; later ones replace earlier ones.</summary>
    public IReadOnlyDictionary<string, byte[]> Remembered => Script.Remembered;

    private protected PeerScript Script { get; } = new();

    /// <summary>Sends bytes to <see cref="Remote"/>.</summary>
    /// <param name="hex">Bytes, text and remembered names, as in <see cref="BytePattern"/>.</param>
    /// <exception cref="FormatException">The text leaves open what to send.</exception>
    public void Send(string hex) => Send(Script.Bytes(hex));

    /// <summary>Sends bytes to <see cref="Remote"/>.</summary>
    /// <param name="data">The bytes.</param>
    /// <exception cref="InvalidOperationException">There is no remote address yet.</exception>
    public void Send(ReadOnlySpan<byte> data) => SendTo(Remote, data);

    /// <summary>Sends bytes.</summary>
    /// <param name="to">Where to; on a network in memory it may be a group.</param>
    /// <param name="hex">Bytes, text and remembered names, as in <see cref="BytePattern"/>.</param>
    /// <exception cref="FormatException">The text leaves open what to send.</exception>
    public void SendTo(CoapAddress to, string hex) => SendTo(to, Script.Bytes(hex));

    /// <summary>Sends bytes.</summary>
    /// <param name="to">Where to; on a network in memory it may be a group.</param>
    /// <param name="data">The bytes.</param>
    /// <exception cref="InvalidOperationException">The address is the default one.</exception>
    public void SendTo(CoapAddress to, ReadOnlySpan<byte> data)
    {
        if (to == default)
        {
            throw new InvalidOperationException(
                "The peer does not know where to send to. Set Remote, or let somebody send to it first.");
        }

        Transmit(to, data);
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
        SendTo(request.From, Script.Response(CoapMessageType.Acknowledgement, code, request.Head.MessageId, request.Head, rest));
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
        SendTo(request.From, Script.Response(type, code, messageId, request.Head, rest));
    }

    /// <summary>Remembers bytes by a name, as if a pattern had captured them.</summary>
    /// <param name="name">The name.</param>
    /// <param name="bytes">The bytes.</param>
    public void Remember(string name, ReadOnlySpan<byte> bytes) => Script.Remember(name, bytes);

    /// <summary>Gives up what carries the bytes; the address is free again.</summary>
    public abstract void Dispose();

    private protected abstract void Transmit(CoapAddress to, ReadOnlySpan<byte> data);

    private protected void OnReceived(ReceivedDatagram datagram)
    {
        if (!_remoteIsSet)
        {
            (Remote, _remoteIsSet) = (datagram.From, false);
        }

        Script.Log(datagram);
    }
}
