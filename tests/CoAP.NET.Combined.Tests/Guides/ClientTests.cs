using System.Net;
using CoAP.NET.Errors;
using CoAP.NET.Tests.Content;
using CoAP.NET.Tests.Shared;
using CoAP.NET.Tests.Structure;

namespace CoAP.NET.Tests.Guides;

/// <summary>The snippets of docs/client.md, so that they compile and do what the page says.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class ClientTests : GuideTest
{
    [Fact]
    public void Every_snippet_of_the_page_stands_in_these_tests() => Snippets.AllStandInTests("client.md", "Guides", 8);

    [Fact]
    public async Task The_client_example_sends_nothing_when_cancelled_before_its_first_request()
    {
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => AskAsync(new CancellationToken(canceled: true)));
    }

    [Fact]
    public async Task The_options_and_content_of_a_request_arrive_at_the_server()
    {
        server.MapPost("/readings",
            request => CoapResults.Text($"{request.Accept} {string.Join('&', request.Queries)} {request.GetText()}",
                CoapContentFormat.Json));
        await StartAsync();
        await RunAsync(async () =>
        {
            CoapRequest request = new(CoapMethod.Post, "coap://[::1]/readings")
            {
                Content = CoapContent.Text("21.5"),
                Accept = CoapContentFormat.Json,
                Timeout = TimeSpan.FromSeconds(10),
            };
            request.Options.Add(new UriQueryOption("unit=C"));
            CoapResponse created = await client.SendAsync(request, cancellationToken);

            created.Says($"{CoapContentFormat.Json} unit=C 21.5");
        });
    }

    [Fact]
    public async Task A_client_has_a_base_address_and_a_time_limit()
    {
        server.MapGet("/api/state", () => "on");
        await StartAsync();
        await RunAsync(async () =>
        {
            client.BaseAddress = new CoapUri("coap://[::1]/api/");
            client.Timeout = TimeSpan.FromSeconds(10);
            CoapResponse state = await client.GetAsync("state", cancellationToken);

            state.Says("on");
        });
    }

    [Fact]
    public async Task Values_are_sent_and_read_in_JSON_and_CBOR()
    {
        Reading stored = new("cellar", 12);
        server.MapGet("/reading", request => CoapResults.Content(request.Accept == CoapContentFormat.Cbor
            ? CoapContent.Cbor(stored, ReadingContext.Default.Reading)
            : CoapContent.Json(stored, ReadingContext.Default.Reading)));
        server.MapPut("/reading", request =>
        {
            stored = request.ReadJson(ReadingContext.Default.Reading)!;
            return CoapResults.Changed();
        });
        await StartAsync();
        await RunAsync(async () =>
        {
            Reading? reading = await client.GetFromJsonAsync<Reading>("coap://[::1]/reading", cancellationToken: cancellationToken);
            CoapResponse changed = await client.PutAsync(
                "coap://[::1]/reading", CoapContent.Json(new Reading("kitchen", 21.5)), cancellationToken);
            reading = await client.GetFromCborAsync("coap://[::1]/reading", ReadingContext.Default.Reading, cancellationToken);

            Assert.Equal((new Reading("kitchen", 21.5), true), (reading, changed.IsSuccess));
        });
    }

    [Fact]
    public async Task A_request_without_an_answer_fails_with_a_reason_and_IsOutcomeUnknown()
    {
        CoapTimeoutException error = await Assert.ThrowsAsync<CoapTimeoutException>(() => RunAsync(async () =>
        {
            try
            {
                await client.PostAsync("coap://[::1]/readings", CoapContent.Text("21.5"), cancellationToken);
            }
            catch (CoapTimeoutException exception) when (!exception.IsOutcomeUnknown)
            {
                // Nothing left this machine: it is safe to try again.
            }
        }));
        Assert.Equal((CoapTimeoutReason.NotAcknowledged, true), (error.Reason, error.IsOutcomeUnknown));
    }

    [Fact]
    public async Task A_client_observes_discovers_and_pings_servers()
    {
        server.MapGet("/temperature", () => "21.5").Observable().WithResourceType("temperature-c");
        await StartAsync();
        await RunAsync(async () =>
        {
            await using CoapObservation observation = await client.ObserveAsync("coap://[::1]/temperature", cancellationToken);
            IReadOnlyList<CoapLink> links = await client.DiscoverAsync("coap://[::1]", "rt=temperature*", cancellationToken);
            TimeSpan roundTrip = await client.PingAsync("coap://[::1]", cancellationToken: cancellationToken);

            observation.Latest!.Says("21.5");
            Assert.Equal("/temperature", Assert.Single(links).Target);
            Assert.True(roundTrip >= TimeSpan.Zero);
        });
    }

    [Fact]
    public async Task ParametersOf_sets_transmission_parameters_per_peer()
    {
        IPNetwork local = IPNetwork.Parse("127.0.0.0/8");
        CoapEndpointOptions options = new()
        {
            ParametersOf = peer => local.Contains(peer.Address)
                ? CoapTransmissionParameters.Default with { NStart = 16, RetransmissionTiming = CoapRetransmissionAlgorithm.Fasor }
                : null,
        };
        int nstart = 0;
        await using CoapServer server = new(options);
        server.Listen("coap://127.0.0.1:0");
        server.MapGet("/", request =>
        {
            nstart = request.Peer.Parameters.NStart;
            return "here";
        });
        await server.StartAsync();
        await using CoapClient client = new(options);
        await client.GetAsync(server.LocalEndpoints[0]).WaitAsync(TimeSpan.FromMinutes(2));
        Assert.Equal(16, nstart);
    }

    [Fact]
    public async Task A_server_sends_a_request_to_the_registering_device()
    {
        await using CoapServer server = new();
        await using CoapClient fromServer = new(server.Endpoint);
        server.MapPost("/register", async (request, cancellationToken) =>
        {
            CoapResponse model = await request.Peer.GetAsync("/3/0/1", cancellationToken);
            return CoapResults.Created($"/rd/{model.GetText()}");
        });
        server.Listen("coap://127.0.0.1:0");
        await server.StartAsync();

        await using CoapServer device = new();
        device.MapGet("/3/0/1", () => "thermometer");
        device.Listen("coap://127.0.0.1:0");
        await device.StartAsync();
        await using CoapClient fromDevice = new(device.Endpoint);
        CoapResponse registered = await fromDevice.PostAsync($"{server.LocalEndpoints[0]}register", null)
            .WaitAsync(TimeSpan.FromMinutes(2));
        Assert.Equal("/rd/thermometer", registered.Options.Location);
        await fromServer.GetAsync($"{device.LocalEndpoints[0]}3/0/1").WaitAsync(TimeSpan.FromMinutes(2)).Says("thermometer");
    }

    [Fact]
    public async Task A_client_sends_from_a_chosen_local_address()
    {
        await using CoapServer server = new();
        server.MapGet("/from", static request => CoapResults.Text($"{request.Peer.Address.ToIPAddress()}"));
        server.Listen("coap://127.0.0.1:0");
        await server.StartAsync();
        string uri = $"{server.LocalEndpoints[0]}from";
        IPAddress own = IPAddress.Parse("127.3.0.7");
        await using CoapClient client = new();
        client.Endpoint.AddTransport(new CoapUdpTransport(new CoapUdpTransportOptions { Endpoints = { new IPEndPoint(own, 0) } }));
        await using CoapClient unbound = new();
        CoapRequest request = new(CoapMethod.Get, uri) { LocalAddress = own };

        await client.GetAsync(uri).WaitAsync(TimeSpan.FromMinutes(2)).Says($"{own}");
        await unbound.SendAsync(request).WaitAsync(TimeSpan.FromMinutes(2)).Says($"{own}");
    }

    private static async Task AskAsync(CancellationToken cancellationToken)
    {
        await using CoapClient client = new();
        CoapResponse response = await client.GetAsync("coap://[::1]/temperature", cancellationToken);
        Console.WriteLine(response.EnsureSuccess().GetText());
    }
}
