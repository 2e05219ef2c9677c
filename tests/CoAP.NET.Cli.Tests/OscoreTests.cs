using System.Diagnostics;

namespace CoAP.NET.Cli.Tests;

/// <summary>Requests and folders that OSCORE protects, with the contexts of files.</summary>
public sealed class OscoreTests : FolderTest
{
    public OscoreTests()
    {
        Write("client.json", """{ "masterSecret": "0x0102030405060708090a0b0c0d0e0f10", "senderId": "", "recipientId": "0x01" }""");
        Write("server.json", """{ "masterSecret": "0x0102030405060708090a0b0c0d0e0f10", "senderId": "0x01", "recipientId": "" }""");
        Directory.CreateDirectory(Path.Combine(Folder, "data"));
        Write("data/state.txt", "21.5");
    }

    [Fact]
    public async Task A_folder_is_served_only_to_clients_with_the_OSCORE_context()
    {
        using CancellationTokenSource stop = new();
        CliHarness serving = new() { Stopped = stop.Token };
        Task<CliRun> server = serving.InvokeAsync(
            "serve", Path.Combine(Folder, "data"), "--bind", "coap://127.0.0.1:0", "--quiet", "--oscore", InDirectory("server.json"));
        await serving.WhenOutAsync("\n");
        string uri = $"{serving.OutSoFar.Trim()}/state.txt";

        CliRun first = await CliHarness.RunAsync("get", uri, "--oscore", InDirectory("client.json"));
        CliRun second = await CliHarness.RunAsync("get", uri, "--oscore", InDirectory("client.json"), "-v");
        CliRun plain = await CliHarness.RunAsync("get", uri);
        await stop.CancelAsync();
        await server;

        first.HasExitCode(ExitCodes.Success);
        Assert.Equal("21.5", first.Out.Trim());
        Assert.Equal("21.5", second.Out.Trim());
        plain.HasExitCode(ExitCodes.Of(CoapCode.Unauthorized));
        plain.HasNoOut("21.5");

        // Each run reserved numbers of its own.
        string state = Assert.Single(Directory.GetFiles(InDirectory("client.json.state"), "*.json"));
        (await File.ReadAllTextAsync(state)).Mentions("\"nextUnreserved\": 64");
    }

    [Fact]
    public async Task The_resources_of_a_server_are_discovered_by_protected_requests()
    {
        using CancellationTokenSource stop = new();
        CliHarness serving = new() { Stopped = stop.Token };
        Task<CliRun> server = serving.InvokeAsync(
            "serve", Path.Combine(Folder, "data"), "--bind", "coap://127.0.0.1:0", "--quiet", "--oscore", InDirectory("server.json"));
        await serving.WhenOutAsync("\n");

        CliRun run = await CliHarness.RunAsync("discover", serving.OutSoFar.Trim(), "--oscore", InDirectory("client.json"), "-v");
        await stop.CancelAsync();
        await server;

        run.HasExitCode(ExitCodes.Success);
        run.HasOut("state.txt");

        // A number was taken for it, so the request was protected.
        string state = Assert.Single(Directory.GetFiles(InDirectory("client.json.state"), "*.json"));
        (await File.ReadAllTextAsync(state)).Mentions("\"nextUnreserved\": 32");
    }

    [Fact]
    public async Task The_error_after_a_replayed_number_mentions_a_reused_context()
    {
        Write("wrong.json", """{ "masterSecret": "0x0102030405060708090a0b0c0d0e0f11", "senderId": "", "recipientId": "0x01" }""");
        using CancellationTokenSource stop = new();
        CliHarness serving = new() { Stopped = stop.Token };
        Task<CliRun> server = serving.InvokeAsync(
            "serve", Path.Combine(Folder, "data"), "--bind", "coap://127.0.0.1:0", "--quiet", "--oscore", InDirectory("server.json"));
        await serving.WhenOutAsync("\n");
        string uri = $"{serving.OutSoFar.Trim()}/state.txt";

        CliRun right = await CliHarness.RunAsync("get", uri, "--oscore", InDirectory("client.json"));
        CliRun wrong = await CliHarness.RunAsync("get", uri, "--oscore", InDirectory("wrong.json"));
        await stop.CancelAsync();
        await server;

        right.HasExitCode(ExitCodes.Success);
        wrong.HasExitCode(ExitCodes.Network);
        wrong.HasError("Replay detected");
        wrong.HasError("hint: A server looks at the number of a request before its keys, so a wrong secret");
    }

    [Fact]
    public async Task A_group_request_with_an_OSCORE_context_is_refused()
    {
        CliRun run = await CliHarness.RunAsync("discover", "--multicast", "--oscore", InDirectory("client.json"));

        run.HasExitCode(ExitCodes.Usage);
        run.HasError("OSCORE does not protect requests to groups");
    }

    [Fact]
    public async Task No_request_is_sent_with_an_OSCORE_context_when_file_locks_do_not_work()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "file locks of Windows cannot be switched off");
        ProcessStartInfo start = new("dotnet",
            [Path.Combine(AppContext.BaseDirectory, "coap.dll"), "get", "coap://127.0.0.1:9/", "--oscore", InDirectory("client.json")])
        {
            RedirectStandardError = true,
        };

        // As on some network file systems: .NET locks no file.
        start.Environment["DOTNET_SYSTEM_IO_DISABLEFILELOCKING"] = "1";
        using Process tool = Process.Start(start)!;
        string error;
        try
        {
            error = await tool.StandardError.ReadToEndAsync().WaitAsync(FromMinutes(2));
        }
        finally
        {
            // Not there any more when all is right.
            tool.Kill();
        }

        await tool.WaitForExitAsync();
        Assert.NotEqual(ExitCodes.Success, tool.ExitCode);
        error.Mentions("opens twice in spite of its lock");
        Assert.Empty(Directory.GetFiles(InDirectory("client.json.state"), "*.json"));
    }

    [Fact]
    public async Task A_second_OSCORE_context_of_a_client_is_refused()
    {
        Write("many.json", """
            { "contexts": [
              { "masterSecret": "0x01020304", "senderId": "0x01", "recipientId": "0x02" },
              { "masterSecret": "0x01020304", "senderId": "0x03", "recipientId": "0x04" } ] }
            """);

        CliRun run = await CliHarness.RunAsync("get", "coap://127.0.0.1:9/", "--oscore", InDirectory("many.json"));

        run.HasExitCode(ExitCodes.Usage);
        run.HasError("has 2 security contexts, but a client uses one");
    }

    private string InDirectory(string name) => Path.Combine(Folder, name);

    private void Write(string name, string text) => File.WriteAllText(InDirectory(name), text);
}
