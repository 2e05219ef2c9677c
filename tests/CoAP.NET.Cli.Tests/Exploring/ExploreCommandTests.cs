using System.Net.Http.Json;

namespace CoAP.NET.Cli.Tests.Exploring;

/// <summary><c>coap explore</c>.</summary>
public sealed class ExploreCommandTests
{
    [Fact]
    public async Task The_printed_address_serves_the_explorer_for_the_named_server_until_the_command_ends()
    {
        await using CoapServer server = new();
        server.MapGet("/hello", _ => CoapResults.Text("hello"));
        server.Listen("coap://127.0.0.1:0");
        await server.StartAsync();
        using CancellationTokenSource stop = new();
        Uri? opened = null;
        string? redirect = null;
        UnixFileMode modeOfFolder = default;
        CliHarness harness = new()
        {
            Stopped = stop.Token,
            OpenBrowser = address =>
            {
                opened = address;
                redirect = File.ReadAllText(address.LocalPath);
                modeOfFolder = OperatingSystem.IsWindows() ? default : File.GetUnixFileMode(Path.GetDirectoryName(address.LocalPath)!);
                return true;
            },
        };
        Task<CliRun> run = harness.InvokeAsync("explore", server.LocalEndpoints[0].Origin(), "--port", "0");
        await harness.WhenErrorAsync("Ctrl-C to stop");

        Uri address = new(harness.OutSoFar.Trim());
        using HttpClient browser = new() { BaseAddress = new Uri(address.GetLeftPart(UriPartial.Path)) };
        string page = await browser.GetStringAsync(new Uri("", UriKind.Relative));
        using HttpResponseMessage refused = await browser.PostAsJsonAsync(new Uri("api/about", UriKind.Relative), new { });
        browser.DefaultRequestHeaders.Add("X-CoAP-Explorer", address.Fragment.Split('=')[1]);
        using HttpResponseMessage about = await browser.PostAsJsonAsync(new Uri("api/about", UriKind.Relative), new { });
        JsonElement told = JsonDocument.Parse(await about.Content.ReadAsStringAsync()).RootElement;
        await stop.CancelAsync();

        // Other users see what the browser is started with.
        Assert.True(opened!.IsFile);
        opened.ToString().Omits(address.Fragment.Split('=')[1]);
        redirect.Mentions($"url={address}");
        Assert.Equal((UnixFileMode)0, modeOfFolder & (UnixFileMode.OtherRead | UnixFileMode.OtherExecute | UnixFileMode.GroupRead));
        page.Mentions("CoAP");
        Assert.Equal(HttpStatusCode.Forbidden, refused.StatusCode);
        told.TextOf("target").Begins(server.LocalEndpoints[0].Origin());
        Assert.Equal(0, (await run).ExitCode);
        Assert.False(File.Exists(opened.LocalPath));
        await Assert.ThrowsAsync<HttpRequestException>(() => browser.GetAsync(new Uri("", UriKind.Relative)));
    }

    [Fact]
    public async Task Keys_without_the_URI_of_a_server_are_a_usage_error()
    {
        CliRun run = await CliHarness.RunAsync("explore", "--psk", "me:secret");

        run.HasExitCode(ExitCodes.Usage);
        run.HasError("Keys need a server");
        run.HasNoError("secret");
    }

    [Fact]
    public async Task Keys_of_the_command_line_form_a_profile_and_are_not_sent_to_the_page()
    {
        using CancellationTokenSource stop = new();
        CliHarness harness = new() { Stopped = stop.Token };
        Task<CliRun> run = harness.InvokeAsync("explore", "coaps://192.0.2.1", "--psk", "me:very secret", "--no-open", "--port", "0");
        await harness.WhenErrorAsync("Ctrl-C to stop");
        Uri address = new(harness.OutSoFar.Trim());
        using HttpClient browser = new() { BaseAddress = new Uri(address.GetLeftPart(UriPartial.Path)) };
        browser.DefaultRequestHeaders.Add("X-CoAP-Explorer", address.Fragment.Split('=')[1]);
        using HttpResponseMessage about = await browser.PostAsJsonAsync(new Uri("api/about", UriKind.Relative), new { });
        string told = await about.Content.ReadAsStringAsync();
        await stop.CancelAsync();

        told.Mentions("command line");
        told.Omits("very secret");
        Assert.Equal(0, (await run).ExitCode);
    }

    [Fact]
    public async Task Two_concurrent_explorers_use_different_ports()
    {
        using CancellationTokenSource stop = new();
        CliHarness one = new() { Stopped = stop.Token };
        CliHarness two = new() { Stopped = stop.Token };
        Task<CliRun> first = one.InvokeAsync("explore", "--no-open");
        await one.WhenErrorAsync("Ctrl-C to stop");
        Task<CliRun> second = two.InvokeAsync("explore", "--no-open");
        await two.WhenErrorAsync("Ctrl-C to stop");
        Uri[] addresses = [new(one.OutSoFar.Trim()), new(two.OutSoFar.Trim())];
        await stop.CancelAsync();

        Assert.NotEqual(addresses[0].Port, addresses[1].Port);
        Assert.Equal(0, (await first).ExitCode);
        Assert.Equal(0, (await second).ExitCode);
    }
}
