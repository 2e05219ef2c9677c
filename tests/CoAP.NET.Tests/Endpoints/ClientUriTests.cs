namespace CoAP.NET.Tests.Endpoints;

/// <summary>URIs that clients take: base addresses, proxies, groups.</summary>
public sealed class ClientUriTests
{
    [Fact]
    public async Task A_base_address_or_a_proxy_that_is_not_an_absolute_CoAP_URI_is_refused()
    {
        await using CoapClient client = new();
        Assert.Throws<ArgumentException>(() => client.BaseAddress = new CoapUri("/a"));
        Assert.Throws<ArgumentException>(() => client.BaseAddress = new CoapUri("http://host.example/"));
        Assert.Throws<ArgumentException>(() => client.Proxy = new CoapUri("host"));
    }

    [Fact]
    public async Task Requests_to_groups_need_a_client_with_an_endpoint()
    {
        await using CoapClient client = new();
        Assert.Throws<ArgumentException>(() => new Wrapped(client).GetFromGroupAsync("coap://224.0.1.187/x"));
        Assert.NotNull(client.Endpoint.GetFromGroupAsync("coap://224.0.1.187/x"));
    }

    [Fact]
    public void Each_request_method_has_at_most_two_overloads_beside_those_with_a_text()
    {
        string[] names = [.. typeof(CoapClientRequestExtensions).GetMethods()
            .Where(static method => method.IsStatic && !method.GetParameters().Any(
                static parameter => parameter.ParameterType == typeof(string) && parameter.Name is "uri" or "proxy"))
            .Select(static method => method.Name)];
        Assert.InRange(names.Length, 10, 25);
        Assert.InRange(names.Count(static name => name.Contains("Json", Ordinal)), 1, 5);
        Assert.All(names.GroupBy(static name => name), static group => Assert.InRange(group.Count(), 1, 2));
    }

    private sealed class Wrapped(ICoapClient inner) : ICoapClient
    {
        public Task<CoapResponse> SendAsync(CoapRequest request, CancellationToken cancellationToken = default) =>
            inner.SendAsync(request, cancellationToken);

        public Task<CoapObservation> ObserveAsync(
            CoapRequest request, CoapObservationOptions? options = null, CancellationToken cancellationToken = default) =>
            inner.ObserveAsync(request, options, cancellationToken);
    }
}
