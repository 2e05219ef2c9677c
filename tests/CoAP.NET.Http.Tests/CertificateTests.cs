using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Http.Backends;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Https;

namespace CoAP.NET.Http.Tests;

/// <summary>Devices that their back end knows by certificates.</summary>
public sealed class CertificateTests : BackendTest
{
    private static readonly Dictionary<string, X509Certificate2> s_certificates =
        ((string[])["server", "lamp", "boiler"]).ToDictionary(name => name, Make);

    private static readonly HttpClient s_trusting = new(new SocketsHttpHandler
    {
        SslOptions = new SslClientAuthenticationOptions
        {
            RemoteCertificateValidationCallback = (_, certificate, _, _) => certificate is not null,
        },
    });

    public CertificateTests()
        : base(listen => listen.UseHttps(s_certificates["server"], https =>
        {
            https.ClientCertificateMode = ClientCertificateMode.AllowCertificate;
            https.ClientCertificateValidation = (certificate, _, _) => certificate is not null;
        }))
    {
    }

    [Fact]
    public async Task Each_device_uses_its_own_certificate_and_a_device_without_a_certificate_is_anonymous()
    {
        Web.MapGet("/api/me", (HttpContext context) => context.Connection.ClientCertificate?.Subject ?? "nobody");
        await StartAsync(Configure);

        foreach (string device in (string[])["lamp", "boiler", "lamp"])
        {
            await AskAsync(device).Says($"CN={device}");
        }

        await AskAsync("stranger").Says("nobody");
    }

    [Fact]
    public async Task A_device_without_a_free_certificate_client_gets_5_03_with_Max_Age()
    {
        TaskCompletionSource asked = new(RunContinuationsAsynchronously);
        TaskCompletionSource answer = new(RunContinuationsAsynchronously);
        Web.MapGet("/api/me", async (HttpContext context) =>
        {
            asked.TrySetResult();
            await answer.Task;
            return context.Connection.ClientCertificate?.Subject ?? "nobody";
        });
        await StartAsync(http =>
        {
            Configure(http);
            http.MaxCertificateClients = 1;
        });

        Task<CoapResponse> lamp = AskAsync("lamp");
        await asked.Task.WaitAsync(FromMinutes(2));
        CoapResponse refused = await AskAsync("boiler");
        refused.Gives(CoapCode.ServiceUnavailable);
        Assert.Equal(FromSeconds(5), refused.MaxAge);

        answer.SetResult();
        await lamp.Says("CN=lamp");
        await AskAsync("boiler", "&again").Says("CN=boiler");
    }

    [Fact]
    public void Unused_certificate_clients_expire_and_the_least_recently_used_is_evicted()
    {
        VirtualClock clock = new();
        using DeviceCertificateHttpClients clients = new(2, FromMinutes(2), null, clock);
        HttpClient lamp = Use(clients, "lamp");
        Assert.Same(lamp, Use(clients, "lamp"));
        clock.Advance(FromSeconds(1));
        HttpClient boiler = Use(clients, "boiler");
        clock.Advance(FromSeconds(1));
        Use(clients, "server");
        Assert.Equal(2, clients.Count);
        Assert.Same(boiler, Use(clients, "boiler"));

        using (DeviceCertificateHttpClients.Lease? held = clients.TryRent(s_certificates["boiler"]))
        {
            clock.Advance(FromMinutes(10));
            Assert.Equal(1, clients.Count);
        }

        clock.Advance(FromMinutes(10));
        Assert.Equal(0, clients.Count);
        Assert.NotSame(boiler, Use(clients, "boiler"));
    }

    private static HttpClient Use(DeviceCertificateHttpClients clients, string name)
    {
        using DeviceCertificateHttpClients.Lease? lease = clients.TryRent(s_certificates[name]);
        return lease!.Client;
    }

    // Who a device is says its first query: a test has no handshakes.
    private static void Configure(CoapHttpBackendOptions http)
    {
        http.ClientCertificate = request => s_certificates.GetValueOrDefault(request.Queries.First());
        http.ConfigureCertificateHandler = handler =>
            handler.SslOptions.RemoteCertificateValidationCallback = (_, certificate, _, _) => certificate is not null;
        http.Client = () => s_trusting;
    }

    private Task<CoapResponse> AskAsync(string device, string more = "")
    {
        string uri = $"{Coap}/b/me?{device}{more}";
        return Client.SendAsync(new CoapRequest(CoapMethod.Get, uri) { Timeout = FromMinutes(2) });
    }

    private static X509Certificate2 Make(string name)
    {
        using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        CertificateRequest request = new($"CN={name}", key, HashAlgorithmName.SHA256);
        SubjectAlternativeNameBuilder names = new();
        names.AddIpAddress(IPAddress.Loopback);
        request.CertificateExtensions.Add(names.Build());
        DateTimeOffset now = TimeProvider.System.GetUtcNow();
        using X509Certificate2 made = request.CreateSelfSigned(now.AddDays(-1), now.AddDays(1));

        // Some platforms take no key that is only in memory.
        return X509CertificateLoader.LoadPkcs12(made.Export(X509ContentType.Pkcs12), null);
    }
}
