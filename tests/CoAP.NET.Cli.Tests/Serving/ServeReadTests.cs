namespace CoAP.NET.Cli.Tests.Serving;

public sealed class ServeReadTests
{
    [Fact]
    public async Task A_file_is_served_blockwise_with_its_format_and_ETag()
    {
        await using ServedFolder folder = await ServedFolder.StartAsync();
        string text = string.Concat(Enumerable.Range(0, 3000).Select(i => $"{i} "));
        await File.WriteAllTextAsync(folder.PathOf("long.json"), text);
        await using CoapClient client = new();

        CoapResponse response = await client.GetAsync($"{folder.Uri}/long.json");

        response.Gives(CoapCode.Content);
        response.Says(text);
        Assert.Equal(CoapContentFormat.Json, response.ContentFormat);
        CoapRequest again = new(CoapMethod.Get, $"{folder.Uri}/long.json");
        again.Options.Add(4, response.Options.ETag!.Value.ToArray());
        await client.SendAsync(again).Gives(CoapCode.Valid);
        await File.AppendAllTextAsync(folder.PathOf("long.json"), "x");
        await client.SendAsync(Copy(again, folder)).Gives(CoapCode.Content);

        static CoapRequest Copy(CoapRequest request, ServedFolder folder)
        {
            CoapRequest copy = new(CoapMethod.Get, $"{folder.Uri}/long.json");
            copy.Options.Add(4, request.Options.ETag!.Value.ToArray());
            return copy;
        }
    }

    [Fact]
    public async Task The_log_has_a_line_at_the_end_of_a_download_and_tells_an_interrupted_one()
    {
        await using ServedFolder folder = await ServedFolder.StartAsync();
        await File.WriteAllBytesAsync(folder.PathOf("huge.bin"), new byte[40_000]);
        await using CoapClient client = new();

        await client.GetAsync($"{folder.Uri}/huge.bin").Gives(CoapCode.Content);
        await folder.WhenLoggedAsync("GET /huge.bin  2.05 Content  40000 B  ");
        CoapRequest interrupted = new(CoapMethod.Get, $"{folder.Uri}/huge.bin") { Destination = new FullDisk(3000) };
        await Assert.ThrowsAnyAsync<Exception>(() => client.SendAsync(interrupted));
        CliRun run = await folder.StopAsync();

        Assert.Matches(@"GET /huge\.bin  2\.05 Content  interrupted after (3072|4096|5120) of 40000 B\n", run.Error);
        Assert.Equal(2, run.Error.Split('\n').Count(line => line.Contains("huge.bin", Ordinal)));
    }

    private sealed class FullDisk(int room) : MemoryStream
    {
        public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) =>
            Length + buffer.Length > room ? throw new IOException("No room.") : base.WriteAsync(buffer, cancellationToken);
    }

    [Fact]
    public async Task Empty_files_and_names_with_any_characters_are_served()
    {
        await using ServedFolder folder = await ServedFolder.StartAsync();
        await File.WriteAllTextAsync(folder.PathOf("empty.bin"), "");
        await File.WriteAllTextAsync(folder.PathOf("Grüße & so.txt"), "hi");
        await using CoapClient client = new();

        CoapResponse empty = await client.GetAsync($"{folder.Uri}/empty.bin");
        CoapResponse odd = await client.GetAsync($"{folder.Uri}/{Uri.EscapeDataString("Grüße & so.txt")}");

        Assert.Equal((CoapCode.Content, 0), (empty.Code, empty.Payload.Length));
        odd.Says("hi");
        Assert.Contains(await client.DiscoverAsync(folder.Uri), link => link.Target == "/Gr%C3%BC%C3%9Fe%20%26%20so.txt");
    }

    [Fact]
    public async Task Folders_are_listed_as_links_with_size_and_format()
    {
        await using ServedFolder folder = await ServedFolder.StartAsync();
        await using CoapClient client = new();

        await client.GetAsync($"{folder.Uri}/").Says("</hello.txt>;ct=0;sz=5;obs,</sub/>;ct=40;obs");
        await client.GetAsync($"{folder.Uri}/sub").Says("</sub/data.json>;ct=50;sz=2;obs");
        await client.GetAsync($"{folder.Uri}/sub/").Says("</sub/data.json>;ct=50;sz=2;obs");
        await client.GetAsync($"{folder.Uri}/.well-known/core")
            .Says("</>;ct=40;obs,</hello.txt>;ct=0;sz=5;obs,</sub/>;ct=40;obs,</sub/data.json>;ct=50;sz=2;obs");
        await client.GetAsync($"{folder.Uri}/.well-known/core?ct=50").Says("</sub/data.json>;ct=50;sz=2;obs");
    }

    [Fact]
    public async Task Missing_files_unaccepted_formats_and_writes_are_refused()
    {
        await using ServedFolder folder = await ServedFolder.StartAsync();
        await using CoapClient client = new();

        await client.GetAsync($"{folder.Uri}/nothing").Gives(CoapCode.NotFound);
        await client.GetAsync($"{folder.Uri}/hello.txt/").Gives(CoapCode.NotFound);
        await client.SendAsync(new CoapRequest(CoapMethod.Get, $"{folder.Uri}/hello.txt") { Accept = CoapContentFormat.Json })
            .Gives(CoapCode.NotAcceptable);
        await client.PutAsync($"{folder.Uri}/hello.txt", CoapContent.Text("x")).Gives(CoapCode.MethodNotAllowed);
        await client.DeleteAsync($"{folder.Uri}/hello.txt").Gives(CoapCode.MethodNotAllowed);
        await client.PostAsync($"{folder.Uri}/hello.txt", CoapContent.Binary(new byte[100_000])).Gives(CoapCode.MethodNotAllowed);
        Assert.Equal("hello", await File.ReadAllTextAsync(folder.PathOf("hello.txt")));
    }

    [Fact]
    public async Task Hidden_files_are_served_when_the_option_is_set()
    {
        await using ServedFolder folder = await ServedFolder.StartAsync("--all");
        await using CoapClient client = new();

        await client.GetAsync($"{folder.Uri}/.hidden").Says(ServedFolder.Secret);
    }

    [Fact]
    public async Task Each_request_is_logged_on_a_line_unless_quiet_is_set()
    {
        await using ServedFolder folder = await ServedFolder.StartAsync();
        await using ServedFolder quiet = await ServedFolder.StartAsync("--quiet");
        await File.WriteAllBytesAsync(folder.PathOf("large"), new byte[5000]);
        await using CoapClient client = new();
        await client.GetAsync($"{folder.Uri}/large");
        await client.GetAsync($"{folder.Uri}/nothing");
        await client.GetAsync($"{quiet.Uri}/nothing");

        CliRun run = await folder.StopAsync();

        run.HasExitCode(ExitCodes.Success);
        Assert.Equal(1, run.Error.Split("GET /large  2.05 Content  5000 B").Length - 1);
        run.HasError("GET /nothing  4.04 Not Found");
        (await quiet.StopAsync()).Error.Omits("GET");
    }

    [Fact]
    public async Task Several_addresses_are_served_by_their_schemes()
    {
        using TlsCertificates certificates = new();
        string certificate = "";
        await using ServedFolder folder = await ServedFolder.StartAsync(
            folder =>
            {
                certificate = folder.PathOf(".server.pem");
                System.Security.Cryptography.X509Certificates.X509Certificate2 server = certificates.Server(["127.0.0.1"]);
                using System.Security.Cryptography.ECDsa? key =
                    System.Security.Cryptography.X509Certificates.ECDsaCertificateExtensions.GetECDsaPrivateKey(server);
                File.WriteAllText(certificate, server.ExportCertificatePem() + "\n" + key!.ExportPkcs8PrivateKeyPem());
            },
            ["--bind", "coap://127.0.0.1:0", "--bind", "coap+tcp://127.0.0.1:0", "--bind", "coaps+tcp://127.0.0.1:0", "--cert",
                Path.Combine("{root}", ".server.pem")]);

        foreach (string uri in folder.Uris)
        {
            CliRun run = await CliHarness.RunAsync("get", $"{uri}/hello.txt", "--insecure");
            Assert.True(run.Out == "hello", $"{uri}: {run}");
        }

        Assert.Equal(["coap", "coap+tcp", "coaps+tcp"], folder.Uris.Select(uri => uri.Split(':')[0]).Order(StringComparer.Ordinal));
    }

    [Fact]
    public async Task A_missing_folder_an_address_in_use_and_an_unknown_scheme_have_their_exit_codes()
    {
        await using ServedFolder folder = await ServedFolder.StartAsync();

        CliRun missing = await CliHarness.RunAsync("serve", folder.PathOf("none"), "--bind", "coap://127.0.0.1:0");
        CliRun used = await CliHarness.RunAsync("serve", folder.Root, "--bind", folder.Uri);
        CliRun wrong = await CliHarness.RunAsync("serve", folder.Root, "--bind", "ftp://127.0.0.1");

        missing.HasExitCode(ExitCodes.File);
        used.HasExitCode(ExitCodes.Network);
        wrong.HasExitCode(ExitCodes.Usage);
    }
}
