using CoAP.NET.Hosting.Tests.Applications;

namespace CoAP.NET.Hosting.Tests.Documentation;

/// <summary>The snippets of docs/testing-applications.md, compiled and run.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class TestingGuideTests
{
    private interface IDeviceStore;

    [Fact]
    public void Every_snippet_of_the_page_is_compiled() => Page.HasOnlyCompiledSnippets("testing-applications.md", 6);

    [Fact]
    public async Task A_test_sends_requests_to_an_application_in_memory()
    {
        await using CoapApplicationFactory<Program> application = new();
        CoapClient client = application.CreateClient();

        CoapResponse response = await client.GetAsync(application.Address.Resolve("/temperature"));

        Assert.Equal("19.0", response.GetText());
    }

    [Fact]
    public async Task A_test_replaces_services_of_the_application()
    {
        await using CoapApplicationFactory<Program> application = new();
        DeviceStore store = new();

        application.WithServices(services => services.AddSingleton<IDeviceStore>(store));

        Assert.Same(store, application.Services.GetRequiredService<IDeviceStore>());
    }

    [Fact]
    public async Task Clients_have_the_identities_that_the_test_assigns()
    {
        await using CoapApplicationFactory<Program> application = new() { Arguments = ["--Coap:Server:Endpoints:0=coaps://*:5684"] };
        application.WithServices(
            services => services.AddCoapServer().Routes.RequireAuthorization(policy => policy.RequirePskIdentity()));

        CoapClient meter = application.CreateClient(identity: CoapTestIdentity.Psk("meter-7"));
        CoapClient stranger = application.CreateClient();
        CoapUri address = application.AddressOf("coaps");

        Assert.Equal(CoapCode.Changed, (await meter.PutAsync(address.Resolve("/target"), CoapContent.Text("21"))).Code);
        Assert.Equal(CoapCode.Unauthorized, (await stranger.PutAsync(address.Resolve("/target"), CoapContent.Text("21"))).Code);
    }

    [Fact]
    public async Task A_test_simulates_network_faults()
    {
        await using CoapApplicationFactory<Program> application = new()
        {
            NetworkOptions = new InMemoryNetworkOptions
            {
                Seed = 7,
                Conditions = new() { Loss = 0.1, MaxDelay = TimeSpan.FromMilliseconds(50) }
            },
        };

        Assert.Equal(0.1, application.Network.Conditions.Loss);
    }

    [Fact]
    public async Task A_test_uses_virtual_time()
    {
        VirtualClock clock = new();
        await using CoapApplicationFactory<Program> application = new() { TimeProvider = clock };
        CoapClient client = application.CreateClient();
        await application.StartAsync();

        await clock.AdvanceUntilAsync(client.PutAsync(application.Address.Resolve("/target"), CoapContent.Text("23")),
            max: TimeSpan.FromMinutes(1));

        Assert.InRange(clock.Elapsed, TimeSpan.FromSeconds(2), TimeSpan.FromMinutes(1));
    }

    [Fact]
    public async Task An_in_memory_endpoint_pair_works_without_a_host()
    {
        await using CoapEndpointPair pair = new(network: new InMemoryNetworkOptions { Seed = 3, Conditions = new() { Loss = 0.25 } });
        pair.Server.MapGet("/temperature", () => "21.5");
        await pair.StartAsync();

        CoapResponse response = await pair.RunAsync(() => pair.Client.GetAsync(CoapEndpointPair.Address + "/temperature"));

        Assert.Equal("21.5", response.GetText());
    }

    private sealed class DeviceStore : IDeviceStore;
}
