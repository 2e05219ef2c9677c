using System.Net;
using System.Net.Security;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;
using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.AspNetCore.Kestrel;

/// <summary>
/// Passes connections of a Kestrel socket to a CoAP endpoint: <c>coap+tcp</c>, or <c>coaps+tcp</c> behind TLS (RFC 8323 section 3).
/// </summary>
internal sealed class CoapConnectionHandler(ConnectionServerResolver server, IServiceProvider services, CancellationToken stopping)
    : ConnectionHandler
{
    private const int TlsPort = 5684;

    private static readonly SslApplicationProtocol s_coap = new("coap");
    private static readonly TimeSpan s_closeTimeout = TimeSpan.FromSeconds(5);

    private readonly TimeProvider _time = services.GetService<TimeProvider>() ?? TimeProvider.System;

    public override async Task OnConnectedAsync(ConnectionContext connection)
    {
        ITlsHandshakeFeature? handshake = connection.Features.Get<ITlsHandshakeFeature>();
        IPEndPoint local = connection.LocalEndPoint as IPEndPoint ?? HttpContextPeerIdentity.EndPointOf(null, 0);
        if (handshake is not null && !IsAccepted(connection, local))
        {
            connection.Abort(
                new ConnectionAbortedException("The client did not agree on the application protocol coap (RFC 8323 section 8.2)."));
            return;
        }

        CoapEndpoint endpoint;
        try
        {
            endpoint = await server.GetAsync(services).ConfigureAwait(false);
        }
        catch (InvalidOperationException) when (server.IsKnown)
        {
            connection.Abort(new ConnectionAbortedException("The CoAP server was stopped."));
            return;
        }

        CoapAcceptedConnectionInfo accepted = new()
        {
            Remote = connection.RemoteEndPoint as IPEndPoint ?? HttpContextPeerIdentity.EndPointOf(null, 0),
            Local = local,
            IsSecure = handshake is not null,
            Identity = handshake is null
                ? null
                : HttpContextPeerIdentity.Of(connection.Features, connection.Features.Get<ITlsConnectionFeature>()?.ClientCertificate),
            ServerName = HttpContextPeerIdentity.NameOf(handshake),
            Abort = connection.Abort,
        };
        try
        {
            await endpoint.AcceptStreamAsync(connection.Transport, accepted, stopping).ConfigureAwait(false);
            await EndAsync(connection).ConfigureAwait(false);
        }
        catch (CoapException)
        {
            // The endpoint refused, closed and counted the connection.
        }
    }

    // The last bytes may still be on their way to a client that never reads them.
    private async Task EndAsync(ConnectionContext connection)
    {
        TaskCompletionSource closed = new(TaskCreationOptions.RunContinuationsAsynchronously);
        using CancellationTokenRegistration registration =
            connection.ConnectionClosed.UnsafeRegister(static closed => ((TaskCompletionSource)closed!).TrySetResult(), closed);
        try
        {
            await closed.Task.WaitAsync(s_closeTimeout, _time).ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            connection.Abort();
        }
    }

    // RFC 8323 section 8.2: coap is implied on its registered port, and must be negotiated on other ports.
    private static bool IsAccepted(ConnectionContext connection, IPEndPoint local)
    {
        ReadOnlyMemory<byte> chosen = connection.Features.Get<ITlsApplicationProtocolFeature>()?.ApplicationProtocol ?? default;
        return chosen.Span.SequenceEqual(s_coap.Protocol.Span) || (chosen.IsEmpty && local.Port == TlsPort);
    }
}
