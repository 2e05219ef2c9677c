using System.Net;
using System.Net.Sockets;
using CoAP.NET.Transports;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>Datagrams that the operating system refuses to send.</summary>
public sealed class SendFailureTests : ClientTest
{
    [Theory]
    [InlineData(SocketError.AddressFamilyNotSupported, "coap://[::]")]
    [InlineData(SocketError.MessageSize, "MaxMessageSize")]
    [InlineData(SocketError.AccessDenied, "firewall")]
    [InlineData(SocketError.InvalidArgument, "scope")]
    public async Task What_does_not_pass_fails_the_request_at_once_and_says_what_to_do(SocketError error, string mentioned)
    {
        Refuse(_ => error);
        CoapSendException exception = await Assert.ThrowsAsync<CoapSendException>(() => Within(Client.GetAsync("coap://192.0.2.1/x")));
        Assert.Equal(error, exception.SocketError);
        Assert.Contains(mentioned, exception.Message, StringComparison.Ordinal);
        Assert.Single(Transport.TakeSent());

        // What never left takes nothing of PROBING_RATE: the next one is tried at once.
        await Assert.ThrowsAsync<CoapSendException>(() => Within(Client.GetAsync("coap://192.0.2.1/x")));
        Assert.Single(Transport.TakeSent());
        Clock.Advance(TimeSpan.FromMinutes(5));
        Assert.Empty(Transport.TakeSent());
    }

    [Theory]
    [InlineData(SocketError.NetworkUnreachable)]
    [InlineData(SocketError.HostUnreachable)]
    [InlineData(SocketError.NoBufferSpaceAvailable)]
    [InlineData(SocketError.AddressNotAvailable)]
    public async Task What_may_pass_is_sent_again(SocketError error)
    {
        bool refuses = true;
        Refuse(_ => refuses ? error : null);
        Task<CoapResponse> request = Client.GetAsync("coap://192.0.2.1/x");
        Sent sent = TakeOne();
        refuses = false;
        Clock.Advance(TimeSpan.FromSeconds(3));
        Assert.Equal(sent, TakeOne());
        Transport.Receive(s_server, $"6445{sent.MessageId}{sent.Token}");
        Assert.Equal(s_server, (await Within(request)).Remote);
    }

    [Fact]
    public async Task The_next_address_of_a_name_is_tried_where_the_first_cannot_be_sent_to()
    {
        TaskCompletionSource<string> second = new(TaskCreationOptions.RunContinuationsAsynchronously);
        Refuse(
            remote => remote == s_stranger ? SocketError.AddressFamilyNotSupported : null,
            (_, bytes) => second.TrySetResult(Wire.Hex(bytes)));
        Task<CoapResponse> request = Client.GetAsync("coap://two.example/x");
        Sent sent = new(await Within(second.Task));
        Transport.Receive(s_server, $"6445{sent.MessageId}{sent.Token}");
        Assert.Equal(s_server, (await Within(request)).Remote);
    }

    [Fact]
    public async Task A_ping_and_a_Non_confirmable_request_fail_as_well_and_others_to_the_peer_go_on()
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
        await Assert.ThrowsAsync<CoapSendException>(() => Within(Client.PingAsync("coap://192.0.2.1")));
        await Assert.ThrowsAsync<CoapSendException>(
            () => Within(Client.SendAsync(new CoapRequest(CoapMethod.Get, "coap://192.0.2.1/a") { Confirmable = false })));
    }

    [Fact]
    public async Task Nothing_of_it_happens_under_a_lock()
    {
        List<bool> held = [];
        Refuse(_ => SocketError.AccessDenied, (_, _) => held.Add(Client.Endpoint.Pipelines[0].Shard.Gate.IsHeldByCurrentThread));
        await Assert.ThrowsAsync<CoapSendException>(() => Within(Client.GetAsync("coap://192.0.2.1/x")));
        Assert.Equal([false], held);
    }

    [Theory]
    [InlineData(CoapUdpEngine.Auto)]
    [InlineData(CoapUdpEngine.Portable)]
    public async Task An_endpoint_of_one_IP_version_reaches_the_other_by_no_address_and_tries_the_next(CoapUdpEngine engine)
    {
        await using CoapServer server = new(new CoapEndpointOptions { UdpEngine = engine });
        server.Listen("coap://127.0.0.1:0");
        server.MapGet("/x", () => "x");
        await server.StartAsync();
        await using CoapEndpoint endpoint = new(new CoapEndpointOptions
        {
            UdpEngine = engine,
            ResolveHost = (_, _) => Task.FromResult(new[] { IPAddress.IPv6Loopback, IPAddress.Loopback }),
        });
        endpoint.Listen("coap://127.0.0.1:0");
        await endpoint.StartAsync();
        int port = CoapUri.Parse(server.LocalEndpoints[0]).Port;
        CoapSendException error = await Assert.ThrowsAsync<CoapSendException>(() => Within(endpoint.GetAsync($"coap://[::1]:{port}/x")));
        Assert.Equal(SocketError.AddressFamilyNotSupported, error.SocketError);
        Assert.Equal("x", (await Within(endpoint.GetAsync($"coap://both.example:{port}/x"))).GetText());
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
