namespace CoAP.NET.Package.Tests.Packages;

[Collection(PackedFeedCollection.Name)]
[External("dotnet")]
public sealed class ConsoleProjectTests(PackedFeed feed)
{
    // What is trimmed is tried with a service (WorkerProjectTests), which has this package and more.
    [Fact]
    public async Task A_new_console_project_runs_with_only_the_package()
    {
        string folder = feed.Copy("Console");
        await Tool.RunAsync(folder, "dotnet", ["build", "-c", "Release", "-o", "built", "-v", "quiet"]);

        string output = await Tool.RunAsync(folder, Path.Combine(folder, "built", "App"), []);

        Assert.Equal(
            """
            coap: 2.05 Content Hello packages!
            coap: 2.05 Content 100000 bytes
            coap+tcp: 2.05 Content Hello packages!
            coap+tcp: 2.05 Content 100000 bytes

            """.ReplaceLineEndings("\n"),
            output);
    }

    [Fact]
    public async Task A_new_console_project_reads_and_writes_messages_without_the_core()
    {
        string folder = feed.Copy("Messages");
        await Tool.RunAsync(folder, "dotnet", ["build", "-c", "Release", "-o", "built", "-v", "quiet"]);

        string output = await Tool.RunAsync(folder, Path.Combine(folder, "built", "App"), []);

        Assert.Equal(
            """
            40010001bb74656d7065726174757265
            temperature
            c001bb74656d7065726174757265
            temperature

            """.ReplaceLineEndings("\n"),
            output);
        Assert.Equal(["CoAP.NET.Messages.dll"],
            Directory.GetFiles(Path.Combine(folder, "built"), "CoAP.NET.*.dll").Select(static file => Path.GetFileName(file)));
    }

    // SnippetTests compile it too, with what an editor and the reader have.
    [Fact]
    public async Task The_first_program_of_the_readme_compiles_as_it_stands()
    {
        string folder = feed.Copy("Console", "Readme");
        string readme = (await File.ReadAllTextAsync(Path.Combine(Repository.Root, "README.md"))).ReplaceLineEndings("\n");
        await File.WriteAllTextAsync(Path.Combine(folder, "Program.cs"), readme.Split("```csharp\n")[1].Split("```")[0]);

        await Tool.RunAsync(folder, "dotnet", ["build", "-c", "Release", "-o", "built", "-v", "quiet"]);
    }
}
