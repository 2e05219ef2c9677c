using CoAP.NET.Tests.Endpoints;
using CoAP.NET.Tests.Transports.Streams;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Tests.Resources;

// Routes that are served over some transports only: coap, coap+tcp and, in some tests, coaps+tcp.
public class RequireSchemeTests : EndpointTest
{
    // GET /x: Confirmable 0x41 0x01, Message ID, token, Uri-Path; on streams length 2 and token length 1, code, token, Uri-Path.
    private const string DatagramGetX = "41010001aab178";
    private const string DatagramPutX = "41030002aab178";
    private const string StreamGetX = "2101aab178";
    private const string Hi = "c0ff6869";
    private const string NotFound = "84";
    private const string MethodNotAllowed = "85";
    private const string Unauthorized = "81";

    private readonly DirectStreamTransport _tcp = new();
    private readonly DirectStreamTransport _tls = new("coaps+tcp");
    private readonly Dictionary<DirectStreamTransport, DirectConnection> _connections = [];

    [Fact]
    public async Task A_route_with_RequireScheme_is_not_found_over_other_schemes()
    {
        bool runs = false;
        Server.MapGet("/x", () =>
        {
            runs = true;
            return CoapResults.Text("hi");
        }).RequireScheme("coap+tcp");
        await StartAllAsync(_tcp);

        Assert.Equal(NotFound, Exchange(DatagramGetX)[2..4]);
        Assert.Equal(NotFound, Exchange(DatagramPutX)[2..4]);
        Assert.False(runs);
        Stream(_tcp, StreamGetX).Ends(Hi);
        Assert.Equal(MethodNotAllowed, Stream(_tcp, "2103aab178")[2..4]);
    }

    [Fact]
    public async Task A_method_restricted_to_another_scheme_gets_4_05_when_the_path_has_another_method()
    {
        Server.MapGet("/x", static () => CoapResults.Text("hi"));
        Server.MapPut("/x", static () => CoapResults.Changed()).RequireScheme("coap+tcp");
        await StartAllAsync(_tcp);

        Exchange(DatagramGetX).Ends(Hi);
        Assert.Equal(MethodNotAllowed, Exchange(DatagramPutX)[2..4]);
    }

    [Fact]
    public async Task A_route_may_name_several_schemes_in_any_case_and_overrides_its_group()
    {
        CoapRouteGroup group = Server.MapGroup("/").RequireScheme("coaps+tcp");
        group.MapGet("/x", static () => CoapResults.Text("hi")).RequireScheme("COAP", "coap+tcp");
        group.MapGet("/y", static () => CoapResults.Text("hi"));
        await StartAllAsync(_tcp);

        Exchange(DatagramGetX).Ends(Hi);
        Stream(_tcp, StreamGetX).Ends(Hi);
        Assert.Equal(NotFound, Exchange("41010002aab179")[2..4]);
    }

    [Fact]
    public async Task RequireScheme_with_a_plain_scheme_serves_the_route_over_it_beside_a_secured_transport()
    {
        Server.MapGet("/x", static () => CoapResults.Text("hi")).RequireScheme("coap");
        await StartAllAsync(_tls);

        Exchange(DatagramGetX).Ends(Hi);
        Assert.Equal(NotFound, Stream(_tls, StreamGetX)[2..4]);
    }

    [Fact]
    public async Task RequireScheme_and_RequireTransportSecurity_must_both_be_satisfied()
    {
        Server.MapGet("/x", static () => CoapResults.Text("hi")).RequireScheme("coap", "coaps+tcp").RequireTransportSecurity();
        await StartAllAsync(_tls, _tcp);

        Assert.Equal(Unauthorized, Exchange(DatagramGetX)[2..4]);
        Assert.Equal(NotFound, Stream(_tcp, StreamGetX)[2..4]);
        Stream(_tls, StreamGetX).Ends(Hi);
    }

    [Fact]
    public async Task A_request_before_any_transport_was_added_does_not_open_secured_routes_to_plain_requests()
    {
        Server.MapGet("/x", static () => CoapResults.Text("hi"));
        await using CoapClient client = new(Server.Endpoint);
        await Assert.ThrowsAsync<CoapException>(() => Within(client.GetAsync("coaps://192.0.2.9/x")));
        await StartAllAsync(_tls);

        Assert.Equal(Unauthorized, Exchange(DatagramGetX)[2..4]);
        Stream(_tls, StreamGetX).Ends(Hi);
    }

    [Fact]
    public async Task A_body_in_blocks_is_refused_with_its_first_block()
    {
        Server.MapPut("/x", static () => CoapResults.Changed()).RequireScheme("coap+tcp");
        await StartAllAsync(_tcp);

        // PUT /x, Block1 0/more/16 (number 27: delta 16 after Uri-Path), 16 bytes.
        Assert.Equal(NotFound, Exchange("41030001aab178d10e08ff" + new string('0', 32))[2..4]);
        Assert.Equal(0, Server.BodyBytes);
    }

    [Fact]
    public async Task Discovery_lists_only_the_routes_served_over_the_scheme_of_the_peer()
    {
        Server.MapGet("/x", static () => CoapResults.Text("hi")).RequireScheme("coap");
        Server.MapGet("/y", static () => CoapResults.Text("hi")).RequireScheme("coap+tcp");
        Server.MapGet("/z", static () => CoapResults.Text("hi"));
        await StartAllAsync(_tcp);

        // GET /.well-known/core
        string datagram = TextOf(Exchange("41010001aabb2e77656c6c2d6b6e6f776e04636f7265"));
        string stream = TextOf(Stream(_tcp, "d10401aabb2e77656c6c2d6b6e6f776e04636f7265"));

        datagram.Ends("</x>,</z>");
        stream.Ends("</y>,</z>");
    }

    [Fact]
    public async Task The_start_logs_the_schemes_of_each_route_and_warns_of_routes_without_a_transport()
    {
        Server.MapGet("/x", static () => CoapResults.Text("hi")).RequireScheme("coap");
        Server.MapGet("/y", static () => CoapResults.Text("hi"));
        Server.MapGet("/z", static () => CoapResults.Text("hi")).RequireScheme("coaps+tcp");
        await StartAllAsync(_tcp);

        string text = Assert.Single(Logs.Entries, entry => entry.Id.Id == 1504).Text;
        text.Mentions("GET /x: coap" + Environment.NewLine);
        text.Mentions("GET /y: coap, coap+tcp");
        text.Mentions("GET /z: nowhere");
        (LogLevel level, EventId _, string warning) = Assert.Single(Logs.Entries, entry => entry.Id.Id == 1505);
        Assert.Equal(LogLevel.Warning, level);
        warning.Mentions("GET /z");
    }

    [Theory]
    [InlineData]
    [InlineData("coap://")]
    [InlineData("coap", "")]
    [InlineData("coap", "http")]
    [InlineData("wss")]
    public void RequireScheme_refuses_invalid_schemes(params string[] schemes) =>
        Assert.Throws<ArgumentException>(() => Server.MapGet("/x", static () => "hi").RequireScheme(schemes));

    private async Task StartAllAsync(params DirectStreamTransport[] transports)
    {
        foreach (DirectStreamTransport transport in transports)
        {
            Server.Endpoint.AddTransport(transport);
        }

        await StartAsync();
    }

    private string Stream(DirectStreamTransport transport, string hex)
    {
        if (!_connections.TryGetValue(transport, out DirectConnection? connection))
        {
            _connections[transport] = connection = transport.Accept();
            connection.Receive("00e1");
        }

        connection.TakeSent();
        connection.Receive(hex);
        return Assert.Single(connection.TakeSent());
    }

    private static string TextOf(string hex) => Encoding.UTF8.GetString(Wire.Hex(hex));
}
