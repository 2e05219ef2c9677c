using CoAP.NET.Tests.Endpoints;
using CoAP.NET.Tests.Transports.Streams;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Tests.Resources;

/// <summary>Which routes serve plain transports when secured ones exist too (RFC 8323 section 9).</summary>
public class RouteSecurityTests : EndpointTest
{
    // GET /x, Confirmable: 0x41 0x01, Message ID, token, Uri-Path.
    private const string PlainGetX = "41010001aab178";
    private const string SecuredGetX = "2101aab178";
    private const string Hi = "c0ff6869";
    private const string Unauthorized = "81";

    private readonly DirectStreamTransport _secured = new("coaps+tcp");

    private DirectConnection? _connection;

    [Fact]
    [Rfc("8323-9-1")]
    public async Task A_route_without_a_security_setting_refuses_plain_requests_beside_a_secured_transport()
    {
        bool runs = false;
        Server.MapGet("/x", () =>
        {
            runs = true;
            return CoapResults.Text("hi");
        });
        await StartAllAsync();

        string answer = Exchange(PlainGetX);
        Assert.Equal("6181", answer[..4]);
        Encoding.UTF8.GetString(Wire.Hex(answer)).Mentions("secured transports only");
        Assert.False(runs);
        Secured(SecuredGetX).Ends(Hi);
    }

    [Fact]
    public async Task A_route_with_AllowInsecureTransport_serves_plain_requests()
    {
        Server.MapGet("/x", static () => CoapResults.Text("hi")).AllowInsecureTransport();
        await StartAllAsync();

        Exchange(PlainGetX).Ends(Hi);
        Secured(SecuredGetX).Ends(Hi);
    }

    [Fact]
    public async Task The_refusal_of_a_plain_request_names_the_available_secured_schemes()
    {
        Server.MapGet("/x", static () => CoapResults.Text("hi"));
        Server.MapGet("/y", static () => CoapResults.Text("hi")).RequireScheme("coap").RequireTransportSecurity();
        await StartAllAsync();

        Encoding.UTF8.GetString(Wire.Hex(Exchange(PlainGetX))).Ends("secured transports only: coaps+tcp.");
        Encoding.UTF8.GetString(Wire.Hex(Exchange("41010002aab179"))).Ends("this server listens on none.");
    }

    [Fact]
    public async Task The_security_setting_of_a_group_applies_to_its_routes_without_a_setting()
    {
        CoapRouteGroup open = Server.MapGroup("/open").AllowInsecureTransport();
        open.MapGet("/x", static () => CoapResults.Text("hi"));
        open.MapGet("/y", static () => CoapResults.Text("hi")).RequireTransportSecurity();
        await StartAllAsync();

        Exchange("41010001aab46f70656e0178").Ends(Hi);
        Assert.Equal(Unauthorized, Exchange("41010002aab46f70656e0179")[2..4]);
    }

    [Fact]
    public async Task Without_a_secured_transport_only_routes_with_RequireTransportSecurity_refuse_plain_requests()
    {
        Server.MapGet("/x", static () => CoapResults.Text("hi"));
        Server.MapGet("/y", static () => CoapResults.Text("hi")).RequireTransportSecurity();
        await StartAsync();

        Exchange(PlainGetX).Ends(Hi);
        Assert.Equal(Unauthorized, Exchange("41010002aab179")[2..4]);
        Assert.DoesNotContain(Logs.Entries, entry => entry.Id.Id == 1024);
    }

    [Fact]
    public async Task A_body_in_blocks_is_refused_with_its_first_block()
    {
        Server.MapPut("/x", static () => CoapResults.Changed());
        await StartAllAsync();

        // PUT /x, Block1 0/more/16 (number 27: delta 16 after Uri-Path), 16 bytes.
        Assert.Equal(Unauthorized, Exchange("41030001aab178d10308ff" + new string('0', 32))[2..4]);
        Assert.Equal(0, Server.BodyBytes);
    }

    [Fact]
    public async Task Discovery_lists_only_the_routes_that_the_peer_may_use()
    {
        Server.MapGet("/open", static () => CoapResults.Text("hi")).AllowInsecureTransport();
        Server.MapGet("/shut", static () => CoapResults.Text("hi"));
        await StartAllAsync();

        // GET /.well-known/core
        string plain = TextOf(Exchange("41010001aabb2e77656c6c2d6b6e6f776e04636f7265"));
        string secured = TextOf(Secured("d10401aabb2e77656c6c2d6b6e6f776e04636f7265"));

        plain.Mentions("</open>");
        plain.Omits("</shut>");
        secured.Mentions("</open>,</shut>");
    }

    [Fact]
    public async Task Starting_logs_which_route_is_served_over_which_scheme()
    {
        Server.MapGet("/open", static () => CoapResults.Text("hi")).AllowInsecureTransport();
        Server.MapPost("/shut", static () => CoapResults.Text("hi"));
        await StartAllAsync();

        (LogLevel level, EventId _, string text) = Assert.Single(Logs.Entries, entry => entry.Id.Id == 1024);
        Assert.Equal(LogLevel.Information, level);
        text.Mentions("GET /open: coap, coaps+tcp");
        text.Mentions("POST /shut: coaps+tcp");
    }

    [Fact]
    public async Task A_route_mapped_after_the_start_refuses_plain_requests_until_AllowInsecureTransport()
    {
        await StartAllAsync();
        CoapRouteHandlerBuilder route = Server.MapGet("/x", static () => CoapResults.Text("hi"));

        Assert.Equal(Unauthorized, Exchange(PlainGetX)[2..4]);
        route.AllowInsecureTransport();
        Exchange("41010002aab178").Ends(Hi);
    }

    [Fact]
    public async Task A_request_sent_before_the_start_leaves_the_routes_of_the_server_protected()
    {
        await using CoapServer server = new(new CoapEndpointOptions { Transports = { Shards = 1 } });
        server.MapGet("/x", static () => CoapResults.Text("hi"));
        using CancellationTokenSource cancel = new();
        Task<CoapResponse> early = new CoapClient(server.Endpoint).GetAsync("coap://127.0.0.1:9/x", cancel.Token);
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<Exception>(() => early);

        DirectTransport plain = new();
        server.Endpoint.AddTransport(plain);
        server.Endpoint.AddTransport(_secured);
        await server.StartAsync();

        plain.Receive(Peer, PlainGetX);
        Assert.Equal(Unauthorized, Assert.Single(plain.TakeSent())[2..4]);
    }

    private async Task StartAllAsync()
    {
        Server.Endpoint.AddTransport(_secured);
        await StartAsync();
    }

    private string Secured(string hex)
    {
        if (_connection is null)
        {
            _connection = _secured.Accept();
            _connection.Receive("00e1");
        }

        _connection.TakeSent();
        _connection.Receive(hex);
        return Assert.Single(_connection.TakeSent());
    }

    private static string TextOf(string hex) => Encoding.UTF8.GetString(Wire.Hex(hex));
}
