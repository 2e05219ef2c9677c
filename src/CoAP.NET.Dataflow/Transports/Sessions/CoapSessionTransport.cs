namespace CoAP.NET.Transports;

/// <summary>
/// A transport of datagrams in security sessions, such as DTLS (RFC 7252 section 9.1): the seam for security of your own. It makes and ends
/// sessions, and turns what is protected into messages and back; what RFC 7252 section 4 says of datagrams, the mesh does, for each session
/// by itself.
/// </summary>
public abstract class CoapSessionTransport : CoapConnectionTransport
{
    /// <inheritdoc/>
    public sealed override bool IsReliable => false;

    /// <inheritdoc/>
    public override bool IsSecure => true;

    /// <summary>Binds what it serves on, and begins to receive.</summary>
    /// <param name="context">Where sessions and messages go, and what the endpoint knows.</param>
    /// <param name="cancellationToken">Stops the start.</param>
    /// <returns>A task that ends when <see cref="CoapTransport.LocalAddresses"/> is valid and sessions are accepted.</returns>
    /// <exception cref="CoapException">An address cannot be bound.</exception>
    public abstract ValueTask StartAsync(ICoapSessionContext context, CancellationToken cancellationToken);

    /// <summary>Sends a message in the session of its channel.</summary>
    /// <param name="datagram">The message; taken over. Without a session, or beyond what an address may get that the peer has moved to and
    /// not answered from, it is disposed.</param>
    public sealed override void Send(CoapDatagram datagram)
    {
        ArgumentNullException.ThrowIfNull(datagram);
        if (datagram.Channel is { Connection: CoapSession session } channel
            && (channel.IsVerified || channel.Shard.Guard.MayLeave(channel, session, datagram.Length)))
        {
            session.Send(datagram);
        }
        else
        {
            datagram.Dispose();
        }
    }
}
