using System.Net;
using CoAP.NET.Tests.Blockwise;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>A client whose requests go to a forward proxy (RFC 7252 section 5.10.2).</summary>
public sealed class ClientProxyTests : ClientTest
{
    private static readonly CoapUri s_proxy = CoapUri.Parse("coap://192.0.2.1");

    [Theory]
    [InlineData("coap://lamp.example/a%2Fb?x=1", "coap://lamp.example/a%2Fb?x=1")]
    [InlineData("COAP://Lamp.Example:5683", "coap://lamp.example/")]
    [InlineData("coap://[fe80::7%25eth0]/a", "coap://[fe80::7]/a")]
    [InlineData("coap+tcp://192.0.2.7:61616/gr\u00fcn", "coap+tcp://192.0.2.7:61616/gr%C3%BCn")]
    [InlineData("http://www.example/a?b", "http://www.example/a?b")]
    [Rfc("7252-5.10.2-2")]
    public void A_client_with_a_proxy_sends_its_requests_to_the_proxy_with_Proxy_Uri(string uri, string named)
    {
        Client.Proxy = s_proxy;
        _ = Client.GetAsync(uri);
        CoapMessage sent = TakeMessage();

        Assert.Equal(named, sent.Options.ProxyUri);
        Assert.Equal([OptionNumber.ProxyUri], sent.Options.Select(static option => option.Number));
    }

    [Fact]
    public void A_relative_URI_and_a_discovery_query_are_completed_for_Proxy_Uri()
    {
        Options.Parameters = CoapTransmissionParameters.Default with { NStart = 2 };
        Client.Proxy = s_proxy;
        Client.BaseAddress = new CoapUri("coap://lamp.example/api/");
        _ = Client.DiscoverAsync("", "rt=light");

        Assert.Equal("coap://lamp.example/.well-known/core?rt=light", TakeMessage().Options.ProxyUri);
        _ = Client.GetAsync("http://www.example/");
        Assert.Equal("http://www.example/", TakeMessage().Options.ProxyUri);
    }

    [Fact]
    [Rfc("7252-5.10.2-3")]
    public void A_URI_too_long_for_Proxy_Uri_is_sent_by_Proxy_Scheme()
    {
        Client.Proxy = new CoapUri("coap://two.example:5690");
        string[] path = [.. Enumerable.Repeat(new string('a', 205), 5)];
        _ = Client.GetAsync($"coap+tcp://[2001:db8::7]/{string.Join('/', path)}?q");

        CoapMessage sent = TakeMessage();
        Assert.Equal(("coap+tcp", "[2001:db8::7]", 5683), (sent.Options.ProxyScheme, sent.Options.UriHost, sent.Options.UriPort));
        Assert.Equal(path, sent.Options.UriPath);
        Assert.Equal(["q"], sent.Options.UriQuery);
    }

    [Theory]
    [InlineData("coap://lamp.example/a?b", "coap", "lamp.example", null)]
    [InlineData("coap://lamp.example:5690/a?b", "coap", "lamp.example", 5690)]
    [InlineData("http://www.example/a?b", "http", "www.example", 80)]
    [InlineData("https://www.example:8443/a?b", "https", "www.example", 8443)]
    public void WithProxy_names_the_target_by_Proxy_Scheme_on_demand(string uri, string scheme, string host, int? port)
    {
        CoapRequest request = new CoapRequest(CoapMethod.Get, uri).WithProxy(CoapUri.Parse("coap://127.0.0.1"), proxyScheme: true);

        Assert.Equal((scheme, host, port), (request.Options.ProxyScheme, request.Options.UriHost, request.Options.UriPort));
        Assert.Equal(["a"], request.Options.UriPath);
        Assert.Equal(["b"], request.Options.UriQuery);
        Assert.Equal(new CoapUri("coap://127.0.0.1"), request.Uri);
    }

    [Theory]
    [InlineData("82")]
    [InlineData("a1")]
    [Rfc("7252-5.10.2-3")]
    public async Task A_proxy_that_refuses_Proxy_Uri_is_asked_by_Proxy_Scheme_again_and_for_later_requests(string refusal)
    {
        Client.Proxy = s_proxy;
        Task<CoapResponse> first = Client.PutAsync("coap+tcp://lamp.example:5690/a?b", CoapContent.Text("on"));
        Refuse(refusal);
        CoapMessage byScheme = Answered(out Sent sent);
        Transport.Receive(s_server, $"6444{sent.MessageId}{sent.Token}");
        await Within(first).Gives(CoapCode.Changed);
        _ = Client.GetAsync("coap://lamp.example/next");

        Assert.Null(byScheme.Options.ProxyUri);
        Assert.Equal(
            ("coap+tcp", "lamp.example", 5690), (byScheme.Options.ProxyScheme, byScheme.Options.UriHost, byScheme.Options.UriPort));
        Assert.Equal(["a"], byScheme.Options.UriPath);
        Assert.Equal(["b"], byScheme.Options.UriQuery);
        Assert.Equal("on", Encoding.UTF8.GetString(byScheme.Payload.Span));
        Assert.Equal(("coap", null), (Answered(out _) is var later ? later.Options.ProxyScheme : null, later.Options.ProxyUri));
    }

    [Fact]
    public async Task A_refusal_of_both_proxy_forms_is_the_response_and_the_next_request_starts_with_Proxy_Uri()
    {
        Client.Proxy = s_proxy;
        Task<CoapResponse> first = Client.GetAsync("coap://lamp.example/a");
        Refuse("82");
        Refuse("82");
        await Within(first).Gives(CoapCode.BadOption);

        _ = Client.GetAsync("coap://lamp.example/a");
        Assert.NotNull(TakeMessage().Options.ProxyUri);
    }

    [Fact]
    public async Task A_request_with_a_non_seekable_stream_is_not_repeated_by_Proxy_Scheme()
    {
        Client.Proxy = s_proxy;
        using PatternStream body = new(10, canSeek: false);
        Task<CoapResponse> sent = Client.PutAsync("coap://lamp.example/a", CoapContent.Stream(body));
        Refuse("a1");

        await Within(sent).Gives(CoapCode.NotImplemented);
    }

    [Theory]
    [InlineData("82")]
    [InlineData("a1")]
    public async Task A_refused_registration_by_Proxy_Uri_is_repeated_by_Proxy_Scheme_without_a_notification(string refusal)
    {
        Client.Proxy = s_proxy;
        List<CoapCode> told = [];
        Task<CoapObservation> observing = Client.ObserveAsync(
            new CoapRequest(CoapMethod.Get, "coap://lamp.example/a"),
            new CoapObservationOptions { OnNotification = response => told.Add(response.Code) });
        Refuse(refusal);
        CoapMessage byScheme = Answered(out Sent sent);
        Transport.Receive(s_server, $"6445{sent.MessageId}{sent.Token}6101");
        await using CoapObservation observation = await Within(observing);

        Assert.Equal(("coap", "lamp.example", 0u), (byScheme.Options.ProxyScheme, byScheme.Options.UriHost, byScheme.Options.Observe));
        Assert.Equal(CoapObserveState.Observing, observation.State);
        Assert.Equal([CoapCode.Content], told);
    }

    [Fact]
    public async Task A_registration_by_Proxy_Scheme_has_a_single_Uri_Host()
    {
        CoapRequest request = new CoapRequest(CoapMethod.Get, "coap://lamp.example/a")
            .WithProxy(CoapUri.Parse("coap://gateway.example"), proxyScheme: true);
        Task<CoapObservation> observing = Client.ObserveAsync(request);
        CoapMessage sent = TakeMessage();

        Assert.Equal(["lamp.example"], sent.Options.GetAll<UriHostOption>().Select(static host => host.Value));
        await Client.DisposeAsync();
        await Assert.ThrowsAnyAsync<Exception>(() => Within(observing));
    }

    [Fact]
    public void A_request_with_its_own_Proxy_Uri_is_sent_to_its_own_proxy()
    {
        Client.Proxy = s_proxy;
        CoapRequest request = new(CoapMethod.Get, "coap://192.0.2.9");
        request.Options.Add(new ProxyUriOption("coap://other.example/"));
        Transport.OnSent = static (remote, _) => Assert.Equal(s_stranger, remote);
        _ = Client.SendAsync(request);

        Assert.Equal("coap://other.example/", TakeMessage().Options.ProxyUri);
        Assert.Throws<ArgumentException>(() => request.WithProxy(s_proxy));
    }

    [Theory]
    [InlineData("coaps://lamp.example/", "coap://192.0.2.1", false)]
    [InlineData("https://www.example/", "coap+tcp://gateway.example", false)]
    [InlineData("coaps://lamp.example/", "coaps+tcp://gateway.example", true)]
    [InlineData("coaps://lamp.example/", "coap://[::1]", true)]
    [InlineData("coap://lamp.example/", "coap://192.0.2.1", true)]
    [Rfc("7252-5.7-1")]
    public void A_secured_request_is_not_sent_to_a_proxy_over_an_unsecured_scheme(string uri, string proxy, bool isSent)
    {
        CoapRequest request = new(CoapMethod.Get, uri);
        ArgumentException? error = Record.Exception(() => request.WithProxy(CoapUri.Parse(proxy))) as ArgumentException;

        Assert.Equal(isSent, error is null);
        Assert.True(isSent || error!.Message.Contains("coaps+tcp", Ordinal));
    }

    [Theory]
    [InlineData("http://user:secret@www.example/", "user information")]
    [InlineData("http://www.example/#part", "fragment")]
    [InlineData("mailto:somebody", "The scheme 'mailto'")]
    [InlineData("coap://lamp.example/#part", "fragment")]
    [InlineData("coap://lamp.example:0/", "port 0")]
    public async Task A_URI_that_no_proxy_can_be_asked_for_is_refused(string uri, string expected)
    {
        Client.Proxy = s_proxy;
        Exception error = await Assert.ThrowsAnyAsync<Exception>(() => Within(Client.GetAsync(uri)));

        Assert.True(error is ArgumentException or CoapFormatException, error.ToString());
        error.Message.Omits("secret");
        error.Mentions(expected);
        Transport.HasSentNothing();
    }

    [Fact]
    public void A_proxy_address_with_a_path_or_query_and_a_group_request_through_a_proxy_are_refused()
    {
        Assert.Throws<ArgumentException>(() => Client.Proxy = new CoapUri("coap://192.0.2.1/path"));
        Assert.Throws<ArgumentException>(() => new CoapRequest(CoapMethod.Get, "coap://h/").WithProxy(CoapUri.Parse("coap://h?q")));
        Client.Proxy = s_proxy;
        Assert.Throws<InvalidOperationException>(
            () => Client.SendToGroupAsync(new CoapRequest(CoapMethod.Get, "coap://224.0.1.187/x") { Confirmable = false }));
    }

    private void Refuse(string code)
    {
        Sent sent = TakeOne();
        Transport.Receive(s_server, $"64{code}{sent.MessageId}{sent.Token}");
    }

    private CoapMessage Answered(out Sent sent) => Read(Wire.Hex((sent = TakeOne()).Hex));

    private CoapMessage TakeMessage() => Read(Wire.Hex(TakeOne().Hex));

    private static CoapMessage Read(byte[] bytes) => new CoAP.NET.CoapDatagramSerializer().Deserialize(bytes);
}
