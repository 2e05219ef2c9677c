using System.Diagnostics;

namespace CoAP.NET.Cli.Tests.Registering;

/// <summary><c>coap register</c> and <c>coap discover --rd</c>, with a directory on loopback.</summary>
public sealed class RegisterTests
{
    [Fact]
    public async Task An_endpoint_is_registered_and_found()
    {
        await using CoapServer server = new();
        SmallDirectory directory = await StartAsync(server);
        string uri = server.LocalEndpoints[0].Origin();

        CliRun run = await CliHarness.RunAsync("register", uri, "--ep", "node1", "--base", "coap://[2001:db8::3]", "--lt", "2h",
            "--sector", "floor3", "--et", "oic.d.sensor", "--attribute", "model=x1",
            "--link", "</t>;rt=temperature-c", "-l", "</l>;rt=light");

        run.HasExitCode(ExitCodes.Success);
        run.Out.Begins($"{uri}/reg/1/ until ");
        SmallRegistration made = Assert.Single(directory.Registrations);
        Assert.Equal(("node1", "floor3", "coap://[2001:db8::3]", 7200u), (made.Name, made.Sector, made.Base, made.Lifetime));
        Assert.Equal(["et=oic.d.sensor", "model=x1"], made.Others);

        CliRun resources = await CliHarness.RunAsync("discover", uri, "--rd", "-q", "rt=temp*");
        Assert.Equal("coap://[2001:db8::3]\n└── t  rt=temperature-c\n", resources.Out);
        CliRun endpoints = await CliHarness.RunAsync("discover", "--rd", uri, "--endpoints", "--json");
        endpoints.HasOut("\"ep\":\"node1\"");
        CliRun none = await CliHarness.RunAsync("discover", "--rd", uri, "-q", "ep=other", "--endpoints");
        Assert.Equal((ExitCodes.Success, ""), (none.ExitCode, none.Out));
        none.HasError("The directory has no matching registration.");
    }

    [Fact]
    public async Task The_directory_asks_an_endpoint_for_its_links_when_it_registers_with_ask()
    {
        await using CoapServer server = new();
        SmallDirectory directory = await StartAsync(server);
        await using CoapServer device = await TestServer.StartAsync(device => device.MapGet("/t", () => "x").WithResourceType("t"));

        CliRun run = await CliHarness.RunAsync(
            "register", server.LocalEndpoints[0].Origin(), "--ep", "device", "--base", device.LocalEndpoints[0].Origin(),
            "--ask");

        run.HasExitCode(ExitCodes.Success);
        Assert.Contains(Assert.Single(directory.Registrations).Links, link => link.Target == "/t");
    }

    [Fact]
    public async Task A_registration_is_kept_until_the_tool_ends_and_is_removed_then()
    {
        await using CoapServer server = new();
        SmallDirectory directory = await StartAsync(server);
        using CancellationTokenSource stop = new();
        CliHarness harness = new() { Stopped = stop.Token };

        Task<CliRun> run = harness.InvokeAsync(
            "register", server.LocalEndpoints[0].Origin(), "--ep", "node1", "--base", "coap://[2001:db8::3]", "--keep");
        await harness.WhenOutAsync("/reg/1/");
        Assert.Single(directory.Registrations);
        await stop.CancelAsync();

        Assert.Equal(ExitCodes.Success, (await run).ExitCode);
        Assert.Empty(directory.Registrations);
    }

    [Theory]
    [InlineData("INT")]
    [InlineData("TERM")]
    public async Task The_registration_is_removed_when_a_signal_arrives_twice_at_once(string signal)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "needs env with --default-signal");
        await using CoapServer server = new();
        SmallDirectory directory = await StartAsync(server);

        // What a shell starts in the background ignores SIGINT, and so does what that starts.
        ProcessStartInfo start = new("env",
            [
                "--default-signal=INT", "dotnet", Path.Combine(AppContext.BaseDirectory, "coap.dll"), "register",
                server.LocalEndpoints[0].Origin(), "--ep", "node1", "--base", "coap://[2001:db8::3]", "--keep",
            ])
        {
            RedirectStandardOutput = true,
        };
        using Process tool = Process.Start(start)!;
        try
        {
            (await tool.StandardOutput.ReadLineAsync()).Mentions("/reg/1/");
            Assert.Single(directory.Registrations);
            using Process kill = Process.Start("sh", ["-c", $"kill -{signal} {tool.Id}; kill -{signal} {tool.Id}"]);
            await kill.WaitForExitAsync();
            await tool.StandardOutput.ReadToEndAsync().WaitAsync(FromMinutes(2));
        }
        finally
        {
            // Not there any more when all is right.
            tool.Kill();
        }

        await tool.WaitForExitAsync();
        Assert.Equal(ExitCodes.Success, tool.ExitCode);
        Assert.Empty(directory.Registrations);
    }

    [Fact]
    public void A_second_signal_is_handled_by_the_tool_within_a_second_and_by_the_operating_system_later()
    {
        VirtualClock clock = new();
        using CancellationTokenSource stop = new();
        StopSignals signals = new(stop, clock);

        bool[] taken = [signals.TryTake(), signals.TryTake(), After(FromSeconds(0.9)), After(FromSeconds(0.2))];

        Assert.True(stop.IsCancellationRequested);
        Assert.Equal([true, true, true, false], taken);

        bool After(TimeSpan wait)
        {
            clock.Advance(wait);
            return signals.TryTake();
        }
    }

    [Theory]
    [InlineData]
    [InlineData("--endpoints")]
    [InlineData("--json")]
    public async Task Links_in_a_directory_cannot_send_control_sequences_to_the_terminal(params string[] options)
    {
        const string Hostile = "\u001b[2J\u001b]0;title\u0007\u009b31m\u0085\u007f\r\n2.05 forged [red]markup[/] <script>";
        string links = $"<coap://[2001:db8::2]/a>;title=\"{Hostile}\",</rd/1>;ep=\"{Hostile}\";base=\"coap://[2001:db8::2]\"";
        CoapContent content = new(Encoding.UTF8.GetBytes(links), CoapContentFormat.LinkFormat);
        await using CoapServer server = await TestServer.StartAsync(server =>
        {
            server.MapPost("/rd", () => CoapResults.Changed()).WithResourceType("core.rd");
            server.MapGet("/rd-lookup/res", () => CoapResults.Content(content)).WithResourceType("core.rd-lookup-res");
            server.MapGet("/rd-lookup/ep", () => CoapResults.Content(content)).WithResourceType("core.rd-lookup-ep");
        });

        CliRun run = await CliHarness.RunAsync(["discover", "--rd", server.LocalEndpoints[0].Origin(), .. options]);

        Assert.NotEmpty(run.Out + run.Error);
        Assert.DoesNotContain(run.Out + run.Error, c => char.IsControl(c) && c != '\n');
        run.HasNoOut("\n2.05 forged");
    }

    [Fact]
    public async Task A_failed_registration_or_lookup_ends_with_the_matching_exit_code()
    {
        await using CoapServer server = new();
        SmallDirectory directory = await StartAsync(server);
        directory.Answers = _ => CoapResults.Forbidden("not you");
        string uri = server.LocalEndpoints[0].Origin();

        CliRun refused = await CliHarness.RunAsync("register", uri, "--ep", "node1", "--base", "coap://[2001:db8::3]");
        refused.HasExitCode(ExitCodes.ClientError);
        refused.HasError("not you");
        Assert.Equal(ExitCodes.ClientError, (await CliHarness.RunAsync("discover", "--rd", uri)).ExitCode);

        Assert.Equal(ExitCodes.Usage, (await CliHarness.RunAsync("register", uri, "--ep", "node1")).ExitCode);
        Assert.Equal(ExitCodes.Usage, (await CliHarness.RunAsync("register", uri, "--base", "coap://[2001:db8::3]")).ExitCode);
        foreach (string[] wrong in (string[][])[["--link", "t"], ["--attribute", "x"], ["--attribute", "page=1"]])
        {
            CliRun usage = await CliHarness.RunAsync(["register", uri, "--ep", "node1", "--base", "coap://[2001:db8::3]", .. wrong]);
            usage.HasExitCode(ExitCodes.Usage);
        }

        await using CoapServer plain = await TestServer.StartAsync();
        CliRun none = await CliHarness.RunAsync("discover", "--rd", plain.LocalEndpoints[0].Origin());
        none.HasExitCode(ExitCodes.Protocol);
        none.HasError("lists no resource directory");
        Assert.Equal(ExitCodes.Usage, (await CliHarness.RunAsync("discover", plain.LocalEndpoints[0].Origin(), "--endpoints")).ExitCode);
        Assert.Equal(ExitCodes.Usage, (await CliHarness.RunAsync("discover", "--rd", uri, "-q", "rt=a", "-q", "rt=b")).ExitCode);
    }

    private static async Task<SmallDirectory> StartAsync(CoapServer server)
    {
        SmallDirectory directory = new(server, TimeProvider.System);
        await server.Listen("coap://127.0.0.1:0").StartAsync();
        return directory;
    }
}
