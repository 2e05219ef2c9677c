using System.Net;
using CoAP.NET.Errors;

namespace CoAP.NET;

/// <summary>The base of transports that open a connection or session to a peer first.</summary>
/// <remarks>
/// Its kinds are connections of a stream (<see cref="CoapStreamTransport"/>, RFC 8323) and security sessions over datagrams
/// (<see cref="CoapSessionTransport"/>, RFC 7252 section 9.1). Requests open the connections that they need, and share them.
/// </remarks>
public abstract class CoapConnectionTransport : CoapTransport
{
    private protected CoapConnectionTransport()
    {
    }

    /// <summary>Whether the transport opens connections for requests.</summary>
    /// <remarks>Default true. Return false for a transport that only gets connections that others accepted.</remarks>
    public virtual bool CanConnect => true;

    /// <summary>Whether peers can open connections to the transport, or applications can hand accepted connections to it.</summary>
    /// <remarks>
    /// Default true. Return false for a transport that only opens connections for requests. An endpoint then does not listen on it and
    /// serves no route over its scheme.
    /// </remarks>
    public virtual bool CanAccept => true;

    internal sealed override bool CanRequest => CanConnect;

    internal sealed override bool CanListen => CanAccept;

    /// <summary>Whether the client sends the host name of the URI when it opens a connection (RFC 8323 section 8.5).</summary>
    /// <remarks>Requests then need no Uri-Host. Default: the value of <see cref="CoapTransport.IsSecure"/>.</remarks>
    public virtual bool ProvidesServerName => IsSecure;

    /// <summary>Opens a connection.</summary>
    /// <param name="remote">The address to connect to.</param>
    /// <param name="serverName">The host name of the URI, if <see cref="ProvidesServerName"/>; null when the URI has an address.</param>
    /// <param name="cancellationToken">Cancels the attempt and leaves nothing open.</param>
    /// <returns>The connection. <see cref="ICoapConnectionTransportContext.Opened"/> was called for it.</returns>
    /// <exception cref="CoapConnectionException">The connection cannot be opened; the message states the cause.</exception>
    public abstract ValueTask<CoapConnection> ConnectAsync(CoapAddress remote, string? serverName, CancellationToken cancellationToken);

    /// <summary>Opens a connection from one of the local addresses (<see cref="CoapRequest.LocalAddress"/>).</summary>
    /// <remarks>The default implementation fails. Override it in a transport that can choose the local address.</remarks>
    /// <param name="remote">The address to connect to.</param>
    /// <param name="local">The address to connect from.</param>
    /// <param name="serverName">The host name of the URI, if <see cref="ProvidesServerName"/>; null when the URI has an address.</param>
    /// <param name="cancellationToken">Cancels the attempt and leaves nothing open.</param>
    /// <returns>The connection. <see cref="ICoapConnectionTransportContext.Opened"/> was called for it.</returns>
    /// <exception cref="CoapConnectionException">The connection cannot be opened; the message states the cause.</exception>
    public virtual ValueTask<CoapConnection> ConnectFromAsync(CoapAddress remote, IPAddress local, string? serverName,
        CancellationToken cancellationToken) =>
            ValueTask.FromException<CoapConnection>(new CoapConnectionException(
                CoapError.ConnectFailed,
                $"No connection to {remote}: the transport of {Scheme} cannot choose the local address {local}. Do not set LocalAddress."));

    /// <summary>Returns the progress of a pending <see cref="ConnectAsync"/> or <see cref="ConnectFromAsync"/>. Thread-safe.</summary>
    /// <remarks>
    /// The endpoint asks when the caller stops waiting for the connection, so the exception can name the cause. Default: null.
    /// </remarks>
    /// <returns>The progress; null when there is no such attempt or the transport does not know it.</returns>
    internal virtual CoapConnectProgress? ProgressOf(CoapAddress remote, string? serverName) => null;
}
