namespace CoAP.NET.Proxy.Tests.Guides;

/// <summary>The snippet of docs/custom-options.md for proxies.</summary>
public sealed class CustomOptionsPageTests
{
    [Fact]
    public async Task The_clients_of_a_proxy_use_its_option_registry()
    {
        CoapOptionRegistry registry = CoapOptionRegistry.Default.With(new OptionFactory<Tenant>());
        CoapProxyOptions options = new() { ConfigureClient = client => client.Registry = registry };

        await using CoapProxy proxy = new(options);
        Assert.Equal(OptionCachingInRequests.Key, proxy.Client.Endpoint.Environment.Registry.CachingOf(Tenant.Definition.Number));
    }

    private sealed class Tenant(string name) : StringOption(Definition, name), ITypedOption<Tenant>
    {
        public static new OptionDefinition Definition { get; } = new(65_003, "Tenant", OptionFormat.String, 1, 32)
        {
            Caching = OptionCachingInRequests.Key,
        };

        public static Tenant Create(OptionData data) => new(data.GetString());
    }
}
