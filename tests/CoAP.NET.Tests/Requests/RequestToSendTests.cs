namespace CoAP.NET.Tests.Requests;

/// <summary>What a request that is to be sent says of itself.</summary>
public sealed class RequestToSendTests
{
    [Theory]
    [InlineData("coap://192.0.2.1/api/state/7?x=1&y", "/api/state/7", "x=1|y")]
    [InlineData("coap://192.0.2.1", "/", "")]
    [InlineData("/3/0?b", "/3/0", "b")]
    [InlineData("coap://192.0.2.1/gr%C3%BCn/x y", "/grün/x y", "")]
    public void Path_and_Queries_of_a_request_are_those_to_be_sent(string uri, string path, string queries)
    {
        CoapRequest request = new(CoapMethod.Get, uri);
        Assert.Equal((path, queries), (request.Path, string.Join('|', request.Queries)));
    }

    [Fact]
    public void Options_added_by_the_caller_precede_the_options_of_the_URI()
    {
        CoapRequest request = new(CoapMethod.Get, "coap://192.0.2.1/b?d");
        request.Options.Add(new UriPathOption("a"));
        request.Options.Add(new UriQueryOption("c=1"));
        Assert.Equal(("/a/b", "c=1|d"), (request.Path, string.Join('|', request.Queries)));
        Assert.True(request.TryGetQuery("c", out string? value));
        Assert.Equal("1", value);
        Assert.True(request.TryGetQuery("d", out _));
    }

    [Fact]
    public void CoapRequest_and_CoapRequestContext_share_only_common_members()
    {
        string[] both =
        [
            "Accept", "Code", "Confirmable", "ContentFormat", "Host", "Message", "Method", "NoResponse", "Options", "Path", "Payload",
            "Queries",
        ];
        IEnumerable<string> toSend = typeof(CoapRequest).GetProperties().Select(static property => property.Name);
        IEnumerable<string> received = typeof(CoapRequestContext).GetProperties().Select(static property => property.Name);
        Assert.Equal(both, toSend.Intersect(received).Order(StringComparer.Ordinal));
        Assert.Equal("Services",
            Assert.Single(typeof(CoapRequestContext).GetProperties(), static property => property.SetMethod is { IsPublic: true }).Name);
    }

    [Fact]
    public void A_text_that_is_no_URI_has_no_path() =>
        Assert.Throws<CoapFormatException>(() => new CoapRequest(CoapMethod.Get, "http://192.0.2.1/x").Path);
}
