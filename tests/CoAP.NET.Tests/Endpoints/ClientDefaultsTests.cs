using System.Net;
using System.Net.Sockets;
using CoAP.NET.Errors;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>What the requests of a client have in common, and what a client is after it was disposed.</summary>
public sealed class ClientDefaultsTests : ClientTest
{
    [Theory]
    [InlineData("state", "api/state")]
    [InlineData("/state", "state")]
    [InlineData("", "api")]
    [InlineData("coap://192.0.2.1/other", "other")]
    [InlineData("grün/x y", "api/grün/x y")]
    public async Task A_URI_is_relative_to_the_base_address(string uri, string path)
    {
        Client.BaseAddress = new CoapUri("coap://192.0.2.1/api/");
        Task<CoapResponse> request = Client.GetAsync(uri);
        CoapMessage sent = TakeMessage();

        Assert.Equal(path, string.Join('/', sent.Options.GetAll<UriPathOption>().Select(static segment => segment.Value)).TrimEnd('/'));
        Answer(sent);
        await Within(request);
    }

    [Fact]
    public async Task URIs_of_observations_pings_and_discoveries_are_relative_to_the_base_address()
    {
        Client.BaseAddress = new CoapUri("coap://192.0.2.1");
        Task<CoapObservation> observing = Client.ObserveAsync("/x");
        CoapMessage sent = TakeMessage();
        Assert.Equal("x", sent.Options.Get<UriPathOption>()!.Value);
        Answer(sent);
        await using CoapObservation observation = await Within(observing);
        Task<TimeSpan> ping = Client.PingAsync("");
        Transport.Receive(s_server, $"7000{TakeOne().MessageId}");
        await Within(ping);
        Task<IReadOnlyList<CoapLink>> discovering = Client.DiscoverAsync("?rt=block");
        sent = TakeMessage();
        Assert.Equal(
            "/.well-known/core rt=block", $"/{string.Join('/', sent.Options.GetAll<UriPathOption>().Select(static s => s.Value))} "
                + $"{sent.Options.Get<UriQueryOption>()!.Value}");
        Answer(sent, CoapCode.NotFound);
        await Assert.ThrowsAsync<CoapResponseException>(() => Within(discovering));
    }

    [Fact]
    public void Requests_have_the_Accept_and_the_message_type_of_the_client_unless_they_say_otherwise()
    {
        Client.Accept = CoapContentFormat.Cbor;
        Client.Confirmable = false;
        _ = Client.GetAsync("coap://192.0.2.1/a");
        CoapMessage sent = TakeMessage();
        Assert.Equal(CoapContentFormat.Cbor, sent.Options.Accept);
        Assert.Equal(CoapMessageType.NonConfirmable, sent.Type);
        Client.Confirmable = true;
        _ = Client.SendAsync(new CoapRequest(CoapMethod.Get, "coap://192.0.2.2/b") { Accept = CoapContentFormat.Json });
        sent = TakeMessage();

        Assert.Equal(CoapContentFormat.Json, sent.Options.Accept);
        Assert.Equal(CoapMessageType.Confirmable, sent.Type);
    }

    [Fact]
    public void A_request_ignores_the_defaults_that_it_names()
    {
        (Client.Accept, Client.Confirmable, Client.Timeout) = (CoapContentFormat.Cbor, false, FromSeconds(7));
        Client.Proxy = new CoapUri("coap://192.0.2.7");
        Task<CoapResponse> request = Client.SendAsync(
            new CoapRequest(CoapMethod.Get, "coap://192.0.2.1/a") { IgnoredDefaults = CoapClientDefaultKinds.All });
        CoapMessage sent = TakeMessage();
        Assert.Null(sent.Options.Accept);
        Assert.Null(sent.Options.ProxyUri);
        Assert.Equal(CoapMessageType.Confirmable, sent.Type);
        Clock.Advance(FromSeconds(8));
        Assert.False(request.IsCompleted);
    }

    [Fact]
    public void A_request_that_ignores_one_default_has_the_others()
    {
        (Client.Accept, Client.Confirmable, Client.Proxy) = (CoapContentFormat.Cbor, false, new CoapUri("coap://192.0.2.7"));
        _ = Client.SendAsync(
            new CoapRequest(CoapMethod.Get, "coap://192.0.2.1/a") { IgnoredDefaults = CoapClientDefaultKinds.Accept });
        CoapMessage sent = TakeMessage();
        Assert.Null(sent.Options.Accept);
        Assert.Equal("coap://192.0.2.1/a", sent.Options.ProxyUri);
        Assert.Equal(CoapMessageType.NonConfirmable, sent.Type);
    }

    [Fact]
    public async Task Without_a_base_address_a_relative_URI_is_refused_before_anything_is_sent()
    {
        Client.Timeout = FromSeconds(1);
        ArgumentException error = await Assert.ThrowsAsync<ArgumentException>(() => Within(Client.GetAsync("/x")));
        error.Mentions("BaseAddress");
        await Assert.ThrowsAsync<ArgumentException>(() => Within(Client.PingAsync("")));
        Transport.HasSentNothing();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task The_error_for_a_relative_URI_without_a_base_address_is_the_same_with_and_without_other_defaults(bool hasTimeout)
    {
        if (hasTimeout)
        {
            Client.Timeout = FromSeconds(1);
        }

        ArgumentException get = await Assert.ThrowsAsync<ArgumentException>(() => Within(Client.GetAsync("/x")));
        ArgumentException ping = await Assert.ThrowsAsync<ArgumentException>(() => Within(Client.PingAsync("?a")));

        get.Message.Begins("'/x' is relative, and the client has no base address. Set BaseAddress");
        ping.Message.Begins("'?a' is relative, and the client has no base address. Set BaseAddress");
    }

    [Fact]
    public async Task The_Timeout_of_the_client_ends_requests_that_have_none_of_their_own()
    {
        Client.Timeout = FromSeconds(7);
        Task<CoapResponse> request = Client.GetAsync("coap://192.0.2.1/x");
        Task<CoapResponse> other = Client.SendAsync(
            new CoapRequest(CoapMethod.Get, "coap://192.0.2.9/x") { Timeout = FromSeconds(20) });
        Clock.Advance(FromSeconds(7.2));

        CoapTimeoutException error = await Assert.ThrowsAsync<CoapTimeoutException>(() => Within(request));
        Assert.Equal((CoapTimeLimitKind.RequestTimeout, FromSeconds(7)), (error.EndedBy, error.Limit));
        Assert.False(other.IsCompleted);
    }

    [Fact]
    public void A_Timeout_of_zero_or_less_is_refused()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => Client.Timeout = TimeSpan.Zero);
        Assert.Throws<ArgumentOutOfRangeException>(() => Client.Timeout = FromSeconds(-1));
        Client.Timeout = Timeout.InfiniteTimeSpan;
        Client.Timeout = null;
    }

    [Fact]
    public async Task The_request_of_the_caller_is_not_changed()
    {
        Client.BaseAddress = new CoapUri("coap://192.0.2.1/api/");
        Client.Timeout = FromSeconds(7);
        CoapRequest request = new(CoapMethod.Get, "state");
        Task<CoapResponse> sending = Client.SendAsync(request);
        Answer(TakeMessage());
        await Within(sending);
        Assert.Equal(("state", null), (request.Uri?.ToString(), request.Timeout));
    }

    [Fact]
    public async Task A_disposed_client_throws_ObjectDisposedException()
    {
        await Client.DisposeAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => Within(Client.GetAsync("coap://192.0.2.1/x")));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => Within(Client.ObserveAsync("coap://192.0.2.1/x")));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => Within(Client.PingAsync("coap://192.0.2.1")));
        Assert.Throws<ObjectDisposedException>(
            () => Client.SendToGroupAsync(new CoapRequest(CoapMethod.Get, "coap://224.0.1.187/x") { Confirmable = false }));
    }

    [Theory]
    [InlineData(SocketError.HostNotFound)]
    [InlineData(SocketError.TryAgain)]
    public async Task A_host_name_that_cannot_be_resolved_fails_with_NameResolution(SocketError cause)
    {
        Options.Transports.ResolveHost = (_, _) => Task.FromException<IPAddress[]>(new SocketException((int)cause));
        CoapException error =
            await Failure.OfAsync(CoapError.NameResolution, () => Within(Client.GetAsync("coap://nowhere.example/x")));
        Assert.Equal(cause, Assert.IsType<CoapConnectionException>(error).SocketError);
        error.Mentions("'nowhere.example'");
    }

    [Fact]
    public async Task A_host_name_without_an_address_fails_with_NameResolution()
    {
        Options.Transports.ResolveHost = static (_, _) => Task.FromResult<IPAddress[]>([]);
        CoapException error =
            await Failure.OfAsync(CoapError.NameResolution, () => Within(Client.GetAsync("coap://empty.example/x")));
        Assert.Equal(SocketError.NoData, Assert.IsType<CoapConnectionException>(error).SocketError);
    }

    [Theory]
    [InlineData("coap://192.0.2.1", "")]
    [InlineData("coap://192.0.2.1/", "")]
    [InlineData("coap://192.0.2.1?rt=block", "rt=block")]
    [InlineData("coap://192.0.2.1/?rt=block", "rt=block")]
    [InlineData("coap://192.0.2.1/ignored?rt=block", "rt=block")]
    public async Task A_discovery_asks_the_well_known_resource_with_the_query_of_the_URI(string uri, string query)
    {
        Task<IReadOnlyList<CoapLink>> discovering = Client.DiscoverAsync(uri);
        CoapMessage sent = TakeMessage();

        Assert.Equal([".well-known", "core"], sent.Options.GetAll<UriPathOption>().Select(static segment => segment.Value));
        Assert.Equal(query, string.Join('&', sent.Options.GetAll<UriQueryOption>().Select(static argument => argument.Value)));
        Answer(sent, CoapCode.NotFound);
        await Assert.ThrowsAsync<CoapResponseException>(() => Within(discovering));
    }

    private CoapMessage TakeMessage() => new CoAP.NET.CoapDatagramSerializer().Deserialize(Wire.Hex(TakeOne().Hex));

    private void Answer(CoapMessage request, CoapCode? code = null)
    {
        CoapMessage answer = new(code ?? CoapCode.Content)
        {
            Type = CoapMessageType.Acknowledgement,
            MessageId = request.MessageId,
            Token = request.Token,
        };
        Transport.Receive(s_server, new CoAP.NET.CoapDatagramSerializer().Serialize(answer));
    }
}
