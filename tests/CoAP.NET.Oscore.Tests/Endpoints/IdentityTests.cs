using System.Collections.Concurrent;
using CoAP.NET.Oscore.Protection;

namespace CoAP.NET.Oscore.Tests.Endpoints;

/// <summary>Whoever has the keys of a context is one peer, wherever its messages come from, and nobody else is.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class IdentityTests : IAsyncLifetime
{
    private const string OtherSecret = "ffeeddccbbaa99887766554433221100";

    private readonly OscoreWorld _world = new();
    private readonly CoapServer _server;
    private readonly ConcurrentDictionary<string, CoapQuotaSource> _sources = new();
    private readonly CoapRouteHandlerBuilder _state;

    public IdentityTests()
    {
        _server = _world.Server(OscoreWorld.ServerContext(client: "02"), OscoreWorld.ServerContext(client: "03", secret: OtherSecret));
        _server.MapGet("/who/{name}", request =>
        {
            _sources[$"{request.Route["name"]}"] = request.Peer.Source;
            return CoapResults.Text("");
        });
        _state = _server.MapGet("/state", () => CoapResults.Text("on")).Observable();
    }

    public async ValueTask InitializeAsync() => await _server.StartAsync();

    public async ValueTask DisposeAsync() => await _world.DisposeAsync();

    [Fact]
    public async Task The_source_of_a_protected_request_is_its_context_and_not_its_address()
    {
        OscoreContext one = OscoreWorld.ClientContext(client: "02");
        OscoreContext other = OscoreWorld.ClientContext(client: "03", secret: OtherSecret);

        Ask(one, 0, "[2001:db8::2]:1000", "/who/one");
        Ask(other, 0, "[2001:db8::2]:1000", "/who/other");
        Ask(one, 1, "[2001:db8:0:1000::9]:2000", "/who/moved");
        Ask(null, 0, "[2001:db8::2]:1000", "/who/plain");
        await _world.Clock.AdvanceUntilAsync(() => _sources.Count == 4, FromMinutes(1));

        Assert.Equal(_sources["one"], _sources["moved"]);
        Assert.Equal(3, _sources.Values.Distinct().Count());
        Assert.Null(_sources["plain"].Identity);
    }

    [Fact]
    public async Task An_observer_can_be_renewed_and_cancelled_only_by_its_own_context()
    {
        OscoreContext one = OscoreWorld.ClientContext(client: "02");
        OscoreContext other = OscoreWorld.ClientContext(client: "03", secret: OtherSecret);
        using ScriptedPeer peer = PeerAt("[2001:db8::2]:1000");

        // All of them from one address, with one token.
        await ObserveAsync(peer, one, 0, register: true);
        Assert.Equal(1, _state.ObserverCount);
        await ObserveAsync(peer, other, 0, register: false);
        await ObserveAsync(peer, null, 100, register: false);
        Assert.Equal(1, _state.ObserverCount);

        await ObserveAsync(peer, other, 1, register: true);
        Assert.Equal(2, _state.ObserverCount);
        await ObserveAsync(peer, one, 1, register: true);
        Assert.Equal(2, _state.ObserverCount);
        await ObserveAsync(peer, one, 2, register: false);
        Assert.Equal(1, _state.ObserverCount);
        await ObserveAsync(peer, other, 2, register: false);
        Assert.Equal(0, _state.ObserverCount);
    }

    [Theory]
    [InlineData(1, false)]
    [InlineData(2, true)]
    public async Task The_number_of_remembered_idle_peers_behind_an_address_is_that_of_the_limit(int limit, bool isRemembered)
    {
        List<CoapChannel> channels = [];
        CoapServer server = _world.Server(options =>
        {
            options.Limits.Peers.MaxProtectedPerAddress = limit;
            options.UseOscore(new OscoreContexts().Add(OscoreWorld.ServerContext(client: "02"))
                .Add(OscoreWorld.ServerContext(client: "03", secret: OtherSecret)));
        }, "[2001:db8::9]:5683");
        server.MapGet("/who", request =>
        {
            channels.Add(request.Channel!);
            return CoapResults.Text("");
        });
        await server.StartAsync();
        OscoreContext one = OscoreWorld.ClientContext(client: "02");
        OscoreContext other = OscoreWorld.ClientContext(client: "03", secret: OtherSecret);
        using ScriptedPeer proxy = _world.Network.CreatePeer(
            InMemoryNetwork.Address("[2001:db8::2]:1000"), InMemoryNetwork.Address("[2001:db8::9]:5683"));

        foreach ((OscoreContext context, int number) in ((OscoreContext, int)[])[(one, 0), (other, 0), (one, 1)])
        {
            proxy.Send(Request(context, number, "/who", null));
            await _world.Clock.AdvanceUntilAsync(() => proxy.Pending > 0, FromMinutes(1));
            Assert.NotNull(proxy.Receive());
        }

        Assert.NotSame(channels[0], channels[1]);
        Assert.Equal(isRemembered, ReferenceEquals(channels[0], channels[2]));
    }

    [Fact]
    public async Task An_unprotected_upload_to_an_OSCORE_route_is_refused_at_its_first_block()
    {
        _server.MapPost("/take", request => CoapResults.Changed()).RequireOscore();
        CoapRequest request = new(CoapMethod.Post, OscoreWorld.ServerUri + "/take") { Content = CoapContent.Binary(new byte[5_000]) };

        CoapResponse response = await _world.SendAsync(_world.Client(null), request);

        response.Gives(CoapCode.Unauthorized);
        Assert.Single(_world.Wire, message => message.Code.IsRequest);
    }

    private static byte[] Request(OscoreContext? context, int number, string path, uint? observe)
    {
        CoapMessage message = new(CoapCode.Get)
        {
            Type = CoapMessageType.NonConfirmable,
            MessageId = (ushort)((context is null ? 0 : context.Parameters.SenderId.Span[0] * 1000) + number),
            Token = new CoapToken([1, 2, 3, 4]),
        };
        foreach (string segment in path.Split('/', StringSplitOptions.RemoveEmptyEntries))
        {
            message.Options.AddString(OptionNumber.UriPath, segment);
        }

        message.Options.Observe = observe;
        if (context is not null)
        {
            (CoapMessageType type, ushort id) = (message.Type, message.MessageId);
            message = OscoreMessageCipher.ProtectRequest(
                context, message, new OscoreRequestId(context.Parameters.SenderId.ToArray(), (ulong)number), kidContext: true);
            (message.Type, message.MessageId) = (type, id);
        }

        return CoapDatagramSerializer.Default.Serialize(message);
    }

    private ScriptedPeer PeerAt(string address) =>
        _world.Network.CreatePeer(InMemoryNetwork.Address(address), InMemoryNetwork.Address("[2001:db8::1]:5683"));

    private void Ask(OscoreContext? context, int number, string address, string path)
    {
        using ScriptedPeer peer = PeerAt(address);
        peer.Send(Request(context, number, path, null));
    }

    private async Task ObserveAsync(ScriptedPeer peer, OscoreContext? context, int number, bool register)
    {
        peer.Send(Request(context, number, "/state", register ? 0u : 1u));
        await _world.Clock.AdvanceUntilAsync(() => peer.Pending > 0, FromMinutes(1));
        Assert.NotNull(peer.Receive());
    }
}
