namespace CoAP.NET.Package.Tests.Packages;

[Collection(PackedFeedCollection.Name)]
public sealed class ConsoleProjectTests(PackedFeed feed)
{
    [Fact]
    public async Task A_new_console_project_runs_trimmed_with_nothing_but_the_package()
    {
        string folder = feed.Copy("Console");
        await Tool.RunAsync(folder, "dotnet",
            ["publish", "-c", "Release", "--use-current-runtime", "-p:PublishTrimmed=true", "-o", "published", "-v", "quiet"]);

        string output = await Tool.RunAsync(folder, Path.Combine(folder, "published", "App"), []);

        Assert.Equal(
            """
            coap: 2.05 Content Hello packages!
            coap: 2.05 Content 100000 bytes
            coap+tcp: 2.05 Content Hello packages!
            coap+tcp: 2.05 Content 100000 bytes

            """.ReplaceLineEndings("\n"),
            output);
    }
}
