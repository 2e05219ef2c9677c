using System.Net;
using System.Net.Security;
using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Endpoints;
using CoAP.NET.Transports.Tcp;

namespace CoAP.NET.Tests.Transports.Tcp;

// A server over real sockets: handlers run on the threads that read.
public class AsyncServingTests : EndpointTest
{
    private const string ServerCsm = "70e123100000202140";
    private const string GetX = "2101aab178";
    private const string AnswerHi = "4145aac0ff6869";

    private CoapTcpTransport? _tcp;

    [Fact]
    public async Task Requests_are_answered()
    {
        Server.MapGet("/x", static () => CoapResults.Text("hi"));
        await StartTcpAsync();

        await using AsyncPeer peer = await ConnectAsync();
        await peer.SendAsync("00e1" + GetX + GetX);

        await peer.ExpectAsync(ServerCsm + AnswerHi + AnswerHi);
        Assert.Equal(1, Server.Counters[CoapCounter.ConnectionsAccepted]);
    }

    [Fact]
    public async Task A_blocking_handler_does_not_delay_other_connections()
    {
        using ManualResetEventSlim free = new();
        Task entered = await StartWithBlockingHandlerAsync(free);
        await using AsyncPeer other = await ConnectAsync();
        await using AsyncPeer blocked = await ConnectAsync();
        await blocked.SendAsync("00e1" + "6101abb5626c6f636b");
        await Within(entered);

        await other.SendAsync("00e1" + GetX);
        await other.ExpectAsync(ServerCsm + AnswerHi);
        await using AsyncPeer late = await ConnectAsync();
        await late.SendAsync("00e1" + GetX);
        await late.ExpectAsync(ServerCsm + AnswerHi);

        free.Set();
        await blocked.ExpectAsync(ServerCsm + "4145abc0ff6869");
    }

    [Fact]
    public async Task A_blocking_handler_does_not_delay_the_previous_answer()
    {
        using ManualResetEventSlim free = new();
        Task entered = await StartWithBlockingHandlerAsync(free);
        await using AsyncPeer peer = await ConnectAsync();
        await peer.SendAsync("00e1" + GetX + "6101abb5626c6f636b");
        await Within(entered);

        Clock.Advance(FromMilliseconds(4));

        await peer.ExpectAsync(ServerCsm + AnswerHi);
        free.Set();
        await peer.ExpectAsync("4145abc0ff6869");
    }

    [Fact]
    public async Task More_handlers_than_processors_can_block_concurrently()
    {
        using ManualResetEventSlim free = new();
        int entered = 0;
        Server.MapGet("/block", () =>
        {
            Interlocked.Increment(ref entered);
            free.Wait();
            return CoapResults.Text("hi");
        });
        await StartTcpAsync();
        List<AsyncPeer> peers = [];
        for (int i = 0; i < Environment.ProcessorCount + 8; i++)
        {
            AsyncPeer peer = await ConnectAsync();
            peers.Add(peer);
            await peer.SendAsync("00e1" + "6101abb5626c6f636b");
        }

        using CancellationTokenSource guard = new(FromMinutes(2));
        while (Volatile.Read(ref entered) < peers.Count)
        {
            guard.Token.ThrowIfCancellationRequested();
            await Task.Yield();
        }

        free.Set();
        foreach (AsyncPeer peer in peers)
        {
            await peer.ExpectAsync(ServerCsm + "4145abc0ff6869");
            await peer.DisposeAsync();
        }
    }

    [Fact]
    public async Task A_repeatedly_blocking_resource_is_logged_once()
    {
        int calls = 0;
        Server.MapGet("/x", () =>
        {
            calls++;
            Clock.Advance(FromSeconds(1));
            return CoapResults.Text("hi");
        });
        await StartTcpAsync();
        await using AsyncPeer peer = await ConnectAsync();
        await peer.SendAsync("00e1");
        await peer.ExpectAsync(ServerCsm);

        for (int i = 0; i < 7; i++)
        {
            await peer.SendAsync(GetX);
            await peer.ExpectAsync(AnswerHi);
        }

        Assert.Equal(7, calls);
        Assert.Single(Logs.Entries, entry => entry.Id.Id == 1502);
    }

    [Fact]
    public async Task A_handler_can_await_its_own_request_to_the_peer()
    {
        Server.MapGet("/x", async (CoapRequestContext request) =>
        {
            CoapResponse response = await request.Peer.GetAsync("/y");
            return CoapResults.Text(response.GetText());
        });
        await StartTcpAsync();
        await using AsyncPeer peer = await ConnectAsync();
        await peer.SendAsync("00e1" + GetX);
        await peer.ExpectAsync(ServerCsm);

        // GET /y with a token of the server's choice: its length stands in the first byte.
        byte[] head = await peer.ReceiveAsync(2);
        Assert.Equal(1, head[1]);
        byte[] rest = await peer.ReceiveAsync((head[0] & 15) + (head[0] >> 4));
        Assert.Equal("b179", Wire.Hex(rest.AsSpan(head[0] & 15)));
        await peer.SendAsync($"4{head[0] & 15}45{Wire.Hex(rest.AsSpan(0, head[0] & 15))}c0ff6869");

        await peer.ExpectAsync(AnswerHi);
    }

    [Fact]
    public async Task A_server_may_be_disposed_inside_a_handler()
    {
        TaskCompletionSource disposed = new(RunContinuationsAsynchronously);
        Server.MapGet("/x", async () =>
        {
            await Server.DisposeAsync();
            disposed.SetResult();
            return CoapResults.Text("hi");
        });
        await StartTcpAsync();
        await using AsyncPeer peer = await ConnectAsync();
        await peer.SendAsync("00e1" + GetX);

        await Within(disposed.Task);
        Wire.Hex(await peer.ReceiveToEndAsync()).Begins(ServerCsm);
    }

    [Fact]
    [Rfc("8323-8.5-1")]
    public async Task A_handler_sees_the_TLS_identity_and_the_requested_host()
    {
        using TlsCertificates certificates = new();
        List<(object? Identity, string Host, string Uri)> seen = [];
        Server.MapGet("/x", request =>
        {
            CoapTlsPeerIdentity identity = (CoapTlsPeerIdentity)request.Peer.Identity!;
            seen.Add((identity.Certificate!.Subject, request.Host, request.GetUri().ToString()));
            return CoapResults.Text("hi");
        });
        await StartTcpAsync(new CoapTlsOptions
        {
            Server = new SslServerAuthenticationOptions
            {
                ServerCertificate = certificates.Server(["device.example"]),
                ClientCertificateRequired = true,
                CertificateChainPolicy = certificates.Trust(),
            },
        });
        System.Net.Sockets.Socket socket = new(System.Net.Sockets.SocketType.Stream, System.Net.Sockets.ProtocolType.Tcp);
        await Within(socket.ConnectAsync(new IPEndPoint(IPAddress.Loopback, Assert.Single(_tcp!.LocalAddresses).Port)));
        SslStream stream = new(new System.Net.Sockets.NetworkStream(socket, ownsSocket: true));
        await Within(stream.AuthenticateAsClientAsync(new SslClientAuthenticationOptions
        {
            TargetHost = "device.example",
            CertificateChainPolicy = certificates.Trust(),
            ClientCertificates = [certificates.Client("device-7")],
            ApplicationProtocols = [new SslApplicationProtocol("coap")],
        }));
        await using AsyncPeer peer = new(socket, stream);

        // Without Uri-Host, and with "other".
        await peer.SendAsync("00e1" + GetX);
        await peer.ExpectAsync(ServerCsm + AnswerHi);
        await peer.SendAsync("8101aa356f74686572" + "8178");
        await peer.ExpectAsync(AnswerHi);

        int port = _tcp.LocalAddresses[0].Port;
        Assert.Equal(("CN=device-7", "device.example", $"coaps+tcp://device.example:{port}/x"), seen[0]);
        Assert.Equal(("CN=device-7", "other", $"coaps+tcp://other:{port}/x"), seen[1]);
    }

    [Fact]
    [Rfc("8323-8.5-1")]
    public async Task The_host_of_a_request_without_a_server_name_is_the_local_address()
    {
        string? host = null;
        Server.MapGet("/x", request =>
        {
            host = request.Host;
            return CoapResults.Text("hi");
        });
        await StartTcpAsync();
        await using AsyncPeer peer = await ConnectAsync();
        await peer.SendAsync("00e1" + GetX);
        await peer.ExpectAsync(ServerCsm + AnswerHi);

        Assert.Equal("127.0.0.1", host);
    }

    // The handler at /block waits for the event; the task ends when it was entered.
    private async Task<Task> StartWithBlockingHandlerAsync(ManualResetEventSlim free)
    {
        TaskCompletionSource entered = new(RunContinuationsAsynchronously);
        Server.MapGet("/block", () =>
        {
            entered.SetResult();
            free.Wait();
            return CoapResults.Text("hi");
        });
        Server.MapGet("/x", static () => CoapResults.Text("hi"));
        await StartTcpAsync();
        return entered.Task;
    }

    private async Task StartTcpAsync(CoapTlsOptions? tls = null)
    {
        _tcp = new CoapTcpTransport(new CoapTcpTransportOptions
        {
            Engine = CoapSocketEngine.Portable,
            Endpoints = { new IPEndPoint(IPAddress.Loopback, 0) },
            UseTls = tls is not null,
            Tls = tls,
        });
        Server.Endpoint.AddTransport(_tcp);
        await Server.StartAsync();
    }

    private async Task<AsyncPeer> ConnectAsync() => await AsyncPeer.ConnectAsync(Assert.Single(_tcp!.LocalAddresses));
}
