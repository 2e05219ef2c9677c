using System.Collections.Concurrent;
using System.Threading.Tasks.Dataflow;

namespace CoAP.NET.Proxy.Tests;

/// <summary>Proxies for servers on a transport of the application, with a scheme of its own.</summary>
/// <remarks>Real clock: the transport is of Dataflow blocks, and nothing is lost.</remarks>
public sealed class OwnSchemeTests : IAsyncLifetime
{
    private const string Target = "coap+hub://[fd00::1]";

    private static readonly TimeSpan s_hang = FromMinutes(2);

    private readonly Hub _hub = new();
    private readonly CoapServer _origin = new();
    private readonly CoapServer _server = new();
    private readonly CoapClient _client = new();
    private readonly CoapProxy _proxy;

    public OwnSchemeTests()
    {
        CoapProxyOptions options = new() { ConfigureClient = endpoint => endpoint.Transports.Factories.Add(_hub) };
        options.Targets.AllowNetwork("fd00::/8");
        _proxy = new CoapProxy(options);
    }

    public async ValueTask InitializeAsync()
    {
        _origin.Endpoint.AddTransport(_hub.Add("[fd00::1]:5999"));
        _origin.MapGet("/t", request => $"{request.Peer.Scheme} 21");
        await _origin.StartAsync();
        _server.MapForwardProxy(_proxy);
        _server.MapReverseProxy("/hub/{*path}", Target + "/", _proxy);
        await _server.Listen("coap://127.0.0.1:0").StartAsync();
    }

    public async ValueTask DisposeAsync()
    {
        await _client.DisposeAsync();
        await _server.DisposeAsync();
        await _proxy.DisposeAsync();
        await _origin.DisposeAsync();
    }

    [Fact]
    [Rfc("7252-5.7.2-3")]
    public async Task A_forward_proxy_reaches_each_scheme_that_its_client_has_a_transport_for()
    {
        _client.Proxy = _server.LocalEndpoints[0];

        CoapResponse response = await _client.GetAsync(Target + "/t").WaitAsync(s_hang);

        Assert.Equal("coap+hub 21", response.EnsureSuccess().GetText());
    }

    [Fact]
    public async Task A_reverse_proxy_reaches_each_scheme_that_its_client_has_a_transport_for()
    {
        CoapResponse response = await _client.GetAsync(_server.LocalEndpoints[0] + "hub/t").WaitAsync(s_hang);

        Assert.Equal("coap+hub 21", response.EnsureSuccess().GetText());
    }

    [Fact]
    [Rfc("7252-5.7-1")]
    public async Task A_secured_scheme_is_for_clients_on_a_secured_transport()
    {
        _hub.IsSecure = true;
        _client.Proxy = _server.LocalEndpoints[0];

        CoapResponse response = await _client.GetAsync(Target + "/t").WaitAsync(s_hang);

        response.Gives(CoapCode.Unauthorized);
        response.GetText().Mentions("coap+hub");
    }

    [Fact]
    [Rfc("7252-5.7.2-1")]
    public async Task A_scheme_without_a_transport_is_answered_5_05()
    {
        CoapRequest request = new(CoapMethod.Get, _server.LocalEndpoints[0]);
        request.Options.Add(new ProxyUriOption("coap+other://[fd00::1]/t"));

        CoapResponse response = await _client.SendAsync(request).WaitAsync(s_hang);

        response.Gives(CoapCode.ProxyingNotSupported);
    }

    /// <summary>Joins all stations, each with an address.</summary>
    private sealed class Hub : ICoapTransportFactory
    {
        private readonly ConcurrentDictionary<CoapAddress, BufferBlock<CoapDatagram>> _stations = [];
        private int _last = 1;

        public string Scheme => "coap+hub";

        public int DefaultPort => 5999;

        public bool IsSecure { get; set; }

        public void ThrowIfCannotListen()
        {
        }

        public CoapTransport Create(CoapUdpTransportOptions sockets) => Add($"[fd00::{Interlocked.Increment(ref _last):x}]:5999");

        public CoapDataflowBlockTransport Add(string address)
        {
            CoapAddress local = CoapAddress.FromIPEndPoint(IPEndPoint.Parse(address));
            BufferBlock<CoapDatagram> received = new();
            _stations[local] = received;
            ActionBlock<CoapDatagram> sent = new(datagram =>
            {
                using (datagram)
                {
                    CoapDatagram copy = new(datagram.Length) { Length = datagram.Length, Remote = local };
                    datagram.Span.CopyTo(copy.Buffer);
                    _stations[datagram.Remote].Post(copy);
                }
            });
            return new CoapDataflowBlockTransport(DataflowBlock.Encapsulate(sent, received), local, Scheme, DefaultPort);
        }
    }
}
