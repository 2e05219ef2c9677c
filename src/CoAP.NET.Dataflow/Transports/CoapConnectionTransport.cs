using System.Net;

namespace CoAP.NET.Transports;

/// <summary>
/// A transport on which a peer is reached by something that is opened first and ends some time: a connection of a stream
/// (<see cref="CoapStreamTransport"/>, RFC 8323), or a security session over datagrams (<see cref="CoapSessionTransport"/>, RFC 7252
/// section 9.1). Requests open what they need, and share it.
/// </summary>
public abstract class CoapConnectionTransport : CoapTransport
{
    private protected CoapConnectionTransport()
    {
    }

    /// <summary>Whether it opens connections for requests. Default true; false for one that is only given what others accepted.</summary>
    public virtual bool CanConnect => true;

    /// <summary>
    /// Whether peers can open connections to it, or others hand it accepted ones. Default true; false for one that only opens them for
    /// requests: an endpoint does not listen by that, and no route is served over its scheme.
    /// </summary>
    public virtual bool CanAccept => true;

    /// <summary>
    /// Whether servers are told the host name of the URI when a connection is opened, so that requests need not say it (RFC 8323 section
    /// 8.5). Default: when it is secure.
    /// </summary>
    public virtual bool TellsServerName => IsSecure;

    /// <summary>Opens a connection.</summary>
    /// <param name="remote">The address to connect to.</param>
    /// <param name="serverName">The host name of the URI, where <see cref="TellsServerName"/>; null when it was an address.</param>
    /// <param name="cancellationToken">Gives the attempt up; nothing is left open then.</param>
    /// <returns>The connection, for which <see cref="ICoapConnectionContext.Opened"/> was called.</returns>
    /// <exception cref="CoapConnectionException">It cannot be opened; the message says why.</exception>
    public abstract ValueTask<CoapConnection> ConnectAsync(CoapAddress remote, string? serverName, CancellationToken cancellationToken);

    /// <summary>
    /// Opens a connection that leaves from one of this host's addresses (<see cref="CoapRequest.LocalAddress"/>). By default that fails: a
    /// transport that can override it.
    /// </summary>
    /// <param name="remote">The address to connect to.</param>
    /// <param name="local">The address to connect from.</param>
    /// <param name="serverName">The host name of the URI, where <see cref="TellsServerName"/>; null when it was an address.</param>
    /// <param name="cancellationToken">Gives the attempt up; nothing is left open then.</param>
    /// <returns>The connection, for which <see cref="ICoapConnectionContext.Opened"/> was called.</returns>
    /// <exception cref="CoapConnectionException">It cannot be opened; the message says why.</exception>
    public virtual ValueTask<CoapConnection> ConnectFromAsync(CoapAddress remote, IPAddress local, string? serverName,
        CancellationToken cancellationToken) =>
            ValueTask.FromException<CoapConnection>(new CoapConnectionException(
                CoapConnectionError.ConnectFailed,
                $"No connection to {remote}: the transport of {Scheme} cannot choose the local address {local}. Leave LocalAddress out."));

    /// <summary>
    /// How far an attempt to open a connection has come that <see cref="ConnectAsync"/> or <see cref="ConnectFromAsync"/> is working on.
    /// Asked when whoever waits for the connection gives up, so that its exception can name the cause. Thread-safe. Default: null.
    /// </summary>
    /// <param name="remote">The address that is connected to.</param>
    /// <param name="serverName">The host name that was given for the attempt.</param>
    /// <returns>How far it has come; null when there is no such attempt, or the transport does not know.</returns>
    public virtual CoapConnectProgress? ProgressOf(CoapAddress remote, string? serverName) => null;
}
