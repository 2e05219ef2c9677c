namespace CoAP.NET.Package.Tests.Packages;

[Collection(PackedFeedCollection.Name)]
[External("dotnet")]
public sealed class WorkerProjectTests(PackedFeed feed)
{
    [Fact]
    public async Task A_trimmed_worker_service_answers_the_tool_and_finishes_a_slow_request_while_it_stops()
    {
        string folder = feed.Copy("Worker");
        await Tool.RunAsync(folder, "dotnet",
            ["publish", "-c", "Release", "--use-current-runtime", "-p:PublishTrimmed=true", "-o", "published", "-v", "quiet"]);
        string coap = await feed.InstallToolAsync();
        using Tool worker = Tool.Start(
            folder, Path.Combine(folder, "published", "Worker"), ["--Coap:Server:Endpoints:0=coap://127.0.0.1:0"],
            new Dictionary<string, string> { ["Logging__Console__FormatterName"] = "simple" });
        string address = CoapTool.Address(await worker.SaysAsync("Listening on coap://"));

        Assert.Equal("""{"room":"kitchen","celsius":21.5}""",
            (await Tool.RunAsync(folder, coap, ["get", address + "/rooms/kitchen"])).Trim());
        await Tool.RunAsync(folder, coap,
            ["put", address + "/rooms/kitchen", "--payload", """{"room":"kitchen","celsius":19}""", "--content-format", "json"]);
        Assert.Equal("""{"room":"hall","celsius":19}""", (await Tool.RunAsync(folder, coap, ["get", address + "/rooms/hall"])).Trim());

        using Tool slow = Tool.Start(folder, coap, ["get", address + "/slow", "--timeout", "120s"]);
        await worker.SaysAsync("a slow request runs");
        await Tool.RunAsync(folder, "kill", ["-TERM", worker.Id.ToString(CultureInfo.InvariantCulture)]);

        Assert.Equal(0, await slow.EndAsync());
        Assert.Equal("answered while it stopped", slow.Output.Trim());
        Assert.Equal(0, await worker.EndAsync());
    }
}
