using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using CoAP.NET.Diagnostics;
using CoAP.NET.Transports.Tcp;

namespace CoAP.NET.Tests.Transports.Tcp;

/// <summary>A server with TLS behind an <see cref="AsyncContext"/>, and clients of ours and of others.</summary>
public abstract class TlsTest : AsyncTest
{
    private readonly List<CoapTcpTransport> _clients = [];

    /// <summary>What drives the sockets of the server and of our clients.</summary>
    protected virtual CoapSocketEngine Engine => CoapSocketEngine.Auto;

    private protected TlsCertificates Certificates { get; } = new();

    private protected AsyncContext ClientContext => field ??= new AsyncContext { Time = Clock };

    /// <summary>What the server does; changed before it listens.</summary>
    private protected CoapTlsOptions ServerTls { get; } = new();

    public override async ValueTask DisposeAsync()
    {
        foreach (CoapTcpTransport client in _clients)
        {
            await client.DisposeAsync();
        }

        await base.DisposeAsync();
        Certificates.Dispose();
    }

    private protected async Task ListenWithTlsAsync(SslServerAuthenticationOptions? server = null)
    {
        ServerTls.Server = server
            ?? new SslServerAuthenticationOptions { ServerCertificate = Certificates.Server(["localhost", "127.0.0.1"]) };
        Options.Engine = Engine;
        Options.UseTls = true;
        Options.Tls = ServerTls;
        await ListenAsync();
    }

    /// <summary>Connects with a transport of ours.</summary>
    private protected async Task<CoapConnection> ConnectOursAsync(string? name = "localhost", SslClientAuthenticationOptions? client = null,
        int tlsPort = 5684, CoapAddress? address = null)
    {
        CoapTcpTransportOptions options = new()
        {
            Engine = Engine,
            UseTls = true,
            TlsPort = tlsPort,
            Tls = new CoapTlsOptions
            {
                Client = client ?? new SslClientAuthenticationOptions { CertificateChainPolicy = Certificates.Trust() }
            },
        };
        CoapTcpTransport transport = new(options);
        _clients.Add(transport);
        await transport.StartAsync(ClientContext, CancellationToken.None);
        return await Within(transport.ConnectAsync(address ?? Address, name, CancellationToken.None).AsTask());
    }

    private protected async Task<CoapConnectionException> FailToConnectAsync(string? name = "localhost",
        SslClientAuthenticationOptions? client = null, int tlsPort = 5684, CoapAddress? address = null)
    {
        CoapConnectionException exception =
            await Assert.ThrowsAsync<CoapConnectionException>(() => ConnectOursAsync(name, client, tlsPort, address));
        Assert.Equal(1, ClientContext.Counters[CoapCounter.ConnectionsFailed]);
        Assert.Equal(1, ClientContext.Counters[CoapCounter.HandshakesFailed]);
        Assert.Equal(CoapError.HandshakeFailed, exception.Error);
        return exception;
    }

    /// <summary>Connects as others do.</summary>
    private protected async Task<AsyncPeer> ConnectTlsPeerAsync(string name = "localhost", string[]? protocols = null)
    {
        Socket socket = new(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        await Within(socket.ConnectAsync(new IPEndPoint(IPAddress.Loopback, Address.Port)));
        SslStream stream = new(new NetworkStream(socket, ownsSocket: true));
        await Within(stream.AuthenticateAsClientAsync(new SslClientAuthenticationOptions
        {
            TargetHost = name,
            CertificateChainPolicy = Certificates.Trust(),
            ApplicationProtocols = [.. (protocols ?? ["coap"]).Select(protocol => new SslApplicationProtocol(protocol))],
        }));
        return new AsyncPeer(socket, stream);
    }

    /// <summary>A server of somebody else: takes one connection, shows a certificate, and agrees on a protocol or on none.</summary>
    private protected async Task<(CoapAddress Address, Task<AsyncPeer> Accepted)> ListenAsOthersDoAsync(string? protocol)
    {
        Socket listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen();
        await Task.Yield();
        return (CoapAddress.FromIPEndPoint((IPEndPoint)listener.LocalEndPoint!), AcceptAsync());

        async Task<AsyncPeer> AcceptAsync()
        {
            Socket socket = await listener.AcceptAsync();
            listener.Dispose();
            SslStream stream = new(new NetworkStream(socket, ownsSocket: true));
            await stream.AuthenticateAsServerAsync(new SslServerAuthenticationOptions
            {
                ServerCertificate = Certificates.Server(["localhost"]),
                ApplicationProtocols = protocol is null ? null : [new SslApplicationProtocol(protocol)],
            });
            return new AsyncPeer(socket, stream);
        }
    }
}
