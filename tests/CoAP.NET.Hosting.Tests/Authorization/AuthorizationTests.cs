using System.Security.Principal;

namespace CoAP.NET.Hosting.Tests.Authorization;

public sealed class AuthorizationTests : ServedTest
{
    // Who the peer is, set where a handshake would have done it.
    private volatile ICoapPeerIdentity? _identity;

    public AuthorizationTests() => Server.Routes.AddFilter((request, next, cancellationToken) =>
    {
        request.Channel!.Identity = _identity;
        return next(request, cancellationToken);
    });

    [Fact]
    public async Task An_anonymous_client_gets_4_01_and_a_client_without_permission_gets_4_03()
    {
        Server.MapGet("/any", () => "x").RequireAuthorization();
        Server.MapGet("/ann", () => "x")
            .RequireAuthorization(policy => policy.RequireIdentity<CoapNamedPeerIdentity>(peer => peer.Name == "ann"));
        await StartAsync();

        await AskAsync("/any").Gives(CoapCode.Unauthorized);
        await AskAsync("/ann").Gives(CoapCode.Unauthorized);
        _identity = new CoapNamedPeerIdentity("bob");
        await AskAsync("/any").Gives(CoapCode.Content);
        await AskAsync("/ann").Gives(CoapCode.Forbidden);
        _identity = new CoapNamedPeerIdentity("ann");
        await AskAsync("/ann").Gives(CoapCode.Content);
        _identity = new CoapUserPeerIdentity(new ClaimsPrincipal(new ClaimsIdentity("test")));
        await AskAsync("/ann").Gives(CoapCode.Forbidden);
    }

    [Fact]
    public async Task A_user_who_is_not_authenticated_is_anonymous()
    {
        Server.MapGet("/any", () => "x").RequireAuthorization();
        Server.MapGet("/ann", () => "x").RequireAuthorization(policy => policy.RequireIdentity<ICoapPeerIdentity>(_ => true));
        Server.MapGet("/never", () => "x").RequireAuthorization(policy => policy.Require((CoapAuthorizationContext _) => false));
        await StartAsync();

        foreach (ClaimsPrincipal stranger in new[] { new ClaimsPrincipal(), new ClaimsPrincipal(new ClaimsIdentity()) })
        {
            _identity = new CoapUserPeerIdentity(stranger);
            await AskAsync("/any").Gives(CoapCode.Unauthorized);
            await AskAsync("/ann").Gives(CoapCode.Unauthorized);
            await AskAsync("/never").Gives(CoapCode.Unauthorized);
        }

        foreach (ClaimsPrincipal user in new[]
        {
            new ClaimsPrincipal([new ClaimsIdentity(), new ClaimsIdentity("test")]), new ClaimsPrincipal(new GenericIdentity("ann"))
        })
        {
            _identity = new CoapUserPeerIdentity(user);
            await AskAsync("/any").Gives(CoapCode.Content);
            await AskAsync("/ann").Gives(CoapCode.Content);
            await AskAsync("/never").Gives(CoapCode.Forbidden);
        }
    }

    [Fact]
    public async Task A_server_wide_requirement_applies_to_all_routes_except_those_that_allow_anonymous()
    {
        Server.Routes.RequireAuthorization();
        CoapRouteGroup open = Server.MapGroup("/open").AllowAnonymous();
        open.MapGet("/x", () => "x");
        open.MapGet("/shut", () => "x").RequireAuthorization();
        Server.MapGet("/x", () => "x");
        Server.MapGet("/free", () => "x").RequireAuthorization().AllowAnonymous();
        await StartAsync();

        await AskAsync("/open/x").Gives(CoapCode.Content);
        await AskAsync("/open/shut").Gives(CoapCode.Unauthorized);
        await AskAsync("/x").Gives(CoapCode.Unauthorized);
        await AskAsync("/free").Gives(CoapCode.Content);
        await AskAsync("/.well-known/core").Gives(CoapCode.Unauthorized);
    }

    [Fact]
    public async Task Requirements_of_group_and_route_must_both_be_met()
    {
        Services.AddCoapAuthorization(options =>
        {
            options.AddPolicy("short", policy => policy.Require(context => context.Identity is CoapNamedPeerIdentity { Name.Length: < 4 }));
            options.AddPolicy("a", policy => policy.Require(context => context.Identity is CoapNamedPeerIdentity { Name: ['a', ..] }));
            options.DefaultPolicy = CoapAuthorizationPolicy.Make(
                policy => policy.Require(context => context.Identity is CoapNamedPeerIdentity { Name: "ann" }));
        });
        Server.MapGroup("/g").RequireAuthorization("short").MapGet("/x", () => "x").RequireAuthorization("a");
        Server.MapGet("/both", () => "x").RequireAuthorization("short", "a");
        Server.MapGet("/default", () => "x").RequireAuthorization();
        await StartAsync();

        foreach ((string name, bool passes) in new[] { ("ann", true), ("bob", false), ("annabel", false) })
        {
            _identity = new CoapNamedPeerIdentity(name);
            CoapCode expected = passes ? CoapCode.Content : CoapCode.Forbidden;
            Assert.Equal(expected, (await AskAsync("/g/x")).Code);
            Assert.Equal(expected, (await AskAsync("/both")).Code);
            Assert.Equal(expected, (await AskAsync("/default")).Code);
        }
    }

    [Fact]
    public async Task A_route_with_an_unknown_policy_is_answered_5_00()
    {
        bool runs = false;
        Server.MapGet("/x", () =>
        {
            runs = true;
            return "x";
        }).RequireAuthorization("nothing");
        await StartAsync();

        await AskAsync("/x").Gives(CoapCode.InternalServerError);
        Assert.False(runs);
        Assert.Contains(Logged.Entries, entry => entry.Id == 1500);
    }

    [Fact]
    public async Task Missing_authentication_of_a_scheme_or_a_secured_transport_is_answered_4_01()
    {
        Server.MapGet("/tls", () => "x").RequireAuthorization(policy => policy.RequireSecureTransport());
        Server.MapGet("/tcp", () => "x").RequireAuthorization(policy => policy.RequireScheme("coap+tcp"));
        Server.MapGet("/cert", () => "x").RequireAuthorization(policy => policy.RequireCertificate());
        Services.Configure<CoapServerOptions>(options => options.Listen("coap+tcp://127.0.0.1:0"));
        await StartAsync();

        await AskAsync("/tls").Gives(CoapCode.Unauthorized);
        await AskAsync("/cert").Gives(CoapCode.Unauthorized);
        await AskAsync("/tcp").Gives(CoapCode.Unauthorized);
        await AskAsync("/tcp", endpoint: 1).Gives(CoapCode.Content);
    }

    [Fact]
    public async Task A_client_that_may_not_read_may_not_observe()
    {
        CoapRouteHandlerBuilder route = Server.MapGet("/x", () => "x").Observable().RequireAuthorization();
        await StartAsync();
        await using (CoapObservation refused = await Within(Client().ObserveAsync(Uri("/x"))))
        {
            Assert.Equal(0, Get<CoapServer>().ObserverCount);
        }

        _identity = new CoapNamedPeerIdentity("ann");
        await using CoapObservation observation = await Within(Client().ObserveAsync(Uri("/x")));
        Assert.Equal(1, Get<CoapServer>().ObserverCount);
        await using IAsyncEnumerator<CoapResponse> states = observation.ReadAllAsync().GetAsyncEnumerator();
        Assert.True(await Within(states.MoveNextAsync().AsTask()));
        route.Notify();
        Assert.True(await Within(states.MoveNextAsync().AsTask()));
        states.Current.Says("x");
    }

    [Fact]
    public void Empty_policies_are_refused_when_they_are_defined()
    {
        Assert.Throws<InvalidOperationException>(() => CoapAuthorizationPolicy.Make(_ => { }));
        Assert.Throws<ArgumentException>(() => Server.Routes.RequireAuthorization([]));
        Assert.Throws<ArgumentException>(() => Server.Routes.RequireAuthorization(""));
        Assert.Throws<ArgumentException>(() => CoapAuthorizationPolicy.Make(policy => policy.RequireScheme()));
        Assert.False(default(CoapAuthorizationDecision).IsAllowed);
        Assert.Equal(CoapCode.Forbidden, default(CoapAuthorizationDecision).Answer!.Code);
    }
}
