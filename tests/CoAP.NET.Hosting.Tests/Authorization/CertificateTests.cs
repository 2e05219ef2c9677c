using System.Net.Security;

namespace CoAP.NET.Hosting.Tests.Authorization;

// The identity that a TLS handshake gives.
public sealed class CertificateTests : ServedTest
{
    [Fact]
    public async Task A_route_is_accessible_with_certificates_that_satisfy_its_policy()
    {
        using TlsCertificates certificates = new();
        Services.Configure<CoapServerOptions>(options =>
        {
            options.Listen("coaps+tcp://127.0.0.1:0");
            options.Endpoint.Tls = new CoapTlsOptions
            {
                Server = new SslServerAuthenticationOptions
                {
                    ServerCertificate = certificates.Server(["127.0.0.1"]),
                    ClientCertificateRequired = true,
                    RemoteCertificateValidationCallback = (_, certificate, _, errors) => certificate is null
                        || errors is SslPolicyErrors.None or SslPolicyErrors.RemoteCertificateChainErrors,
                },
            };
        });
        CoapRouteGroup group = Server.MapGroup("/").AllowInsecureTransport();
        group.MapGet("/admin", request => ((CoAP.NET.CoapTlsPeerIdentity)request.Peer.Identity!).Certificate!.Subject)
            .RequireAuthorization(
                policy => policy.RequireSecureTransport().RequireCertificate(certificate => certificate.Subject == "CN=admin"));
        group.MapGet("/somebody", () => "x").RequireAuthorization();
        await StartAsync();

        await AskAsync("/admin").Gives(CoapCode.Unauthorized);
        CoapResponse admin = await AskAsync("/admin", client: Tls(certificates, certificates.Client("admin")), endpoint: 1);
        Assert.Equal((CoapCode.Content, "CN=admin"), (admin.Code, admin.GetText()));
        CoapClient guest = Tls(certificates, certificates.Client("guest"));
        await AskAsync("/admin", client: guest, endpoint: 1).Gives(CoapCode.Forbidden);
        await AskAsync("/somebody", client: guest, endpoint: 1).Gives(CoapCode.Content);

        // TLS alone says nothing of who the client is.
        CoapClient nobody = Tls(certificates, null);
        await AskAsync("/admin", client: nobody, endpoint: 1).Gives(CoapCode.Unauthorized);
        await AskAsync("/somebody", client: nobody, endpoint: 1).Gives(CoapCode.Unauthorized);
    }

    private CoapClient Tls(TlsCertificates certificates, X509Certificate2? own) => Client(new CoapEndpointOptions
    {
        Tls = new CoapTlsOptions
        {
            Client = new SslClientAuthenticationOptions
            {
                CertificateChainPolicy = certificates.Trust(),
                ClientCertificates = own is null ? [] : [own]
            },
        },
    });
}
