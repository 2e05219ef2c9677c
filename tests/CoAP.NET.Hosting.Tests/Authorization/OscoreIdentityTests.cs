namespace CoAP.NET.Hosting.Tests.Authorization;

// The identity that a security context of OSCORE gives, over plain and secured transports.
public sealed class OscoreIdentityTests : ServedTest
{
    private static readonly CoapPskCredential s_key = CoapPskCredential.Parse("device:of words");

    private readonly Dictionary<byte, OscoreContexts> _contexts = [];
    private (char Name, CoapClient Client, int Endpoint)[]? _all;

    [Fact]
    public async Task A_route_is_accessible_with_OSCORE_contexts_that_satisfy_its_policy()
    {
        UseOscore(2, 3);
        Server.MapGet("/admin", request => $"{request.Peer.Identity}")
            .RequireAuthorization(policy => policy.RequireOscore(peer => peer.Kid.Span.SequenceEqual(new byte[] { 2 })));
        Server.MapGet("/somebody", () => "x").RequireAuthorization();
        Server.MapGet("/typed", () => "x")
            .RequireAuthorization(policy => policy.RequireIdentity<OscoreIdentity>(peer => peer.Kid.Length == 1));
        Server.MapGet("/psk", () => "x").RequireAuthorization(policy => policy.RequirePskIdentity());
        await StartAsync();

        CoapResponse answer = await AskAsync("/admin", client: With(2));
        Assert.Equal((CoapCode.Content, "oscore:02"), (answer.Code, answer.GetText()));
        CoapClient other = With(3);
        await AskAsync("/admin", client: other).Gives(CoapCode.Forbidden);
        await AskAsync("/somebody", client: other).Gives(CoapCode.Content);
        await AskAsync("/typed", client: other).Gives(CoapCode.Content);
        await AskAsync("/psk", client: other).Gives(CoapCode.Unauthorized);
        foreach (string path in new[] { "/admin", "/somebody", "/typed", "/psk" })
        {
            await AskAsync(path).Gives(CoapCode.Unauthorized);
        }
    }

    // What a route says, and who is served: plain, OSCORE, DTLS, OSCORE over DTLS.
    [Fact]
    public async Task Requirements_of_OSCORE_and_transport_security_are_combined()
    {
        UseOscore(2, 3);
        Services.Configure<CoapServerOptions>(options =>
        {
            options.Listen("coaps://127.0.0.1:0");
            options.Endpoint.UseDtls(
                new CoapDtlsOptions { Server = new CoapDtlsServerOptions { PskStore = new CoapPskDictionary { s_key } } });
        });
        Server.MapGet("/nothing", () => "x");
        Server.MapGet("/allow", () => "x").AllowInsecureTransport();
        Server.MapGet("/secure", () => "x").RequireTransportSecurity();
        Server.MapGet("/oscore", () => "x").RequireOscore();
        Server.MapGet("/oscore-allow", () => "x").RequireOscore().AllowInsecureTransport();
        Server.MapGet("/oscore-secure", () => "x").RequireOscore().RequireTransportSecurity();
        CoapRouteGroup group = Server.MapGroup("/group").RequireOscore().AllowInsecureTransport();
        group.MapGet("/anonymous", () => "x").AllowAnonymous();
        await StartAsync();

        await AssertServedAsync("/nothing", "--DO");
        await AssertServedAsync("/allow", "PODO");
        await AssertServedAsync("/secure", "--DO");
        await AssertServedAsync("/oscore", "---O");
        await AssertServedAsync("/oscore-allow", "-O-O");
        await AssertServedAsync("/oscore-secure", "---O");
        await AssertServedAsync("/group/anonymous", "-O-O");
    }

    [Fact]
    public async Task OSCORE_is_sufficient_unless_a_route_requires_transport_security()
    {
        UseOscore(2);
        Server.MapGet("/oscore", () => "x").RequireOscore();
        Server.MapGet("/oscore-secure", () => "x").RequireOscore().RequireTransportSecurity();
        await StartAsync();
        CoapClient client = With(2);

        await AskAsync("/oscore", client: client).Gives(CoapCode.Content);
        await AskAsync("/oscore-secure", client: client).Gives(CoapCode.Unauthorized);
    }

    private static OscoreContext Context(byte sender, byte recipient) =>
        OscoreContext.CreateVolatile(
            new OscoreParameters(Convert.FromHexString("0102030405060708090a0b0c0d0e0f10"), [sender], [recipient]));

    private static CoapEndpointOptions UseDtls() =>
        new CoapEndpointOptions().UseDtls(new CoapDtlsOptions { Client = new CoapDtlsClientOptions { Psk = s_key } });

    private void UseOscore(params byte[] clients)
    {
        OscoreContexts contexts = new();
        foreach (byte client in clients)
        {
            contexts.Add(Context(1, client));
        }

        Services.Configure<CoapServerOptions>(options => options.Endpoint.UseOscore(contexts));
    }

    // All clients with one ID share the context, so that no number comes twice.
    private CoapClient With(byte id, int endpoint = 0, CoapEndpointOptions? options = null)
    {
        if (!_contexts.TryGetValue(id, out OscoreContexts? contexts))
        {
            _contexts.Add(id, contexts = new OscoreContexts().Add(Uri("", endpoint), Context(id, 1)));
        }

        return Client((options ?? new CoapEndpointOptions { TooManyRequests = CoapTooManyRequestsBehavior.None }).UseOscore(contexts));
    }

    private async Task AssertServedAsync(string path, string expected)
    {
        _all ??= [('P', Client(), 0), ('O', With(2), 0), ('D', Client(UseDtls()), 1), ('O', With(3, 1, UseDtls()), 1)];
        string served = "";
        foreach ((char name, CoapClient client, int endpoint) in _all)
        {
            CoapCode code = (await AskAsync(path, client: client, endpoint: endpoint)).Code;
            Assert.Contains(code, new[] { CoapCode.Content, CoapCode.Unauthorized });
            served += code == CoapCode.Content ? name : '-';
        }

        Assert.Equal($"{path}: {expected}", $"{path}: {served}");
    }
}
