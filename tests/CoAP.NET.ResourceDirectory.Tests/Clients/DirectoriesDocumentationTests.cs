using CoAP.NET.Diagnostics;
using CoAP.NET.ResourceDirectory.Registrations;

namespace CoAP.NET.ResourceDirectory.Tests.Clients;

/// <summary>The snippets of docs/resource-directory-clients.md, so that they compile and do what the page says.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class DirectoriesDocumentationTests
{
    // As the snippets call it.
#pragma warning disable IDE1006
    private CancellationToken cancellationToken;
#pragma warning restore IDE1006

    [Fact]
    public void Every_snippet_of_the_page_is_in_these_tests() =>
        Snippets.AllStandInTests("resource-directory-clients.md", "Clients", 7, "CoAP.NET.ResourceDirectory.Tests");

    [Fact]
    public async Task A_directory_is_discovered_and_queried()
    {
        await using DirectorySite site = await DirectorySite.StartAsync();
        site.Names["rd.example"] = [IPAddress.Parse("2001:db8::1")];
        CoapServer sensor = site.MakeServer("[2001:db8::7]:5683");
        sensor.MapGet("/t", () => "21.5").WithResourceType("temperature-c");
        await sensor.StartAsync();
        site.Directory.Add("meter-1", "coap://[2001:db8::7]", new CoapLink("/t", new("rt", "temperature-c"), new("d", "floor3")),
            new CoapLink("/l", new CoapLinkAttribute("rt", "light")));

        using CancellationTokenSource stop = new();
        cancellationToken = stop.Token;
        Task<bool> asking = AskAsync(site.Client);
        await site.RunAsync(() => site.Directory.Requests.Count == 3);
        Assert.Equal(
            ["GET /resource-lookup/?rt=temperature-c&d=floor3", "GET /endpoint-lookup/?page=0&count=100&ep=meter-*",
                "GET /resource-lookup/?rt=light"],
            site.Directory.Requests);
        Assert.Equal(1, sensor.Counters[CoapCounter.RequestsReceived]);
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => site.RunAsync(asking));
    }

    [Fact]
    public async Task A_site_is_searched_for_its_directories()
    {
        await using DirectorySite site = await DirectorySite.StartAsync();
        await site.RunAsync(FindAllAsync(site.Client));
        Assert.InRange(site.Clock.Elapsed, TimeSpan.FromSeconds(10), TimeSpan.FromSeconds(11));
    }

    [Fact]
    public async Task A_server_keeps_its_registration()
    {
        await using DirectorySite site = await DirectorySite.StartAsync();
        CoapServer server = new(site.Resolving());
        server.Endpoint.AddTransport(site.Network.CreateTransport(CoAP.NET.Testing.InMemoryNetwork.Address("[2001:db8::30]:5683")));
        server.MapGet("/t", () => "21.5").WithResourceType("temperature-c");
        site.Names["rd.example"] = [IPAddress.Parse("2001:db8::1")];
        await server.StartAsync();
        Assert.Equal("coap://rd.example/reg/1/", await site.RunAsync(RegisterAsync(server)));
        Assert.Contains("POST /reg/1/?base=coap://[2001:db8::77]", site.Directory.Requests);
        Assert.Equal("DELETE /reg/1/", site.Directory.Requests[^1]);
        await server.DisposeAsync();
    }

    private async Task<bool> AskAsync(CoapClient client)
    {
        CoapDirectoryClient directory = await CoapDirectoryClient.DiscoverAsync(client, "coap://rd.example");

        await foreach (CoapLink link in directory.FindResourcesAsync(
            new CoapDirectoryQuery { ResourceType = "temperature-c", Sector = "floor3" }))
        {
            CoapResponse state = await client.GetAsync(link.Target);
        }

        CoapDirectoryQuery meters = new() { EndpointName = "meter-*", PageSize = 100 };
        await foreach (CoapDirectoryEndpoint meter in directory.FindEndpointsAsync(meters))
        {
            Console.WriteLine($"{meter.Name} at {meter.Base}");
        }

        await foreach (CoapDirectoryChange<CoapLink> change in directory.WatchResourcesAsync(
            new CoapDirectoryQuery { ResourceType = "light" }, cancellationToken))
        {
            Console.WriteLine($"{change.Kind} {change.Item.Target}");
        }

        return true;
    }

    private static async Task<bool> FindAllAsync(CoapClient client)
    {
        CoapDirectoryClientOptions options = new()
        {
            Timeout = TimeSpan.FromSeconds(10),
            Group = new CoapGroupRequestOptions { HopLimit = 2 },
        };
        await foreach (CoapDirectoryClient found in CoapDirectoryClient.DiscoverAllAsync(
            client, CoapDirectoryClient.SiteLocalGroup, options))
        {
            Console.WriteLine(found.Registration);
        }

        return true;
    }

    private async Task<string?> RegisterAsync(CoapServer server)
    {
        await using CoapClient ownClient = new(server.Endpoint);
        await using CoapRegistration registration = CoapRegistration.Start(
            ownClient, "coap://rd.example", new CoapRegistrationOptions { EndpointName = "node1", Links = server.Links });
        CoapRegistrationStatus status = await registration.WhenRegisteredAsync(cancellationToken);
        Console.WriteLine($"{status.Location} until {status.Until}");

        await registration.UpdateAsync("coap://[2001:db8::77]:5683", cancellationToken: cancellationToken);
        return status.Location?.ToString();
    }
}
