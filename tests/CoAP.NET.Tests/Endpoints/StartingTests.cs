using System.Net;
using System.Net.Sockets;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>Starts that fail, and what is left behind.</summary>
public sealed class StartingTests
{
    [Fact]
    public async Task All_transports_are_disposed_when_one_of_them_fails_to_start()
    {
        StubTransport good = new();
        StubTransport bad = new() { OnStart = () => throw new CoapException("no") };
        StubTransport never = new();
        await using CoapEndpoint endpoint = new();
        endpoint.AddTransport(good).AddTransport(bad).AddTransport(never);
        await Assert.ThrowsAsync<CoapException>(() => endpoint.StartAsync());
        await endpoint.DisposeAsync();
        Assert.Equal((1, 1, 1), (good.Disposed, bad.Disposed, never.Disposed));
        Assert.True(endpoint.Completion.IsCompletedSuccessfully);
    }

    [Fact]
    public async Task A_transport_that_fails_to_close_does_not_keep_other_transports_from_closing()
    {
        StubTransport bad = new() { OnDispose = () => throw new InvalidOperationException("no") };
        StubTransport good = new();
        CoapEndpoint endpoint = new();
        endpoint.AddTransport(bad).AddTransport(good);
        await endpoint.StartAsync();
        await endpoint.StopAsync();
        Assert.Equal(1, good.Disposed);
        Assert.True(endpoint.Completion.IsCompletedSuccessfully);
    }

    [Fact]
    public async Task A_bind_that_failed_may_be_tried_again_when_the_port_is_free()
    {
        using Socket holder = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        holder.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        await using CoapServer server = new();
        server.Listen("coap://127.0.0.1:0").Listen($"coap://{holder.LocalEndPoint}");
        await Assert.ThrowsAsync<CoapBindException>(() => server.StartAsync());
        await Assert.ThrowsAsync<CoapBindException>(() => server.StartAsync());
        holder.Close();
        await server.StartAsync();
        Assert.Equal(2, server.LocalEndpoints.Count);
    }

    [Fact]
    public async Task A_client_whose_first_start_failed_starts_with_the_next_request()
    {
        NoThreads scheduler = new();
        await using CoapClient client = new(new CoapEndpointOptions { Pipeline = { Scheduler = scheduler } });
        await Assert.ThrowsAsync<CoapException>(() => client.PingAsync("coap://127.0.0.1:1"));
        await Assert.ThrowsAsync<CoapException>(() => client.PingAsync("coap://127.0.0.1:1"));
    }

    [Fact]
    public async Task A_server_listens_although_it_sent_a_request_before_the_start()
    {
        await using CoapServer server = new();
        server.MapGet("/x", () => "x");
        using CancellationTokenSource cancel = new();
        Task<CoapResponse> early = new CoapClient(server.Endpoint).GetAsync("coap://127.0.0.1:9/x", cancel.Token);
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<Exception>(() => early);
        server.Listen("coap://127.0.0.1:0");
        await server.StartAsync();
        Assert.Single(server.LocalEndpoints);
        await using CoapClient client = new();
        await client.GetAsync($"{server.LocalEndpoints[0]}x").WaitAsync(FromMinutes(2)).Says("x");
    }

    [Fact]
    public void An_invalid_StopGracePeriod_is_refused()
    {
        CoapEndpointOptions options = new();
        Assert.Throws<ArgumentOutOfRangeException>(() => options.Processes.StopGracePeriod = FromSeconds(-1));
        Assert.Throws<ArgumentOutOfRangeException>(() => options.Processes.StopGracePeriod = TimeSpan.MaxValue);
        options.Processes.StopGracePeriod = TimeSpan.Zero;
    }

    [Fact]
    public async Task Options_of_a_client_refuse_changes()
    {
        CoapEndpointOptions options =
            new() { Transports = { ResolveHost = (_, _) => throw new SocketException((int)SocketError.HostNotFound) } };
        await using CoapClient client = new(options);
        Assert.Throws<InvalidOperationException>(
            () => options.Transports.ResolveHost = (_, _) => Task.FromResult(new[] { IPAddress.Loopback }));
        CoapException error = await Failure.OfAsync(CoapError.NameResolution, () => client.PingAsync("coap://some.example:1"));
        error.Mentions("resolved");
    }

    private sealed class NoThreads : CoapThreadScheduler
    {
        public override bool Queue(Action<object?> action, object? state) => false;
    }

    private sealed class StubTransport : CoapDatagramTransport
    {
        public Action? OnStart { get; init; }

        public Action? OnDispose { get; init; }

        public int Disposed { get; private set; }

        public override string Scheme => "coap";

        public override IReadOnlyList<CoapAddress> LocalAddresses => [];

        public override ValueTask StartAsync(ICoapDatagramTransportContext context, CancellationToken cancellationToken)
        {
            OnStart?.Invoke();
            return ValueTask.CompletedTask;
        }

        public override void Send(CoapDatagram datagram) => datagram.Dispose();

        public override ValueTask DisposeAsync()
        {
            Disposed++;
            OnDispose?.Invoke();
            return ValueTask.CompletedTask;
        }
    }
}
