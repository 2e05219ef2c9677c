namespace CoAP.NET.Tests.Messages;

/// <summary>Texts that convert to URIs: absolute ones of CoAP, references, and those of other schemes.</summary>
public sealed class UriReferenceTests
{
    [Theory]
    [InlineData("coap://Host.example:5683/a/../b", "coap://host.example/b", true, true)]
    [InlineData("/temperature?unit=C", "/temperature?unit=C", false, false)]
    [InlineData("../state", "../state", false, false)]
    [InlineData("", "", false, false)]
    [InlineData("http://host.example/a#b", "http://host.example/a#b", true, false)]
    public void A_text_converts_to_one_of_three_kinds(string text, string shown, bool isAbsolute, bool isCoap)
    {
        CoapUri uri = text;
        Assert.Equal((shown, isAbsolute, isCoap), (uri.ToString(), uri.IsAbsolute, uri.IsCoap));
        Assert.Equal(uri, CoapUri.FromString(text));
    }

    [Theory]
    [InlineData("coap://", 7)]
    [InlineData("coap:host", 5)]
    [InlineData("lamp:5683", 0)]
    [InlineData("/a#b", 2)]
    public void A_text_that_is_no_URI_is_refused_with_its_position(string text, int position)
    {
        CoapFormatException error = Assert.Throws<CoapFormatException>(() => CoapUri.FromString(text));
        Assert.Equal(position, error.Position);
        error.Mentions(text);
    }

    [Fact]
    public void A_text_is_parsed_only_once_and_null_converts_to_null()
    {
        CoapUri first = string.Concat("coap://parsed.example/", "once");
        CoapUri second = new Uri("coap://parsed.example/once");
        Assert.Same(first, second);
        Assert.Null((CoapUri?)(string?)null);
        Assert.Null((CoapUri?)(Uri?)null);
    }

    [Theory]
    [InlineData("/a", "is relative")]
    [InlineData("http://host.example/a", "is not a CoAP URI")]
    public void The_parts_of_a_relative_or_non_CoAP_URI_are_refused(string text, string why)
    {
        CoapUri uri = text;
        Func<object>[] parts =
        [
            () => uri.Host, () => uri.Port, () => uri.IsDefaultPort, () => uri.PathSegments, () => uri.QueryArguments, () => uri.Authority,
        ];
        Assert.All(parts, part => Assert.Throws<InvalidOperationException>(part).Mentions(why));
        Assert.Throws<InvalidOperationException>(() => uri.AddTo([]));
    }

    [Fact]
    public async Task A_base_address_or_a_proxy_that_is_not_an_absolute_CoAP_URI_is_refused()
    {
        await using CoapClient client = new();
        Assert.Throws<ArgumentException>(() => client.BaseAddress = "/a");
        Assert.Throws<ArgumentException>(() => client.BaseAddress = "http://host.example/");
        Assert.Throws<ArgumentException>(() => client.Proxy = "host");
    }

    [Fact]
    public async Task Requests_to_groups_need_a_client_with_an_endpoint()
    {
        await using CoapClient client = new();
        Assert.Throws<ArgumentException>(() => new Wrapped(client).GetFromGroupAsync("coap://224.0.1.187/x"));
        Assert.NotNull(client.Endpoint.GetFromGroupAsync("coap://224.0.1.187/x"));
    }

    [Fact]
    public void Each_request_method_has_at_most_two_overloads()
    {
        string[] names = [.. typeof(CoapClientRequestExtensions).GetMethods().Where(static method => method.IsStatic)
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
