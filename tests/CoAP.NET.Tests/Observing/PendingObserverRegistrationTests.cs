using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Observing;

/// <summary>Who becomes an observer, and who stays one: RFC 7641 section 4.1.</summary>
public sealed class PendingObserverRegistrationTests : ServerObserveTest
{
    [Fact]
    [Rfc("7641-4.1-1", "7641-4.2-1", "7641-4.3.1-1")]
    public async Task A_registration_is_answered_with_the_state_and_every_change_follows()
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartAsync();
        Assert.Equal("61457d344a63ef000160220258ff30", Exchange("41017d344a60536f6273"));
        Change(route, "1");
        string notification = Assert.Single(Transport.TakeSent());
        Assert.Matches("^4145....4a63ef000260220258ff31$", notification);
        Transport.Receive(Peer, $"6000{notification[4..8]}");
        Change(route, "2");
        Assert.Matches("^4145....4a63ef00..60220258ff32$", Assert.Single(Transport.TakeSent()));
        Assert.Equal(1, Server.ObserverCount);
    }

    [Theory]
    [Rfc("7641-4.2-1")]
    [InlineData("")]
    [InlineData("0011223344556677")]
    [InlineData("00112233445566778899aabb")]
    public async Task A_notification_has_the_token_of_its_registration(string token)
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartAsync();
        Register(Peer, token: token);
        Change(route, "1");
        Assert.Equal(token, Wire.Hex(TokenOf(TakeOne())));
    }

    [Fact]
    [Rfc("7641-4.1-2")]
    public async Task A_repeated_registration_replaces_the_previous_and_another_token_is_another_observer()
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartAsync();
        uint first = NumberOf(Register(Peer))!.Value;
        uint second = NumberOf(Register(Peer))!.Value;
        Assert.True(IsLater(first, second));
        Assert.Equal(1, Server.ObserverCount);
        Change(route, "1");
        Acknowledge(Peer, TakeOne());
        Settle();
        Assert.Empty(TakeNew());

        Register(Peer, token: "4b");
        Register(Other);
        Assert.Equal(3, Server.ObserverCount);
        Change(route, "2");
        var sent = TakeNew();
        Assert.Equal(2, sent.Count);
        Acknowledge(Peer, sent.Single(item => item.Peer == Peer).Message);
        Settle();
        Assert.Equal("2", TextOf(TakeOne()));
    }

    [Fact]
    [Rfc("7641-4.1-2")]
    public async Task A_registration_for_another_resource_with_the_same_token_ends_the_previous_observation()
    {
        CoapRouteHandlerBuilder route = MapState();
        CoapRouteHandlerBuilder other = MapState("/other");
        await StartAsync();
        Register(Peer);
        Register(Peer, "/other");
        Assert.Equal(1, Server.ObserverCount);
        Change(route, "1");
        Assert.Empty(TakeNew());
        Change(other, "2");
        Assert.Equal("2", TextOf(TakeOne()));
    }

    [Fact]
    [Rfc("7641-4.1-3")]
    public async Task A_registration_beyond_MaxObservers_is_answered_as_a_plain_request()
    {
        Options.Limits.Observe.MaxObservers = 3;
        Options.Limits.Observe.MaxObserversPerPeer = 2;
        MapState();
        await StartAsync();
        Register(Peer, token: "01");
        Register(Peer, token: "02");
        Assert.Null(NumberOf(Ask(Peer, "/obs", token: "03")!));
        Register(Peer, token: "02");
        Register(Other, token: "01");
        CoapMessage plain = Ask(Other, "/obs", token: "02")!;
        Assert.Equal("0", TextOf(plain));
        Assert.Null(NumberOf(plain));
        Assert.False(plain.Options.Contains(OptionNumber.MaxAge));
        Assert.Equal(3, Server.ObserverCount);
        Assert.Equal(2, Server.Counters[CoapCounter.RegistrationsRefused]);
        Ask(Peer, "/obs", 1, "01");
        Register(Other, token: "02");
    }

    [Fact]
    [Rfc("7641-4.1-4")]
    public async Task Observe_1_ends_an_observation_and_is_answered_as_a_plain_request()
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartAsync();
        CoapMessage unknown = Ask(Peer, "/obs", 1)!;
        Assert.Equal("0", TextOf(unknown));
        Assert.Null(NumberOf(unknown));
        Register(Peer);
        Register(Peer, token: "4b");
        Assert.Null(NumberOf(Ask(Peer, "/obs", 1)!));
        Assert.Equal(1, Server.ObserverCount);
        Ask(Peer, "/obs", 1, "4b");
        AssertNobody();
        Change(route, "1");
        Assert.Empty(TakeNew());
    }

    [Fact]
    [Rfc("7641-4.1-4")]
    public async Task Observe_1_ends_the_retransmission_of_a_notification()
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartAsync();
        Register(Peer);
        Change(route, "1");
        TakeOne();
        Ask(Peer, "/obs", 1);
        Pass(200);
        Assert.Empty(TakeNew());
        AssertNobody();
    }

    [Theory]
    [Rfc("7641-2-1")]
    [InlineData(2)]
    [InlineData(0xffffff)]
    public async Task Observe_values_other_than_0_and_1_count_as_absent(uint value)
    {
        MapState();
        await StartAsync();
        Assert.Null(NumberOf(Ask(Peer, "/obs", value)!));
        AssertNobody();
        Register(Peer);
        Assert.Null(NumberOf(Ask(Peer, "/obs", value)!));
        Assert.Equal(1, Server.ObserverCount);
    }

    [Fact]
    [Rfc("7641-4.1-5")]
    public async Task A_plain_request_with_another_token_ends_no_observation_and_an_error_registers_none()
    {
        CoapRouteHandlerBuilder route = MapState();
        Server.MapGet("/missing", () => CoapResults.NotFound()).Observable();
        await StartAsync();
        CoapMessage error = Ask(Peer, "/missing")!;
        Assert.Equal(CoapCode.NotFound, error.Code);
        Assert.Null(NumberOf(error));
        Assert.Null(NumberOf(Ask(Peer, "/nowhere")!));
        AssertNobody();
        Register(Peer);
        Assert.Null(NumberOf(Ask(Peer, "/obs", null, "4b")!));
        Change(route, "1");
        Assert.Equal("1", TextOf(TakeOne()));
    }

    [Fact]
    [Rfc("7641-4.1-5")]
    public async Task An_Observe_option_set_by_a_handler_is_replaced_and_is_absent_from_an_error_response()
    {
        CoapRouteHandlerBuilder route = Server.MapGet("/obs", () => With(CoapResults.Text(State))).Observable();
        Server.MapGet("/missing", () => With(CoapResults.NotFound())).Observable();
        await StartAsync();

        CoapMessage answer = Register(Peer);
        Change(route, "1");
        CoapMessage notification = TakeOne();
        CoapMessage error = Ask(Peer, "/missing", token: "4b")!;

        Assert.Single(answer.Options, static option => option.Number == OptionNumber.Observe);
        Assert.Single(notification.Options, static option => option.Number == OptionNumber.Observe);
        Assert.Equal(NumberOf(answer) + 1, NumberOf(notification));
        Assert.Equal(CoapCode.NotFound, error.Code);
        Assert.Null(NumberOf(error));

        static CoapResult With(CoapResult result) => result.With(new CoAP.NET.ObserveOption(7));
    }

    [Fact]
    [Rfc("7641-4.1-5", "7641-4.1-3")]
    public async Task Only_GET_and_FETCH_routes_marked_Observable_can_be_observed()
    {
        Server.MapGet("/plain", () => "x");
        Server.MapPut("/obs", () => CoapResults.Changed()).Observable();
        await StartAsync();
        Assert.Null(NumberOf(Ask(Peer, "/plain")!));
        Assert.Null(NumberOf(Ask(Peer, "/obs", method: CoapMethod.Put)!));
        AssertNobody();
    }

    [Fact]
    [Rfc("7641-8132-1")]
    public async Task FETCH_is_observed_with_its_payload()
    {
        string state = "1";
        CoapRouteHandlerBuilder route = Server.MapFetch("/fetch", request => CoapResults.Text(request.GetText() + state)).Observable();
        await StartAsync();
        void With(CoapMessage message, string payload)
        {
            message.Options.AddUInt(OptionNumber.ContentFormat, 0);
            message.Payload = Encoding.UTF8.GetBytes(payload);
        }

        Assert.Equal("a1", TextOf(Ask(Peer, "/fetch", 0, "01", CoapMethod.Fetch, more: message => With(message, "a"))!));
        Assert.Equal("b1", TextOf(Ask(Other, "/fetch", 0, "02", CoapMethod.Fetch, more: message => With(message, "b"))!));
        Assert.Equal(2, Server.ObserverCount);
        state = "2";
        route.Notify();
        Settle();
        var sent = TakeNew();
        Assert.Equal("a2", TextOf(sent.Single(item => item.Peer == Peer).Message));
        Assert.Equal("b2", TextOf(sent.Single(item => item.Peer == Other).Message));
    }

    [Fact]
    [Rfc("7641-6-1")]
    public async Task An_observable_route_is_listed_with_a_single_obs_attribute_without_a_value()
    {
        Server.MapGet("/a", () => "x").Observable();
        Server.MapGet("/b", () => "x").Observable().WithAttribute("obs");
        Server.MapPost("/c", () => CoapResults.Changed()).Observable();
        Server.MapGet("/d", () => "x");
        Server.MapGroup("/g").Observable().MapGet("/e", () => "x");
        Server.Map(new Light());
        await StartAsync();
        string links = TextOf(Ask(Peer, "/.well-known/core", null)!);
        Assert.Equal("</a>;obs,</b>;obs,</c>,</d>,</g/e>;obs,</light>;obs", links);
    }

    [Fact]
    public async Task A_resource_class_notifies_its_observers()
    {
        Light light = new();
        Server.Map(light);
        await StartAsync();
        CoapMessage answer = Register(Peer, "/light");
        Assert.True(answer.Options.TryGetUInt(OptionNumber.MaxAge, out uint age));
        Assert.Equal(30u, age);
        light.IsOn = true;
        light.Notify();
        Settle();
        CoapMessage notification = TakeOne();
        Assert.Equal("on", TextOf(notification));
        Assert.Equal(CoapMessageType.NonConfirmable, notification.Type);
    }

    [Fact]
    [Rfc("7641-4.1-1")]
    public async Task Notify_with_a_path_notifies_only_its_observers_and_Notify_of_the_route_notifies_all()
    {
        CoapRouteHandlerBuilder route = Server.MapGet("/devices/{id}", request => request.Route["id"] + State).Observable();
        await StartAsync();
        Register(Peer, "/devices/7");
        Register(Other, "/devices/8 9");
        State = "1";
        Server.Notify("/devices/8%209");
        Settle();
        CoapMessage one = TakeOne();
        Assert.Equal("8 91", TextOf(one));
        Acknowledge(Other, one);
        Server.Notify("/devices/9");
        Server.Notify("/nobody/there");
        Settle();
        Assert.Empty(TakeNew());
        State = "2";
        route.Notify();
        Settle();
        Assert.Equal(["72", "8 92"], TakeNew().Select(sent => TextOf(sent.Message)).Order());
        ArgumentException bad = Assert.Throws<ArgumentException>("path", () => Server.Notify("/bad%zz"));
        bad.Mentions("Write %25 for a percent sign.");
    }

    [Fact]
    [Rfc("gc-3.7-1")]
    public async Task A_unicast_registration_with_the_token_of_a_group_registration_is_the_same_observation()
    {
        CoapRouteHandlerBuilder route = MapState().AllowMulticast();
        await StartAsync();
        Transport.Receive(Peer, "510100014a60536f6273", CoAP.NET.CoapAddress.FromIPv4(0xe00001bb, 5683));
        Pass(10);
        Assert.Equal(1, Server.ObserverCount);
        Register(Peer);
        Assert.Equal(1, Server.ObserverCount);
        Change(route, "1");
        Assert.Equal("1", TextOf(TakeOne()));
    }

    private static byte[] TokenOf(CoapMessage message)
    {
        byte[] bytes = new byte[message.Token.Length];
        message.Token.CopyTo(bytes);
        return bytes;
    }

    private sealed class Light : CoapResource
    {
        public Light()
            : base("/light")
        {
            Observable = new() { MaxAge = FromSeconds(30), Confirmable = false };
        }

        public bool IsOn { get; set; }

        protected override ValueTask<CoapResult> GetAsync(CoapRequestContext request, CancellationToken cancellationToken) =>
            new(CoapResults.Text(IsOn ? "on" : "off"));
    }
}
