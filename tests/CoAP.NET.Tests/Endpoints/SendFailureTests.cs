using System.Net;
using System.Net.Sockets;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>Datagrams that the operating system refuses to send.</summary>
public sealed class SendFailureTests : ClientTest
{
    [Theory]
    [InlineData(SocketError.AddressFamilyNotSupported, "coap://[::]")]
    [InlineData(SocketError.MessageSize, "MaxMessageSize")]
    [InlineData(SocketError.AccessDenied, "firewall")]
    [InlineData(SocketError.InvalidArgument, "scope")]
    public async Task A_permanent_send_error_fails_the_request_at_once_and_the_error_says_what_to_do(SocketError error, string mentioned)
    {
        Refuse(_ => error);
        CoapException exception = await Failure.OfAsync(CoapError.SendFailed, () => Within(Client.GetAsync("coap://192.0.2.1/x")));
        Assert.Equal(error, Assert.IsType<CoapConnectionException>(exception).SocketError);
        exception.Mentions(mentioned);
        Assert.Single(Transport.TakeSent());

        // What never left takes nothing of PROBING_RATE: the next one is tried at once.
        await Failure.OfAsync(CoapError.SendFailed, () => Within(Client.GetAsync("coap://192.0.2.1/x")));
        Assert.Single(Transport.TakeSent());
        Clock.Advance(FromMinutes(5));
        Transport.HasSentNothing();
    }

    [Theory]
    [InlineData(SocketError.NetworkUnreachable)]
    [InlineData(SocketError.HostUnreachable)]
    [InlineData(SocketError.NoBufferSpaceAvailable)]
    [InlineData(SocketError.AddressNotAvailable)]
    public async Task A_request_is_retransmitted_after_a_temporary_send_error(SocketError error)
    {
        bool refuses = true;
        Refuse(_ => refuses ? error : null);
        Task<CoapResponse> request = Client.GetAsync("coap://192.0.2.1/x");
        Sent sent = TakeOne();
        refuses = false;
        Clock.Advance(FromSeconds(3));
        Assert.Equal(sent, TakeOne());
        Transport.Receive(s_server, $"6445{sent.MessageId}{sent.Token}");
        Assert.Equal(s_server, (await Within(request)).Remote);
    }

    [Fact]
    public async Task The_next_address_of_a_host_is_tried_when_sending_to_the_first_fails()
    {
        TaskCompletionSource<string> second = new(RunContinuationsAsynchronously);
        Refuse(
            remote => remote == s_stranger ? SocketError.AddressFamilyNotSupported : null,
            (_, bytes) => second.TrySetResult(Wire.Hex(bytes)));
        Task<CoapResponse> request = Client.GetAsync("coap://two.example/x");
        Sent sent = new(await Within(second.Task));
        Transport.Receive(s_server, $"6445{sent.MessageId}{sent.Token}");
        Assert.Equal(s_server, (await Within(request)).Remote);
    }

    [Fact]
    public async Task A_send_error_fails_a_ping_or_a_Non_confirmable_request_and_no_other_request_to_the_peer()
    {
        Task<CoapResponse> first = Client.SendAsync(new CoapRequest(CoapMethod.Get, "coap://192.0.2.1/a") { Confirmable = false });
        Sent sent = TakeOne();
        Transport.Receive(s_server, $"54450001{sent.Token}");
        await Within(first);
        Task<CoapResponse> waiting = Client.GetAsync("coap://192.0.2.1/b");
        Sent other = TakeOne();
        Transport.Context.SendFailed(Refused(s_server, Wire.Hex("44010000") /* not ours */),
            new SocketException((int)SocketError.MessageSize));
        Assert.False(waiting.IsCompleted);
        Transport.Receive(s_server, $"6445{other.MessageId}{other.Token}");
        await Within(waiting);
        Refuse(_ => SocketError.AccessDenied);
        await Failure.OfAsync(CoapError.SendFailed, () => Within(Client.PingAsync("coap://192.0.2.1")));
        await Failure.OfAsync(
            CoapError.SendFailed,
            () => Within(Client.SendAsync(new CoapRequest(CoapMethod.Get, "coap://192.0.2.1/a") { Confirmable = false })));
    }

    [Fact]
    public async Task A_send_error_is_handled_outside_the_shard_lock()
    {
        List<bool> held = [];
        Refuse(_ => SocketError.AccessDenied, (_, _) => held.Add(Client.Endpoint.Pipelines[0].Shard.Gate.IsHeldByCurrentThread));
        await Failure.OfAsync(CoapError.SendFailed, () => Within(Client.GetAsync("coap://192.0.2.1/x")));
        Assert.Equal([false], held);
    }

    [Theory]
    [InlineData(CoapSocketEngine.Auto)]
    [InlineData(CoapSocketEngine.Portable)]
    public async Task An_endpoint_of_a_single_IP_version_tries_the_next_address_of_a_host(CoapSocketEngine engine)
    {
        await using CoapServer server = new(new CoapEndpointOptions { Transports = { UdpEngine = engine } });
        server.Listen("coap://127.0.0.1:0");
        server.MapGet("/x", () => "x");
        await server.StartAsync();
        await using CoapEndpoint endpoint = new(new CoapEndpointOptions
        {
            Transports =
            {
                UdpEngine = engine,
                ResolveHost = (_, _) => Task.FromResult(new[] { IPAddress.IPv6Loopback, IPAddress.Loopback }),
            },
        });
        endpoint.Listen("coap://127.0.0.1:0");
        await endpoint.StartAsync();
        int port = server.LocalEndpoints[0].Port;
        CoapException error = await Failure.OfAsync(CoapError.SendFailed, () => Within(endpoint.GetAsync($"coap://[::1]:{port}/x")));
        Assert.Equal(SocketError.AddressFamilyNotSupported, Assert.IsType<CoapConnectionException>(error).SocketError);
        await Within(endpoint.GetAsync($"coap://both.example:{port}/x")).Says("x");
        await Within(endpoint.PingAsync($"coap://both.example:{port}"));
    }

    private void Refuse(Func<CoapAddress, SocketError?> error, Action<CoapAddress, byte[]>? seen = null) =>
        Transport.OnSent = (remote, bytes) =>
        {
            if (error(remote) is { } code)
            {
                Transport.Context.SendFailed(Refused(remote, bytes), new SocketException((int)code));
                if (remote == s_stranger)
                {
                    return;
                }
            }

            seen?.Invoke(remote, bytes);
        };

    private CoapDatagram Refused(CoapAddress remote, byte[] bytes)
    {
        CoapDatagram datagram = new(bytes.Length) { Length = bytes.Length, Remote = remote, Transport = Transport };
        bytes.CopyTo(datagram.Buffer, 0);
        return datagram;
    }
}
