using System.Globalization;
using CoAP.NET.Tests.Shared;
using CoAP.NET.Tests.Structure;

namespace CoAP.NET.Tests.Guides;

/// <summary>The snippets of docs/getting-started.md, so that they compile and do what the page says.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class GettingStartedTests : GuideTest
{
    [Fact]
    public void Every_snippet_of_the_page_stands_in_these_tests() => Snippets.AllStandInTests("getting-started.md", "Guides", 6);

    [Fact]
    public async Task The_first_program_prints_the_documented_line()
    {
        await using CoapServer server = new();
        server.Listen("coap://127.0.0.1:0");
        server.MapGet("/temperature", () => "21.5");
        await server.StartAsync();

        await using CoapClient client = new();
        CoapResponse response = await client.GetAsync(server.LocalEndpoints[0].Resolve("/temperature"));
        Console.WriteLine($"{response.Code}: {response.GetText()}");

        Assert.Equal("2.05 Content: 21.5", $"{response.Code}: {response.GetText()}");
    }

    [Fact]
    public async Task A_server_and_a_client_each_get_a_key_by_a_single_call()
    {
        byte[] key = new byte[16];
        await using CoapServer server = new();
        server.ListenSecure("coaps://[::]", keys => keys.UsePsk("meter-7", key));
        await using CoapClient client = new(o => o.UsePsk("meter-7", key));

        // Neither is started: another program may have the port.
        Assert.Empty(server.LocalEndpoints);
        Assert.Empty(client.Endpoint.LocalEndpoints);
    }

    [Fact]
    public async Task The_server_program_ends_when_it_is_cancelled()
    {
        using CancellationTokenSource stop = new();
        Console.CancelKeyPress += (_, pressed) =>
        {
            pressed.Cancel = true;
            stop.Cancel();
        };

        // Before it begins, so that no test takes the port of CoAP.
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => ServeAsync(stop));
    }

    [Fact]
    public async Task A_resource_can_be_read_changed_and_watched()
    {
        double degrees = 21.5;
        CoapRouteHandlerBuilder temperature = server.MapGet("/temperature", () => FormattableString.Invariant($"{degrees}")).Observable();
        server.MapPut("/temperature", request =>
        {
            degrees = double.Parse(request.GetText(), NumberStyles.Float, CultureInfo.InvariantCulture);
            temperature.Notify();
            return CoapResults.Changed();
        });
        await StartAsync();
        await RunAsync(async () =>
        {
            using CancellationTokenSource enough = new();
            await using CoapObservation ending = await client.ObserveAsync("coap://[::1]/temperature", change =>
            {
                if (change.GetText() == "22")
                {
                    enough.Cancel();
                }
            }, cancellationToken);
            Task watching = WatchAsync(enough.Token);
            await client.PutAsync("coap://[::1]/temperature", CoapContent.Text("22")).Gives(CoapCode.Changed);
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => watching);
        });
    }

    private static async Task ServeAsync(CancellationTokenSource stop)
    {
        double degrees = 21.5;
        await using CoapServer server = new();
        CoapRouteHandlerBuilder temperature = server.MapGet("/temperature", () => FormattableString.Invariant($"{degrees}")).Observable();
        server.MapPut("/temperature", request =>
        {
            degrees = double.Parse(request.GetText(), NumberStyles.Float, CultureInfo.InvariantCulture);
            temperature.Notify();
            return CoapResults.Changed();
        });
        await server.RunAsync(stop.Token);
    }

    private async Task WatchAsync(CancellationToken cancellationToken)
    {
        await using CoapObservation temperature = await client.ObserveAsync("coap://[::1]/temperature", cancellationToken);
        temperature.StateChanged += (_, _) => ReportState();
        ReportState();
        await foreach (CoapResponse change in temperature.ReadAllAsync(cancellationToken))
        {
            if (change.IsSuccess)
            {
                Console.WriteLine(change.GetText());
            }
        }

        // Prints why nothing comes: no server, a wrong key, an error response.
        // The observation keeps trying.
        void ReportState() => Console.Error.WriteLine(temperature.Error?.Message ?? $"{temperature.State}");
    }
}
