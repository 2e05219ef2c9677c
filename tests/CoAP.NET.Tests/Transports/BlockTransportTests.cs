using System.Threading.Tasks.Dataflow;
using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Endpoints;

namespace CoAP.NET.Tests.Transports;

/// <summary>A Dataflow block as the Transport stage, and schemes of one's own.</summary>
public sealed class BlockTransportTests
{
    private static readonly CoapAddress s_server = Address("[fd00::1]:5683");
    private static readonly CoapAddress s_client = Address("[fd00::2]:5683");

    [Theory]
    [InlineData("coap", "coap://[fd00::1]")]
    [InlineData("coap+wire", "coap+wire://[fd00::1]:5683")]
    public async Task Two_dataflow_blocks_connect_two_endpoints(string scheme, string uri)
    {
        BufferBlock<CoapDatagram> toServer = new();
        BufferBlock<CoapDatagram> toClient = new();
        byte[] large = [.. Enumerable.Range(0, 20_000).Select(static i => (byte)(i * 31))];
        await using CoapServer server = new();
        server.Endpoint.AddTransport(new CoapDataflowBlockTransport(Joined(toServer, toClient, s_server), s_server, scheme, 1234));
        server.MapPost("/echo", static request => CoapResults.Content(CoapContent.Binary(request.Payload.ToArray())));
        await server.StartAsync();
        await using CoapClient client = new();
        client.Endpoint.AddTransport(new CoapDataflowBlockTransport(Joined(toClient, toServer, s_client), s_client, scheme, 1234));

        Assert.Equal(large, (await Within(client.PostAsync($"{uri}/echo", CoapContent.Binary(large)))).Payload.ToArray());
        Assert.Equal([new CoapUri($"{scheme}://[fd00::1]:5683")], server.LocalEndpoints);
    }

    [Fact]
    public async Task A_custom_scheme_works_beside_UDP_and_has_a_default_port()
    {
        BufferBlock<CoapDatagram> sent = new();
        await using CoapServer server = new();
        server.MapGet("/x", static () => "by UDP");
        server.Listen("coap://127.0.0.1:0");
        await server.StartAsync();
        await using CoapClient client = new();
        client.Endpoint.AddTransport(
            new CoapDataflowBlockTransport(DataflowBlock.Encapsulate(sent, new BufferBlock<CoapDatagram>()), s_client, "coap+sms", 7000));

        await Within(client.GetAsync($"{server.LocalEndpoints[0]}x")).Says("by UDP");
        using CancellationTokenSource end = new();
        Task<CoapResponse> request = client.GetAsync("coap+sms://[fd00::1]/x", cancellationToken: end.Token);
        Assert.Equal(Address("[fd00::1]:7000"), (await Within(sent.ReceiveAsync())).Remote);
        await end.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Within(request));
        Assert.Equal("coap+sms://[fd00::1]/x", CoapUri.Parse("coap+sms://[FD00::1]:7000/x").ToString());
    }

    [Fact]
    public async Task A_factory_registers_its_scheme()
    {
        CoapEndpointOptions options = new();
        options.Transports.Factories.Add(new RadioFactory());
        await using CoapServer server = new(options);
        server.Listen("coap+lora://[fd00::1]");
        await server.StartAsync();

        Assert.Equal([new CoapUri("coap+lora://[fd00::1]:5000")], server.LocalEndpoints);
    }

    [Fact]
    public void A_transport_with_an_invalid_scheme_or_default_port_is_refused()
    {
        using EndpointScope holder = new();
        Assert.Throws<ArgumentException>(() => holder.Add("Coap+Radio", 1));
        Assert.Throws<ArgumentException>(() => holder.Add("coap radio", 1));
        Assert.Throws<ArgumentException>(() => holder.Add("coap+port", 0));
    }

    [Fact]
    public void Transports_of_one_scheme_must_have_one_default_port()
    {
        using EndpointScope holder = new();
        holder.Add("coap+twice", 1);
        holder.Add("coap+twice", 1);
        Assert.Throws<InvalidOperationException>(() => holder.Add("coap+twice", 2)).Mentions("default port 1");
    }

    [Fact]
    public void A_URI_with_a_scheme_without_a_transport_is_invalid()
    {
        Assert.False(CoapUri.TryParse("coap+nobody://host/", out _, out string? error));
        error.Mentions("the scheme of a transport that was added");
    }

    [Fact]
    public async Task A_request_that_a_full_block_declines_is_counted_as_a_send_error()
    {
        BufferBlock<CoapDatagram> full = new(new DataflowBlockOptions { BoundedCapacity = 1 });
        full.Post(new CoapDatagram(1));
        await using CoapClient client = new();
        client.Endpoint.AddTransport(
            new CoapDataflowBlockTransport(DataflowBlock.Encapsulate(full, new BufferBlock<CoapDatagram>()), s_client));
        using CancellationTokenSource end = new();
        Task<CoapResponse> request = client.GetAsync("coap://[fd00::1]/x", cancellationToken: end.Token);

        await Eventually.IsTrueAsync(() => client.Endpoint.Counters[CoapCounter.SendErrors] == 1);
        Assert.False(request.IsCompleted);
        await end.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Within(request));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task The_endpoint_faults_when_its_block_completes_or_faults(bool isFault)
    {
        BufferBlock<CoapDatagram> received = new();
        await using CoapServer server = new();
        server.Endpoint.AddTransport(
            new CoapDataflowBlockTransport(DataflowBlock.Encapsulate(new BufferBlock<CoapDatagram>(), received), s_server));
        await server.StartAsync();
        if (isFault)
        {
            ((IDataflowBlock)received).Fault(new IOException("mine"));
        }
        else
        {
            received.Complete();
        }

        CoapException error = await Assert.ThrowsAsync<CoapException>(() => Within(server.Endpoint.Completion));
        error.Mentions(isFault ? "faulted" : "completed");
    }

    [Fact]
    public async Task Disposing_the_endpoint_completes_the_block()
    {
        BufferBlock<CoapDatagram> sent = new();
        CoapServer server = new();
        server.Endpoint.AddTransport(
            new CoapDataflowBlockTransport(DataflowBlock.Encapsulate(sent, new BufferBlock<CoapDatagram>()), s_server));
        await server.StartAsync();
        await server.DisposeAsync();

        await Within(sent.Completion);
    }

    // One end of a link: what it sends arrives at the other end with its address.
    private static IPropagatorBlock<CoapDatagram, CoapDatagram> Joined(
        BufferBlock<CoapDatagram> incoming, BufferBlock<CoapDatagram> outgoing, CoapAddress local) => DataflowBlock.Encapsulate(
            new ActionBlock<CoapDatagram>(datagram =>
            {
                using (datagram)
                {
                    CoapDatagram copy = new(datagram.Length) { Length = datagram.Length, Remote = local };
                    datagram.Span.CopyTo(copy.Buffer);
                    outgoing.Post(copy);
                }
            }),
            incoming);

    private static CoapAddress Address(string text) => CoapAddress.FromIPEndPoint(System.Net.IPEndPoint.Parse(text));

    private static Task<T> Within<T>(Task<T> task) => task.WaitAsync(HangGuard.InMemory);

    private static Task Within(Task task) => task.WaitAsync(HangGuard.InMemory);

    private static CoapDataflowBlockTransport Transport(string scheme, int defaultPort) =>
        new(new BufferBlock<CoapDatagram>(), s_client, scheme, defaultPort);

    private sealed class EndpointScope : IDisposable
    {
        private readonly CoapClient _client = new();

        public void Add(string scheme, int defaultPort) => _client.Endpoint.AddTransport(Transport(scheme, defaultPort));

        public void Dispose() => _client.DisposeAsync().AsTask().Wait(HangGuard.InMemory);
    }

    private sealed class RadioFactory : ICoapTransportFactory
    {
        public string Scheme => "coap+lora";

        public int DefaultPort => 5000;

        public bool IsSecure => false;

        public void ThrowIfCannotListen()
        {
        }

        public CoapTransport Create(CoapUdpTransportOptions sockets) =>
            new CoapDataflowBlockTransport(
                new BufferBlock<CoapDatagram>(), CoapAddress.FromIPEndPoint(sockets.Endpoints[0]), Scheme, DefaultPort);
    }
}
