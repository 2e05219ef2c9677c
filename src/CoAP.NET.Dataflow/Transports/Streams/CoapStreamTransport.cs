using System.Net;

namespace CoAP.NET.Transports;

/// <summary>
/// A reliable transport of connections (RFC 8323), such as TCP and TLS: the seam for streams of your own. It listens, connects, moves bytes and cuts them into frames;
/// the mesh does the rest, capabilities and signalling included.
/// </summary>
public abstract class CoapStreamTransport : CoapTransport
{
    /// <inheritdoc/>
    public sealed override bool IsReliable => true;

    /// <summary>
    /// Whether each frame is a message of what lies below, as of WebSockets: its format is that of RFC 8323 section 4.2, without a length. <see cref="CoapTransportContext.MeasureFrame"/> is then asked
    /// when a message is whole, or has become longer than <see cref="CoapLimits.MaxStreamMessageSize"/>. Default false: a stream, and the format of section 3.2. Never changes.
    /// </summary>
    public virtual bool HasMessages => false;

    /// <summary>Whether it opens connections for requests. Default true; false for one that is only given what others accepted.</summary>
    public virtual bool CanConnect => true;

    /// <summary>Whether servers are told the host name of the URI when a connection is opened, so that requests need not say it (RFC 8323 section 8.5). Default: when it is secure.</summary>
    public virtual bool TellsServerName => IsSecure;

    /// <summary>Opens a connection.</summary>
    /// <param name="remote">The address to connect to.</param>
    /// <param name="serverName">The host name of the URI, where <see cref="TellsServerName"/>; null when it was an address.</param>
    /// <param name="cancellationToken">Gives the attempt up; nothing is left open then.</param>
    /// <returns>The connection, for which <see cref="CoapTransportContext.Opened"/> was called.</returns>
    /// <exception cref="CoapConnectionException">It cannot be opened; the message says why.</exception>
    public abstract ValueTask<CoapConnection> ConnectAsync(CoapAddress remote, string? serverName, CancellationToken cancellationToken);

    /// <summary>Opens a connection that leaves from one of this host's addresses (<see cref="CoapRequest.LocalAddress"/>). By default that fails: a transport that can override it.</summary>
    /// <param name="remote">The address to connect to.</param>
    /// <param name="local">The address to connect from.</param>
    /// <param name="serverName">The host name of the URI, where <see cref="TellsServerName"/>; null when it was an address.</param>
    /// <param name="cancellationToken">Gives the attempt up; nothing is left open then.</param>
    /// <returns>The connection, for which <see cref="CoapTransportContext.Opened"/> was called.</returns>
    /// <exception cref="CoapConnectionException">It cannot be opened; the message says why.</exception>
    public virtual ValueTask<CoapConnection> ConnectFromAsync(CoapAddress remote, IPAddress local, string? serverName, CancellationToken cancellationToken) =>
        ValueTask.FromException<CoapConnection>(new CoapConnectionException(
            CoapConnectionError.ConnectFailed, $"No connection to {remote}: the transport of {Scheme} cannot choose the local address {local}. Leave LocalAddress out."));

    /// <summary>Sends a frame on the connection of its channel.</summary>
    /// <param name="datagram">The frame; taken over.</param>
    public sealed override void Send(CoapDatagram datagram)
    {
        ArgumentNullException.ThrowIfNull(datagram);
        if (datagram.Channel?.Connection is { } connection)
        {
            connection.Send(datagram);
        }
        else
        {
            datagram.Dispose();
        }
    }
}
