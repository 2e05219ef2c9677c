namespace CoAP.NET.Transports;

/// <summary>
/// A transport of datagrams in security sessions, such as DTLS (RFC 7252 section 9.1): the seam for security of your own. It makes and ends sessions, and turns what is protected into messages and back;
/// what RFC 7252 section 4 says of datagrams, the mesh does, for each session by itself.
/// </summary>
public abstract class CoapSessionTransport : CoapConnectionTransport
{
    /// <inheritdoc/>
    public sealed override bool IsReliable => false;

    /// <inheritdoc/>
    public override bool IsSecure => true;

    /// <summary>Sends a message in the session of its channel.</summary>
    /// <param name="datagram">The message; taken over. Without a session, or beyond what an address may get that the peer has moved to and not answered from, it is disposed.</param>
    public sealed override void Send(CoapDatagram datagram)
    {
        ArgumentNullException.ThrowIfNull(datagram);
        if (datagram.Channel is { Connection: CoapSession session } channel && (channel.IsVerified || channel.Shard.Guard.MayLeave(channel, session, datagram.Length)))
        {
            session.Send(datagram);
        }
        else
        {
            datagram.Dispose();
        }
    }
}
