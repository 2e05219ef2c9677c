using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Simulation.Machine.Cases;

/// <summary>No place to write to: neither the library nor its TLS wants one.</summary>
internal sealed class ReadOnlyCase() : MachineCase(
    "no-disk",
    "nowhere to write",
    "all file systems read-only, TMPDIR and HOME nowhere, the current directory deleted; a server is asked over UDP, TCP and TLS with "
        + "a certificate in memory")
{
    public override string Shell => """
        d=$(mktemp -d -p /tmp) && exec unshare -m sh -c 'cd "$1" && rmdir "$1" && shift && mount --make-rprivate / && for m in / /tmp /dev/shm /var/tmp /work; do mount --bind $m $m 2>/dev/null; mount -o remount,bind,ro $m 2>/dev/null; done; if [ "$1" != true ]; then ! touch /tmp/x 2>/dev/null || exit 1; fi; exec "$@"' sh "$d" "$@"
        """;

    public override IReadOnlyDictionary<string, string?> Variables =>
        new Dictionary<string, string?> { ["HOME"] = null, ["TMPDIR"] = "/nowhere", ["DOTNET_CLI_HOME"] = null };

    public override async Task RunAsync(MachineFindings findings)
    {
        using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        CertificateRequest request = new("CN=localhost", key, HashAlgorithmName.SHA256);
        using X509Certificate2 certificate = request.CreateSelfSigned(DateTimeOffset.UnixEpoch,
            new DateTimeOffset(2100, 1, 1, 0, 0, 0, TimeSpan.Zero));
        LogCounts log = new();
        CoapEndpointOptions options = MachineServer.Options(log);
        options.Tls = new CoapTlsOptions
        {
            Server = new SslServerAuthenticationOptions { ServerCertificate = certificate },
            Client = new SslClientAuthenticationOptions
            {
                RemoteCertificateValidationCallback = (_, shown, _, _) => shown is not null
                    && shown.GetCertHashString() == certificate.GetCertHashString()
            },
        };
        await using CoapServer server = new(options);
        server.Listen("coap://127.0.0.1:0").Listen("coap+tcp://127.0.0.1:0").Listen("coaps+tcp://127.0.0.1:0");
        server.MapGet("/hi", () => "hi").AllowInsecureTransport();
        await server.StartAsync();
        await using CoapClient client = new(options);
        foreach (CoapUri uri in server.LocalEndpoints)
        {
            findings.Check((await client.GetAsync(uri.Resolve("/hi"))).GetText() == "hi", $"{uri.Scheme} is served");
        }

        string[] written = [
            .. Directory.GetFiles("/proc/self/fd").Select(link => File.ResolveLinkTarget(link, false)?.FullName ?? "")
                .Where(name => name.StartsWith('/') && !name.StartsWith("/dev", StringComparison.Ordinal)
                    && !name.StartsWith("/proc", StringComparison.Ordinal) && !name.StartsWith("/memfd", StringComparison.Ordinal)
                    && name.Contains("(deleted)"))];
        findings.Check(written.Length == 0, "no file was made");
        bool canWrite = true;
        try
        {
            await File.WriteAllTextAsync("/tmp/machine-probe", "x");
            File.Delete("/tmp/machine-probe");
        }
        catch (IOException)
        {
            canWrite = false;
        }

        findings.Check(!canWrite, "(writing is really impossible)");
    }
}
