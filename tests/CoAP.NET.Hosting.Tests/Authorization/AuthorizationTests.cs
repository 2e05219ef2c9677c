using System.Security.Claims;
using System.Security.Principal;
using CoAP.NET.Hosting.Tests.Filters;
using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.Hosting.Tests.Authorization;

public sealed class AuthorizationTests : ServedTest
{
    // Who the peer is, set where a handshake would have done it.
    private volatile object? _identity;

    public AuthorizationTests() => Server.Routes.AddFilter((request, next, cancellationToken) =>
    {
        request.Channel!.Identity = _identity;
        return next(request, cancellationToken);
    });

    [Fact]
    public async Task Who_is_unknown_gets_4_01_and_who_may_not_4_03()
    {
        Server.MapGet("/any", () => "x").RequireAuthorization();
        Server.MapGet("/ann", () => "x").RequireAuthorization(policy => policy.RequireIdentity<string>(name => name == "ann"));
        await StartAsync();

        Assert.Equal(CoapCode.Unauthorized, (await AskAsync("/any")).Code);
        Assert.Equal(CoapCode.Unauthorized, (await AskAsync("/ann")).Code);
        _identity = "bob";
        Assert.Equal(CoapCode.Content, (await AskAsync("/any")).Code);
        Assert.Equal(CoapCode.Forbidden, (await AskAsync("/ann")).Code);
        _identity = "ann";
        Assert.Equal(CoapCode.Content, (await AskAsync("/ann")).Code);
        _identity = 7;
        Assert.Equal(CoapCode.Forbidden, (await AskAsync("/ann")).Code);
    }

    [Fact]
    public async Task A_user_who_has_not_logged_in_is_nobody()
    {
        Server.MapGet("/any", () => "x").RequireAuthorization();
        Server.MapGet("/ann", () => "x").RequireAuthorization(policy => policy.RequireIdentity<object>(static _ => true));
        Server.MapGet("/never", () => "x").RequireAuthorization(policy => policy.Require(static (CoapAuthorizationContext _) => false));
        await StartAsync();

        foreach (object stranger in new object[]
        {
            new ClaimsPrincipal(), new ClaimsPrincipal(new ClaimsIdentity()), new ClaimsIdentity(), new GenericIdentity("")
        })
        {
            _identity = stranger;
            Assert.Equal(CoapCode.Unauthorized, (await AskAsync("/any")).Code);
            Assert.Equal(CoapCode.Unauthorized, (await AskAsync("/ann")).Code);
            Assert.Equal(CoapCode.Unauthorized, (await AskAsync("/never")).Code);
        }

        foreach (object user in new object[]
        {
            new ClaimsPrincipal([new ClaimsIdentity(), new ClaimsIdentity("test")]), new ClaimsIdentity("test"), new GenericIdentity("ann")
        })
        {
            _identity = user;
            Assert.Equal(CoapCode.Content, (await AskAsync("/any")).Code);
            Assert.Equal(CoapCode.Content, (await AskAsync("/ann")).Code);
            Assert.Equal(CoapCode.Forbidden, (await AskAsync("/never")).Code);
        }
    }

    [Fact]
    public async Task A_server_wide_requirement_holds_for_all_but_routes_that_let_everybody_pass()
    {
        Server.Routes.RequireAuthorization();
        CoapRouteGroup open = Server.MapGroup("/open").AllowAnonymous();
        open.MapGet("/x", () => "x");
        open.MapGet("/shut", () => "x").RequireAuthorization();
        Server.MapGet("/x", () => "x");
        Server.MapGet("/free", () => "x").RequireAuthorization().AllowAnonymous();
        await StartAsync();

        Assert.Equal(CoapCode.Content, (await AskAsync("/open/x")).Code);
        Assert.Equal(CoapCode.Unauthorized, (await AskAsync("/open/shut")).Code);
        Assert.Equal(CoapCode.Unauthorized, (await AskAsync("/x")).Code);
        Assert.Equal(CoapCode.Content, (await AskAsync("/free")).Code);
        Assert.Equal(CoapCode.Unauthorized, (await AskAsync("/.well-known/core")).Code);
    }

    [Fact]
    public async Task Requirements_of_group_and_route_must_both_be_met()
    {
        Services.AddCoapAuthorization(options =>
        {
            options.AddPolicy("short", policy => policy.Require(context => context.Identity is string { Length: < 4 }));
            options.AddPolicy("a", policy => policy.Require(context => context.Identity is string name && name.StartsWith('a')));
            options.DefaultPolicy = CoapAuthorizationPolicy.Make(policy => policy.Require(context => context.Identity is "ann"));
        });
        Server.MapGroup("/g").RequireAuthorization("short").MapGet("/x", () => "x").RequireAuthorization("a");
        Server.MapGet("/both", () => "x").RequireAuthorization("short", "a");
        Server.MapGet("/default", () => "x").RequireAuthorization();
        await StartAsync();

        foreach ((string name, bool passes) in new[] { ("ann", true), ("bob", false), ("annabel", false) })
        {
            _identity = name;
            CoapCode expected = passes ? CoapCode.Content : CoapCode.Forbidden;
            Assert.Equal(expected, (await AskAsync("/g/x")).Code);
            Assert.Equal(expected, (await AskAsync("/both")).Code);
            Assert.Equal(expected, (await AskAsync("/default")).Code);
        }
    }

    [Fact]
    public async Task A_policy_that_is_not_there_lets_nobody_pass()
    {
        bool runs = false;
        Server.MapGet("/x", () =>
        {
            runs = true;
            return "x";
        }).RequireAuthorization("nothing");
        await StartAsync();

        Assert.Equal(CoapCode.InternalServerError, (await AskAsync("/x")).Code);
        Assert.False(runs);
        Assert.Contains(Logged.Entries, entry => entry.Id == 1500);
    }

    [Fact]
    public async Task A_service_may_take_its_time_and_its_answer_is_given()
    {
        Services.AddScoped<Doorkeeper>().AddSingleton<Book>();
        Server.MapGet("/{door}", () => "x")
            .RequireAuthorization(
                policy => policy.RequireIdentity().RequireAuthorizer<Doorkeeper>().Require(context => context.Route.Template == "/{door}"));
        await StartAsync();

        Assert.Equal(CoapCode.Unauthorized, (await AskAsync("/1")).Code);
        _identity = "ann";
        Assert.Equal(CoapCode.Content, (await AskAsync("/1")).Code);
        CoapResponse hidden = await AskAsync("/2");
        Assert.Equal((CoapCode.NotFound, "no such door"), (hidden.Code, hidden.GetText()));
    }

    [Fact]
    public async Task A_peer_shows_that_it_receives_at_its_address_by_an_Echo()
    {
        Server.MapGet("/x", request => request.Channel!.IsVerified ? "verified" : "not")
            .RequireAuthorization(policy => policy.RequireVerifiedAddress());
        await StartAsync();

        Assert.Equal("verified", (await AskAsync("/x")).GetText());
    }

    [Fact]
    public async Task A_scheme_and_a_secured_transport_are_asked_for_with_4_01()
    {
        Server.MapGet("/tls", () => "x").RequireAuthorization(policy => policy.RequireSecureTransport());
        Server.MapGet("/tcp", () => "x").RequireAuthorization(policy => policy.RequireScheme("coap+tcp"));
        Server.MapGet("/cert", () => "x").RequireAuthorization(policy => policy.RequireCertificate());
        Services.Configure<CoapServerOptions>(options => options.Listen("coap+tcp://127.0.0.1:0"));
        await StartAsync();

        Assert.Equal(CoapCode.Unauthorized, (await AskAsync("/tls")).Code);
        Assert.Equal(CoapCode.Unauthorized, (await AskAsync("/cert")).Code);
        Assert.Equal(CoapCode.Unauthorized, (await AskAsync("/tcp")).Code);
        Assert.Equal(CoapCode.Content, (await AskAsync("/tcp", endpoint: 1)).Code);
    }

    [Fact]
    public async Task Who_may_not_read_may_not_observe()
    {
        CoapRouteHandlerBuilder route = Server.MapGet("/x", () => "x").Observable().RequireAuthorization();
        await StartAsync();
        await using (CoapObservation refused = await Within(Client().ObserveAsync(Uri("/x"))))
        {
            Assert.Equal(0, Get<CoapServer>().ObserverCount);
        }

        _identity = "ann";
        await using CoapObservation observation = await Within(Client().ObserveAsync(Uri("/x")));
        Assert.Equal(1, Get<CoapServer>().ObserverCount);
        await using IAsyncEnumerator<CoapResponse> states = observation.ReadAllAsync().GetAsyncEnumerator();
        Assert.True(await Within(states.MoveNextAsync().AsTask()));
        route.Notify();
        Assert.True(await Within(states.MoveNextAsync().AsTask()));
        Assert.Equal("x", states.Current.GetText());
    }

    [Fact]
    public void Empty_policies_are_refused_where_they_are_written()
    {
        Assert.Throws<InvalidOperationException>(() => CoapAuthorizationPolicy.Make(static _ => { }));
        Assert.Throws<ArgumentException>(() => Server.Routes.RequireAuthorization([]));
        Assert.Throws<ArgumentException>(() => Server.Routes.RequireAuthorization(""));
        Assert.Throws<ArgumentException>(() => CoapAuthorizationPolicy.Make(static policy => policy.RequireScheme()));
        Assert.False(default(CoapAuthorizationDecision).IsAllowed);
        Assert.Equal(CoapCode.Forbidden, default(CoapAuthorizationDecision).Answer!.Code);
    }

    private sealed class Book
    {
        private readonly HashSet<string> _open = ["1"];

        public async Task<bool> LooksUpAsync(string door)
        {
            await Task.Yield();
            return _open.Contains(door);
        }
    }

    private sealed class Doorkeeper(Book book) : ICoapAuthorizer
    {
        public async ValueTask<CoapAuthorizationDecision> AuthorizeAsync(CoapAuthorizationContext context,
            CancellationToken cancellationToken) =>
                await book.LooksUpAsync(context.Request.Route["door"])
                    ? CoapAuthorizationDecision.Allowed
                    : CoapAuthorizationDecision.Refused(CoapResults.NotFound("no such door"));
    }
}
