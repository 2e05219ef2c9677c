using System.IO.Pipelines;
using System.Net.WebSockets;
using CoAP.NET.Composition;
using CoAP.NET.Transports;
using CoAP.NET.Transports.Streams;
using CoAP.NET.Transports.WebSockets;

namespace CoAP.NET.Endpoints;

/// <summary>
/// Takes over connections that another party accepted, such as a web server (RFC 8323 sections 3 and 4), and has them until they end.
/// </summary>
internal sealed class ExternallyAcceptedConnections(CoapEnvironment environment, TransportSet transports, PeerEvents peers)
{
    /// <summary>Takes over a WebSocket. See <see cref="CoapEndpoint.AcceptWebSocketAsync"/>.</summary>
    /// <param name="webSocket">The WebSocket.</param>
    /// <param name="connection">The facts about the connection that the caller knows.</param>
    /// <param name="cancellationToken">Requests the end.</param>
    public async Task HaveAsync(WebSocket webSocket, CoapAcceptedConnectionInfo connection, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(webSocket);
        ArgumentNullException.ThrowIfNull(connection);
        string scheme = connection.IsSecure ? "coaps+ws" : "coap+ws";
        if (transports.StartedAs<CoapWebSocketTransport>(scheme) is not { } transport)
        {
            transport = (CoapWebSocketTransport)await transports.OpenAsync(scheme, static found => found is CoapWebSocketTransport, null,
                CancellationToken.None).ConfigureAwait(false);
        }

        CoapConnection? taken = transport.Accept(webSocket, connection, out Task released);
        await HaveAsync(taken, released, connection, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Takes over a connection of TCP or TLS. See <see cref="CoapEndpoint.AcceptStreamAsync"/>.</summary>
    /// <param name="stream">Its bytes.</param>
    /// <param name="connection">The facts about the connection that the caller knows.</param>
    /// <param name="cancellationToken">Requests the end.</param>
    public async Task HaveAsync(IDuplexPipe stream, CoapAcceptedConnectionInfo connection, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(stream);
        ArgumentNullException.ThrowIfNull(connection);
        string scheme = connection.IsSecure ? "coaps+tcp" : "coap+tcp";
        if (transports.StartedAs<CoapDuplexPipeTransport>(scheme) is not { } transport)
        {
            transport = (CoapDuplexPipeTransport)await transports.OpenAsync(
                scheme,
                static found => found is CoapDuplexPipeTransport,
                () => new CoapDuplexPipeTransport(
                    new CoapDuplexPipeTransportOptions { IsSecure = connection.IsSecure, Streams = environment.Streams }),
                CancellationToken.None).ConfigureAwait(false);
        }

        CoapConnection? taken = transport.Accept(stream, connection, out Task released);
        await HaveAsync(taken, released, connection, cancellationToken).ConfigureAwait(false);
    }

    private async Task HaveAsync(CoapConnection? taken, Task released, CoapAcceptedConnectionInfo connection,
        CancellationToken cancellationToken)
    {
        if (taken is null)
        {
            await released.ConfigureAwait(false);
            throw ConnectFailureMessage.Refused(CoapAddress.FromIPEndPoint(connection.Remote));
        }

        using CancellationTokenRegistration registration = cancellationToken.UnsafeRegister(
            static state =>
            {
                (PeerEvents peers, CoapConnection connection) = ((PeerEvents, CoapConnection))state!;
                peers.Release(connection.Channel!);
            },
            (peers, taken));
        await released.ConfigureAwait(false);
    }
}
