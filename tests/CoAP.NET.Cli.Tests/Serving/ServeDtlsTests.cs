using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Cli.Tests.Serving;

public sealed class ServeDtlsTests
{
    [Fact]
    public async Task Clients_are_accepted_with_the_keys_of_the_command_line_and_of_the_file()
    {
        await using ServedFolder folder = await ServedFolder.StartAsync(
            folder => File.WriteAllText(Path.Combine(folder.Root, ".keys"), "first:0x0102030405060708\nsecond:words\n"),
            ["--bind", "coaps://127.0.0.1:0", "--bind", "coap://127.0.0.1:0", "--psk", "third:more words", "--psk-file", "{root}/.keys"]);

        Assert.Equal(["coaps", "coap"], folder.Uris.Select(uri => uri.Split(':')[0]));
        foreach (string key in (string[])["first:0x0102030405060708", "second:words", "third:more words"])
        {
            CliRun run = await CliHarness.RunAsync("get", $"{folder.Uri}/hello.txt", "--psk", key);
            run.HasExitCode(ExitCodes.Success);
            Assert.Equal("hello", run.Out);
        }

        // What was asked for in the clear beside it is served there too.
        Assert.Equal("hello", (await CliHarness.RunAsync("get", $"{folder.Uris[1]}/hello.txt")).Out);
        CliRun refused = await CliHarness.RunAsync("get", $"{folder.Uri}/hello.txt", "--psk", "first:words", "--handshake-timeout",
            "500ms");
        refused.HasExitCode(ExitCodes.Network);
    }

    [Fact]
    public async Task The_certificate_is_used_for_coaps_and_coaps_tcp_and_client_certificates_are_required()
    {
        using TlsCertificates certificates = new();
        X509Certificate2 device = certificates.Client("device");
        await using ServedFolder folder = await ServedFolder.StartAsync(
            folder =>
            {
                Write(folder, ".server", certificates.Server(["127.0.0.1"]));
                Write(folder, ".device", device);
                File.WriteAllText(folder.PathOf(".ca.pem"), certificates.Authority.ExportCertificatePem());
            },
            ["--bind", "coaps://127.0.0.1:0", "--bind", "coaps+tcp://127.0.0.1:0", "--cert", "{root}/.server.pem", "--key",
                "{root}/.server.key", "--ca", "{root}/.ca.pem"]);

        foreach (string uri in folder.Uris)
        {
            string[] trust = ["get", $"{uri}/hello.txt", "--ca", folder.PathOf(".ca.pem")];
            CliRun known = await CliHarness.RunAsync(
                [.. trust, "--cert", folder.PathOf(".device.pem"), "--key", folder.PathOf(".device.key")]);
            CliRun unknown = await CliHarness.RunAsync([.. trust, "--handshake-timeout", "2s"]);
            known.HasExitCode(ExitCodes.Success);
            Assert.Equal("hello", known.Out);
            unknown.HasExitCode(ExitCodes.Network);
        }
    }

    [Fact]
    public async Task A_URL_in_an_untrusted_certificate_is_fetched_on_neither_secured_scheme()
    {
        using IssuerTrap trap = new();
        using TlsCertificates certificates = new();
        using TlsCertificates strangers = new("CN=Strangers");
        await using ServedFolder folder = await ServedFolder.StartAsync(
            folder =>
            {
                Write(folder, ".server", certificates.Server(["127.0.0.1"]));
                Write(folder, ".mallory", strangers.Client("mallory", trap.Url));
                File.WriteAllText(folder.PathOf(".ca.pem"), certificates.Authority.ExportCertificatePem());
            },
            ["--bind", "coaps://127.0.0.1:0", "--bind", "coaps+tcp://127.0.0.1:0", "--cert", "{root}/.server.pem", "--key",
                "{root}/.server.key", "--ca", "{root}/.ca.pem"]);

        foreach (string uri in folder.Uris)
        {
            CliRun run = await CliHarness.RunAsync(
                "get", $"{uri}/hello.txt", "--ca", folder.PathOf(".ca.pem"), "--handshake-timeout", "2s",
                "--cert", folder.PathOf(".mallory.pem"), "--key", folder.PathOf(".mallory.key"));
            run.HasExitCode(ExitCodes.Network);
        }

        Assert.False(trap.WasVisited);
    }

    private static void Write(ServedFolder folder, string name, X509Certificate2 certificate)
    {
        using ECDsa key = certificate.GetECDsaPrivateKey()!;
        File.WriteAllText(folder.PathOf(name + ".pem"), certificate.ExportCertificatePem());
        File.WriteAllText(folder.PathOf(name + ".key"), key.ExportPkcs8PrivateKeyPem());
    }
}
