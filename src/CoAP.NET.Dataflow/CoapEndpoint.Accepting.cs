using System.IO.Pipelines;
using System.Net.WebSockets;
using CoAP.NET.Transports;

namespace CoAP.NET;

// Connections that somebody else accepted, such as a web server (RFC 8323 sections 3 and 4).
public sealed partial class CoapEndpoint
{
    private readonly CoapWebSocketOptions _webSockets;
    private bool _expectsConnections;

    /// <summary>Says that connections will be handed over, by <see cref="AcceptWebSocketAsync"/> or <see cref="AcceptStreamAsync"/>: a server then needs no address of its own, and binds none unless it is told to.</summary>
    /// <returns>This endpoint.</returns>
    public CoapEndpoint ExpectConnections()
    {
        _expectsConnections = true;
        return this;
    }

    /// <summary>Takes over a WebSocket on which the sub-protocol <c>coap</c> was agreed on (RFC 8323 section 4), and has it until it ends. Its keep-alive must be off (section 4.4).</summary>
    /// <param name="webSocket">The WebSocket; it is disposed at the end.</param>
    /// <param name="connection">What is known of it.</param>
    /// <param name="cancellationToken">Asks for the end: the connection is released (RFC 8323 section 5.5), and what is under way is finished.</param>
    /// <returns>A task that ends when the connection has ended and nobody uses the WebSocket any more.</returns>
    /// <exception cref="CoapConnectionException">It is not taken, as a bound is reached or the endpoint stops; the WebSocket was closed.</exception>
    /// <exception cref="CoapException">The endpoint was stopped.</exception>
    public async Task AcceptWebSocketAsync(WebSocket webSocket, CoapAcceptedConnection connection, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(webSocket);
        ArgumentNullException.ThrowIfNull(connection);
        string scheme = connection.IsSecure ? "coaps+ws" : "coap+ws";
        if (StartedAs<CoapWebSocketTransport>(scheme) is not { } transport)
        {
            transport = (CoapWebSocketTransport)await OpenTransportAsync(scheme, static found => found is CoapWebSocketTransport, null, CancellationToken.None).ConfigureAwait(false);
        }

        CoapConnection? taken = transport.Accept(webSocket, connection, out Task released);
        await HaveAsync(taken, released, connection, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Takes over a connection of TCP, or of TLS on which the application protocol <c>coap</c> was agreed on (RFC 8323 sections 3 and 8.2), and has it until it ends.
    /// </summary>
    /// <param name="stream">Its bytes, in both directions; both pipes are completed at the end.</param>
    /// <param name="connection">What is known of it.</param>
    /// <param name="cancellationToken">Asks for the end: the connection is released (RFC 8323 section 5.5), and what is under way is finished.</param>
    /// <returns>A task that ends when the connection has ended and nobody uses the pipes any more.</returns>
    /// <exception cref="CoapConnectionException">It is not taken, as a bound is reached or the endpoint stops; the pipes were completed.</exception>
    /// <exception cref="CoapException">The endpoint was stopped.</exception>
    public async Task AcceptStreamAsync(IDuplexPipe stream, CoapAcceptedConnection connection, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(stream);
        ArgumentNullException.ThrowIfNull(connection);
        string scheme = connection.IsSecure ? "coaps+tcp" : "coap+tcp";
        if (StartedAs<CoapDuplexPipeTransport>(scheme) is not { } transport)
        {
            transport = (CoapDuplexPipeTransport)await OpenTransportAsync(
                scheme,
                static found => found is CoapDuplexPipeTransport,
                () => new CoapDuplexPipeTransport(new CoapDuplexPipeTransportOptions { IsSecure = connection.IsSecure, Streams = _environment.Streams }),
                CancellationToken.None).ConfigureAwait(false);
        }

        CoapConnection? taken = transport.Accept(stream, connection, out Task released);
        await HaveAsync(taken, released, connection, cancellationToken).ConfigureAwait(false);
    }

    private async Task HaveAsync(CoapConnection? taken, Task released, CoapAcceptedConnection connection, CancellationToken cancellationToken)
    {
        if (taken is null)
        {
            await released.ConfigureAwait(false);
            throw ConnectFailure.Refused(CoapAddress.FromIPEndPoint(connection.Remote));
        }

        using CancellationTokenRegistration registration = cancellationToken.UnsafeRegister(
            static state =>
            {
                (CoapEndpoint endpoint, CoapConnection connection) = ((CoapEndpoint, CoapConnection))state!;
                endpoint.Release(connection.Channel!, null, [], StoppedText, atOnce: false);
            },
            (this, taken));
        await released.ConfigureAwait(false);
    }

    private T? StartedAs<T>(string scheme)
        where T : CoapTransport
    {
        foreach (CoapTransport transport in Volatile.Read(ref _started))
        {
            if (transport is T found && transport.Scheme == scheme)
            {
                return found;
            }
        }

        return null;
    }
}
