using CoAP.NET.Hosting.Server;
using RoomClient = global::Hosting.RoomClient;
using RoomWorker = global::Hosting.RoomWorker;

namespace CoAP.NET.Hosting.Tests.Applications;

/// <summary>The sample <c>samples/Hosting</c> as users start their own application in tests.</summary>
public sealed class ApplicationFactoryTests
{
    [Fact]
    public async Task The_client_of_the_application_sends_requests_to_its_server_in_memory()
    {
        await using CoapApplicationFactory<RoomClient> application = WithoutWorker(new());
        IServiceProvider services = await application.StartAsync();

        Assert.Equal("19.0", await services.GetRequiredService<RoomClient>().TemperatureAsync(CancellationToken.None));
    }

    [Fact]
    public async Task Services_can_be_replaced_only_before_the_application_starts()
    {
        await using CoapApplicationFactory<RoomClient> application = WithoutWorker(new());
        application.WithServices(services => services.AddSingleton("of the test"));

        Assert.Equal("of the test", application.Services.GetRequiredService<string>());
        Assert.Throws<InvalidOperationException>(() => application.WithServices(_ => { }));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Stores_are_used_only_when_the_test_enables_them(bool usesStores)
    {
        await using CoapApplicationFactory<RoomClient> application = WithoutWorker(new() { UsesStores = usesStores });

        Assert.Equal(usesStores, application.Services.GetService<CoapTestHostMarker>() is null);
    }

    [Fact]
    public async Task Disposing_the_factory_stops_the_host_and_waits_for_the_end_of_Main()
    {
        CoapApplicationFactory<RoomClient> application = WithoutWorker(new());
        CancellationToken stopped = (await application.StartAsync()).GetRequiredService<IHostApplicationLifetime>().ApplicationStopped;
        Assert.False(stopped.IsCancellationRequested);

        await application.DisposeAsync();

        Assert.True(stopped.IsCancellationRequested);
    }

    [Fact]
    public async Task The_error_for_an_application_that_does_not_start_says_why()
    {
        await using CoapApplicationFactory<RoomClient> application =
            new() { Arguments = ["--Coap:Server:Limits:Blockwise:MaxRequestBodySize=much"] };

        InvalidOperationException error = await Assert.ThrowsAsync<InvalidOperationException>(() => application.StartAsync());

        error.Mentions("Coap:Server:Limits:Blockwise:MaxRequestBodySize");
    }

    [Fact]
    public async Task A_type_of_an_assembly_without_Main_is_refused()
    {
        await using CoapApplicationFactory<CoapMessage> application = new();

        InvalidOperationException error = await Assert.ThrowsAsync<InvalidOperationException>(() => application.StartAsync());

        error.Mentions("has no Main");
    }

    [Fact]
    public async Task Two_applications_run_side_by_side()
    {
        await using CoapApplicationFactory<RoomClient> one = WithoutWorker(new());
        await using CoapApplicationFactory<RoomClient> other = WithoutWorker(new());
        IServiceProvider[] services = await Task.WhenAll(one.StartAsync(), other.StartAsync());

        Assert.NotSame(services[0], services[1]);
        Assert.Equal(one.Address, other.Address);
        await other.CreateClient().GetAsync(other.Address.Resolve("/temperature")).Says("19.0");
    }

    [Fact]
    public async Task Message_IDs_and_tokens_depend_only_on_the_seed()
    {
        string[] first = await SentAsync(7);

        Assert.Equal(4, first.Length);
        Assert.Equal(first, await SentAsync(7));
        Assert.NotEqual(first, await SentAsync(8));
        Assert.NotEqual(first[0], first[2]);
    }

    // The datagrams of a client of the application and of one of the test.
    private static async Task<string[]> SentAsync(ulong seed)
    {
        await using CoapApplicationFactory<RoomClient> application =
            WithoutWorker(new() { NetworkOptions = new InMemoryNetworkOptions { Seed = seed } });
        IServiceProvider services = await application.StartAsync();
        await services.GetRequiredService<RoomClient>().TemperatureAsync(CancellationToken.None);
        await application.CreateClient().GetAsync(application.Address.Resolve("/temperature"));
        return [.. application.Network.Trace.Where(one => one.Kind == NetworkEventKind.Sent)
            .Select(one => Convert.ToHexString(one.Packet!.Data.Span))];
    }

    [Fact]
    public async Task A_derived_factory_changes_services_before_the_changes_of_a_test()
    {
        await using DerivedFactory application = new();
        WithoutWorker(application).WithServices(services => services.AddSingleton($"{services.Count(IsText)} before"));

        Assert.Equal("1 before", application.Services.GetServices<string>().Last());

        static bool IsText(ServiceDescriptor service) => service.ServiceType == typeof(string);
    }

    private sealed class DerivedFactory : CoapApplicationFactory<RoomClient>
    {
        protected override void ConfigureServices(IServiceCollection services) => services.AddSingleton("of the class");
    }

    private static CoapApplicationFactory<RoomClient> WithoutWorker(CoapApplicationFactory<RoomClient> application) =>
        application.WithServices(services => services.Remove(services.Single(service => service.ImplementationType == typeof(RoomWorker))));
}
