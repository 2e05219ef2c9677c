using System.Security.Cryptography;
using CoAP.NET.Oscore;
using Microsoft.AspNetCore.Authentication;

namespace CoAP.NET.AspNetCore.Tests.Endpoints;

/// <summary>Who may ask over CoAP is said by the policies of the web application, and proven by the transport.</summary>
public sealed class EndpointAuthorizationTests : EndpointTest
{
    [Fact]
    public async Task The_identity_of_a_pre_shared_key_is_the_user()
    {
        await StartAsync(Map, AddPolicies, "coaps");
        CoapClient device = CreateClient("coaps", CoapTestIdentity.Psk("sensor-7"));

        await AskAsync(device, "/who").Says("sensor-7 psk CoAP");
        await AskAsync(device, "/open").Says("open to sensor-7");
    }

    [Fact]
    public async Task A_certificate_or_a_raw_public_key_identifies_the_user()
    {
        await StartAsync(Map, AddPolicies, "coaps");
        using X509Certificate2 certificate = Certificates.Make("pump.example.net");
        using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        CoapClient pump = CreateClient("coaps", CoapTestIdentity.Certificate(certificate));
        CoapClient valve = CreateClient("coaps", CoapTestIdentity.RawPublicKey(key.ExportSubjectPublicKeyInfo()));

        string[] shown = (await AskAsync(pump, "/who")).GetText().Split(' ');
        Assert.Equal((certificate.GetNameInfo(X509NameType.SimpleName, false), "certificate"), (shown[0], shown[1]));
        await AskAsync(valve, "/who").Says($"{Convert.ToHexStringLower(SHA256.HashData(key.ExportSubjectPublicKeyInfo()))} rpk CoAP");
    }

    [Fact]
    public async Task An_anonymous_client_gets_4_01_and_a_client_without_the_permission_gets_4_03()
    {
        await StartAsync(Map, AddPolicies, "coaps");
        CoapClient stranger = CreateClient("coaps", CoapTestIdentity.None);
        CoapClient device = CreateClient("coaps", CoapTestIdentity.Psk("sensor-7"));

        await AskAsync(stranger, "/who").Gives(CoapCode.Unauthorized);
        await AskAsync(stranger, "/open").Says("open to ");
        await AskAsync(device, "/operators").Gives(CoapCode.Forbidden);
    }

    [Fact]
    public async Task The_application_decides_the_identity_of_a_client()
    {
        await StartAsync(Map, AddPolicies, configure: options => options.Identity = request =>
            request.TryGetQuery("as", out string? name) ? new ClaimsPrincipal(new ClaimsIdentity([new Claim(ClaimTypes.Name, name)], "own"))
                : null);

        await GetAsync("/who?as=ann").Says("ann  own");
        await GetAsync("/who").Gives(CoapCode.Unauthorized);
    }

    [Fact]
    public async Task The_fallback_policy_applies_to_CoAP_requests()
    {
        await StartAsync(
            application => application.MapGet("/a", () => "a").WithCoap(),
            services => services.AddAuthorizationBuilder().SetFallbackPolicy(
                new Microsoft.AspNetCore.Authorization.AuthorizationPolicyBuilder().RequireAuthenticatedUser().Build()));

        await GetAsync("/a").Gives(CoapCode.Unauthorized);
    }

    [Fact]
    public async Task An_anonymous_client_is_refused_at_the_first_block_of_a_body()
    {
        await StartAsync(Map, AddPolicies, "coaps");
        CoapClient stranger = CreateClient("coaps", CoapTestIdentity.None);
        Count blocks = new();

        CoapResponse response = await AskAsync(CoapMethod.Post, "/upload", CoapContent.Binary(new byte[20_000]),
            request => request.Progress = blocks, stranger, "coaps");

        response.Gives(CoapCode.Unauthorized);
        Assert.InRange(blocks.Reports, 0, 1);
    }

    [Fact]
    public async Task The_body_of_an_anonymous_client_is_not_converted()
    {
        await StartAsync(Map, AddPolicies, "coaps");
        CoapClient stranger = CreateClient("coaps", CoapTestIdentity.None);
        CoapContent broken = new(new byte[] { 0x81 }, CoapContentFormat.Cbor);

        await AskAsync(CoapMethod.Post, "/number", broken, client: stranger, scheme: "coaps").Gives(CoapCode.Unauthorized);
    }

    [Fact]
    public async Task The_user_of_a_connection_is_not_changed_by_what_a_request_adds()
    {
        ClaimsPrincipal panel = new(new ClaimsIdentity([new Claim(ClaimTypes.NameIdentifier, "panel")], "web"));
        await StartAsync(Map, AddPolicies, "coaps");
        CoapClient client = CreateClient("coaps", CoapTestIdentity.From(new CoapUserPeerIdentity(panel)));

        await AskAsync(client, "/operators").Says("operators");
        Assert.Single(panel.Identities);
    }

    [Fact]
    public async Task The_identifier_of_a_user_is_the_authenticated_identity_and_names_the_method()
    {
        await StartAsync(Map, AddPolicies, "coaps");

        Assert.Equal("psk:alice psk", await IdAsync(CoapTestIdentity.Psk("alice")));
        Assert.Equal("edhoc:alice edhoc", await IdAsync(Oscore("04", "alice")));
        Assert.Equal("edhoc:alice edhoc", await IdAsync(Oscore("05", "alice")));

        // The server assigned the kid of alice again.
        Assert.Equal("edhoc:mallory edhoc", await IdAsync(Oscore("04", "mallory")));
        Assert.Equal("oscore:04 oscore", await IdAsync(Oscore("04", null)));

        async Task<string> IdAsync(CoapTestIdentity identity) =>
            (await AskAsync(CreateClient("coaps", identity), "/id")).GetText().Trim();

        static CoapTestIdentity Oscore(string kid, string? owner)
        {
            using OscoreParameters parameters = new(new byte[16], [1], Convert.FromHexString(kid));
            return CoapTestIdentity.From(OscoreContext.CreateVolatile(parameters, owner).Identity);
        }
    }

    [Fact]
    public async Task A_policy_for_a_scheme_of_HTTP_alone_is_refused_at_start()
    {
        string refusal = await RefusalOfAsync(
            application => application.MapGet("/a", () => "a").WithCoap()
                .RequireAuthorization(policy => policy.AddAuthenticationSchemes("Bearer").RequireAuthenticatedUser()),
            services => services.AddAuthorization());

        refusal.Mentions("GET /a: Its policy requires the authentication scheme Bearer");
    }

    [Fact]
    public async Task A_policy_with_the_CoAP_scheme_admits_devices_and_refuses_HTTP_clients_without_credentials()
    {
        await StartAsync(
            application =>
            {
                application.UseAuthentication();
                application.UseAuthorization();
                application.MapGet("/a", () => "a").WithCoap()
                    .RequireAuthorization(policy => policy.AddAuthenticationSchemes("CoAP").RequireAuthenticatedUser());
            },
            services =>
            {
                services.AddAuthentication().AddCoap();
                services.AddAuthorization();
            },
            "coaps");
        CoapClient device = CreateClient("coaps", CoapTestIdentity.Psk("sensor-7"));

        using HttpResponseMessage http = await Http.GetAsync(new Uri("/a", UriKind.Relative)).WaitAsync(Hang);

        await AskAsync(device, "/a").Says("a");
        Assert.Equal(System.Net.HttpStatusCode.Unauthorized, http.StatusCode);
    }

    [Fact]
    public async Task Authorization_without_registered_services_is_refused_at_start()
    {
        string refusal = await RefusalOfAsync(application => application.MapGet("/a", () => "a").WithCoap().RequireAuthorization());

        refusal.Mentions("AddAuthorization");
    }

    private static void AddPolicies(IServiceCollection services)
    {
        services.AddAuthorizationBuilder().AddPolicy("operators", policy => policy.RequireRole("operator"));
        services.AddSingleton<IClaimsTransformation, Roles>();
    }

    private static void Map(WebApplication application)
    {
        RouteGroupBuilder all = application.MapGroup(string.Empty).WithCoap().RequireAuthorization();
        all.MapGet("/who", (ClaimsPrincipal user) =>
            $"{user.Identity!.Name} {user.FindFirstValue(ClaimTypes.AuthenticationMethod)} {user.Identity.AuthenticationType}");
        all.MapGet("/id", (ClaimsPrincipal user) =>
            $"{user.FindFirstValue(ClaimTypes.NameIdentifier)} {user.FindFirstValue(ClaimTypes.AuthenticationMethod)}");
        all.MapGet("/open", (ClaimsPrincipal user) => $"open to {user.Identity?.Name}").AllowAnonymous();
        all.MapGet("/operators", () => "operators").RequireAuthorization("operators");
        all.MapPost("/number", (int[] numbers) => numbers.Length);
        all.MapPost("/upload", async (Stream body) =>
        {
            await body.CopyToAsync(Stream.Null);
            return "uploaded";
        });
    }

    private Task<CoapResponse> AskAsync(CoapClient client, string path) =>
        AskAsync(CoapMethod.Get, path, client: client, scheme: "coaps");

    private sealed class Roles : IClaimsTransformation
    {
        public Task<ClaimsPrincipal> TransformAsync(ClaimsPrincipal principal)
        {
            if (principal.FindFirst(ClaimTypes.NameIdentifier)?.Value is "panel" or "psk:panel")
            {
                principal.AddIdentity(new ClaimsIdentity([new Claim(ClaimTypes.Role, "operator")]));
            }

            return Task.FromResult(principal);
        }
    }

    private sealed class Count : IProgress<CoapProgress>
    {
        private int _reports;

        public int Reports => Volatile.Read(ref _reports);

        public void Report(CoapProgress value) => Interlocked.Increment(ref _reports);
    }
}
