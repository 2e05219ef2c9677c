using CoAP.NET.Transports;

namespace CoAP.NET;

/// <summary>
/// The base of transports for datagrams in security sessions, such as DTLS (RFC 7252 section 9.1).
/// </summary>
/// <remarks>
/// The transport creates and ends sessions, and converts between protected datagrams and messages. The mesh applies the rules of RFC 7252
/// section 4 to each session separately.
/// </remarks>
public abstract class CoapSessionTransport : CoapConnectionTransport
{
    /// <inheritdoc/>
    public sealed override bool IsReliable => false;

    /// <inheritdoc/>
    public override bool IsSecure => true;

    /// <summary>Binds the addresses and starts to receive.</summary>
    /// <param name="context">The services of the endpoint, including the sink for sessions and messages.</param>
    /// <param name="cancellationToken">Cancels the start.</param>
    /// <returns>
    /// A task that completes when <see cref="CoapTransport.LocalAddresses"/> is valid and the transport accepts sessions.
    /// </returns>
    /// <exception cref="CoapException">An address cannot be bound.</exception>
    internal abstract ValueTask StartAsync(ICoapSessionTransportContext context, CancellationToken cancellationToken);

    /// <summary>Sends a message in the session of its channel.</summary>
    /// <param name="datagram">
    /// The message; taken over. It is disposed without a session. Beyond the limit of an address that the peer has moved to and not
    /// answered from, it goes only to the address before the move.
    /// </param>
    public sealed override void Send(CoapDatagram datagram)
    {
        ArgumentNullException.ThrowIfNull(datagram);
        if (datagram.Channel is not { Connection: CoapSession session } channel)
        {
            datagram.Dispose();
        }
        else if (channel.IsVerified || channel.Shard.Guard.MayLeave(channel, session, datagram.Length))
        {
            session.Send(datagram);
        }
        else
        {
            session.SendToFormerAddress(datagram);
        }
    }
}
