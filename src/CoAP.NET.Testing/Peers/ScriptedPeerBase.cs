using CoAP.NET.Diagnostics;
using CoAP.NET.Testing.Peers;

namespace CoAP.NET.Testing;

/// <summary>
/// The common base of <see cref="ScriptedPeer"/> and <see cref="UdpScriptedPeer"/>: sending, received datagrams and captures.
/// </summary>
/// <remarks>The two differ in the transport of the bytes and in the way of waiting.</remarks>
public abstract class ScriptedPeerBase : IDisposable
{
    private bool _remoteIsSet;

    private protected ScriptedPeerBase()
    {
    }

    /// <summary>The destination. Unless it is set, it is the last sender; the default address before the first datagram.</summary>
    public CoapAddress Remote { get; set => (field, _remoteIsSet) = (value, value != default); }

    /// <summary>All received datagrams, in order.</summary>
    public IReadOnlyList<ReceivedDatagram> Received => Script.Received;

    /// <summary>The captures so far, by name; later ones replace earlier ones.</summary>
    public IReadOnlyDictionary<string, byte[]> Remembered => Script.Remembered;

    private protected ScriptedPeerState Script { get; } = new();

    /// <summary>Sends bytes to <see cref="Remote"/>.</summary>
    /// <param name="hex">Bytes, text and remembered names, as in the patterns of <see cref="ScriptedPeer"/>.</param>
    /// <exception cref="FormatException">The text does not define what to send.</exception>
    public void Send(string hex) => Send(Script.Bytes(hex));

    /// <summary>Sends bytes to <see cref="Remote"/>.</summary>
    /// <param name="data">The bytes.</param>
    /// <exception cref="InvalidOperationException">The remote address is unknown.</exception>
    public void Send(ReadOnlySpan<byte> data) => SendTo(Remote, data);

    /// <summary>Sends bytes.</summary>
    /// <param name="to">The destination; on an in-memory network it may be a group.</param>
    /// <param name="hex">Bytes, text and remembered names, as in the patterns of <see cref="ScriptedPeer"/>.</param>
    /// <exception cref="FormatException">The text does not define what to send.</exception>
    public void SendTo(CoapAddress to, string hex) => SendTo(to, Script.Bytes(hex));

    /// <summary>Sends bytes.</summary>
    /// <param name="to">The destination; on an in-memory network it may be a group.</param>
    /// <param name="data">The bytes.</param>
    /// <exception cref="InvalidOperationException">The address is the default one.</exception>
    public void SendTo(CoapAddress to, ReadOnlySpan<byte> data)
    {
        if (to == default)
        {
            throw new InvalidOperationException(
                "The destination is unknown. Set Remote, or let another host send to this peer first.");
        }

        Transmit(to, data);
    }

    /// <summary>Acknowledges a datagram to its sender with an Empty message (RFC 7252 section 4.2).</summary>
    /// <param name="received">The datagram to acknowledge.</param>
    public void Acknowledge(ReceivedDatagram received)
    {
        ArgumentNullException.ThrowIfNull(received);
        SendTo(received.From, ScriptedPeerState.Acknowledgement(received.Head));
    }

    /// <summary>Rejects a datagram to its sender with a Reset message (RFC 7252 section 4.2).</summary>
    /// <param name="received">The datagram to reject.</param>
    public void Reset(ReceivedDatagram received)
    {
        ArgumentNullException.ThrowIfNull(received);
        SendTo(received.From, ScriptedPeerState.Reset(received.Head));
    }

    /// <summary>Answers a request in the acknowledgement (RFC 7252 section 5.2.1).</summary>
    /// <param name="request">The request.</param>
    /// <param name="code">The code of the response.</param>
    /// <param name="rest">The bytes after the token: options, <c>ff</c>, payload, written as in the patterns of
    /// <see cref="ScriptedPeer"/>.</param>
    public void Piggyback(ReceivedDatagram request, CoapCode code, string rest = "")
    {
        ArgumentNullException.ThrowIfNull(request);
        SendTo(request.From, Script.Response(CoapMessageType.Acknowledgement, code, request.Head.MessageId, request.Head, rest));
    }

    /// <summary>Answers a request in a separate message (RFC 7252 sections 5.2.2 and 5.2.3).</summary>
    /// <param name="request">The request.</param>
    /// <param name="type">Confirmable or Non-confirmable; other types are sent too.</param>
    /// <param name="messageId">The Message ID.</param>
    /// <param name="code">The code of the response.</param>
    /// <param name="rest">The bytes after the token: options, <c>ff</c>, payload, written as in the patterns of
    /// <see cref="ScriptedPeer"/>.</param>
    public void Respond(ReceivedDatagram request, CoapMessageType type, ushort messageId, CoapCode code, string rest = "")
    {
        ArgumentNullException.ThrowIfNull(request);
        SendTo(request.From, Script.Response(type, code, messageId, request.Head, rest));
    }

    /// <summary>Stores bytes under a name, like a capture of a pattern.</summary>
    /// <param name="name">The name.</param>
    /// <param name="bytes">The bytes.</param>
    public void Remember(string name, ReadOnlySpan<byte> bytes) => Script.Remember(name, bytes);

    /// <summary>Closes the peer and frees its address.</summary>
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
