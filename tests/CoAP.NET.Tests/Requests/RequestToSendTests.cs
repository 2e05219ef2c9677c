using CoAP.NET.Options;

namespace CoAP.NET.Tests.Requests;

/// <summary>What a request that is to be sent says of itself.</summary>
public sealed class RequestToSendTests
{
    [Theory]
    [InlineData("coap://192.0.2.1/api/state/7?x=1&y", "/api/state/7", "x=1|y")]
    [InlineData("coap://192.0.2.1", "/", "")]
    [InlineData("/3/0?b", "/3/0", "b")]
    [InlineData("coap://192.0.2.1/gr%C3%BCn/x y", "/grün/x y", "")]
    public void Path_and_queries_are_those_that_will_be_sent(string uri, string path, string queries)
    {
        CoapRequest request = new(CoapMethod.Get, uri);
        Assert.Equal((path, queries), (request.Path, string.Join('|', request.Queries)));
    }

    [Fact]
    public void Options_that_the_caller_added_stand_before_those_of_the_URI()
    {
        CoapRequest request = new(CoapMethod.Get, "coap://192.0.2.1/b?d");
        request.Options.Add(new UriPath("a"));
        request.Options.Add(new UriQuery("c=1"));
        Assert.Equal(("/a/b", "c=1|d"), (request.Path, string.Join('|', request.Queries)));
        Assert.True(request.TryGetQuery("c", out string? value));
        Assert.Equal("1", value);
        Assert.True(request.TryGetQuery("d", out _));
    }

    [Fact]
    public void What_only_received_requests_have_says_so()
    {
        CoapRequest request = new(CoapMethod.Get, "coap://192.0.2.1/x");
        Assert.Throws<InvalidOperationException>(() => request.Peer);
        Assert.Throws<InvalidOperationException>(() => request.BodyReader);
        Assert.Throws<InvalidOperationException>(() => request.IsFresh(TimeSpan.FromMinutes(1)));
        Assert.Null(request.EchoAge);
        Assert.False(request.Aborted.CanBeCanceled);
    }

    [Fact]
    public void A_text_that_is_no_URI_has_no_path() =>
        Assert.Throws<CoapUriException>(() => new CoapRequest(CoapMethod.Get, "http://192.0.2.1/x").Path);
}
