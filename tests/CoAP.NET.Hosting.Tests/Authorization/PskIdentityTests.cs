namespace CoAP.NET.Hosting.Tests.Authorization;

// The identity that a DTLS handshake with a pre-shared key gives.
public sealed class PskIdentityTests : ServedTest
{
    [Fact]
    public async Task A_route_is_accessible_with_identities_that_satisfy_its_policy()
    {
        CoapPskCredential admin = CoapPskCredential.Parse("admin:of words");
        CoapPskCredential guest = CoapPskCredential.Parse("guest:0x01020304");
        Services.Configure<CoapServerOptions>(options =>
        {
            options.Listen("coaps://127.0.0.1:0");
            options.Endpoint.UseDtls(
                new CoapDtlsOptions { Server = new CoapDtlsServerOptions { PskStore = new CoapPskDictionary { admin, guest } } });
        });
        CoapRouteGroup group = Server.MapGroup("/").AllowInsecureTransport();
        group.MapGet("/admin", request => $"{request.Peer.Identity}")
            .RequireAuthorization(policy => policy.RequireSecureTransport().RequirePskIdentity(identity => identity == "admin"));
        group.MapGet("/somebody", () => "x").RequireAuthorization(policy => policy.RequirePskIdentity());
        group.MapGet("/certified", () => "x").RequireAuthorization(policy => policy.RequireCertificate());
        Server.MapGet("/secured", () => "x");
        await StartAsync();

        await AskAsync("/admin").Gives(CoapCode.Unauthorized);
        await AskAsync("/somebody").Gives(CoapCode.Unauthorized);
        CoapResponse answer = await AskAsync("/admin", client: With(admin), endpoint: 1);
        Assert.Equal((CoapCode.Content, "psk:admin"), (answer.Code, answer.GetText()));
        CoapClient other = With(guest);
        await AskAsync("/admin", client: other, endpoint: 1).Gives(CoapCode.Forbidden);
        await AskAsync("/somebody", client: other, endpoint: 1).Gives(CoapCode.Content);
        await AskAsync("/certified", client: other, endpoint: 1).Gives(CoapCode.Unauthorized);

        // What says nothing of it is served on coaps only, as soon as there is coaps.
        await AskAsync("/secured", client: other, endpoint: 1).Gives(CoapCode.Content);
        Assert.NotEqual(CoapCode.Content, (await AskAsync("/secured")).Code);
    }

    private CoapClient With(CoapPskCredential credential) =>
        Client(new CoapEndpointOptions().UseDtls(new CoapDtlsOptions { Client = new CoapDtlsClientOptions { Psk = credential } }));
}
