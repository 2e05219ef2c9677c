namespace CoAP.NET.Cli.Tests.Recording;

/// <summary>What the documentation shows is what the commands print. docs/record-cli.sh records anew.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class RecordedPageTests
{
    private const string Begin = "<!-- recorded: begin -->\n";
    private const string End = "<!-- recorded: end -->";

    [Fact]
    public async Task The_page_shows_the_output_of_the_commands()
    {
        string path = Path.Combine(Repository.Root, "docs", "cli.md");
        string page = (await File.ReadAllTextAsync(path)).ReplaceLineEndings("\n");
        int begin = page.IndexOf(Begin, Ordinal) + Begin.Length;
        int end = page.IndexOf(End, Ordinal);
        Assert.True(begin >= Begin.Length && end >= begin, "docs/cli.md has no place for what is recorded.");

        string recorded = await RecordedSession.RunAsync();

        if (Environment.GetEnvironmentVariable("COAP_RECORD") == "1")
        {
            await File.WriteAllTextAsync(path, page[..begin] + "\n" + recorded + page[end..]);
            return;
        }

        Assert.Equal(recorded.Trim(), page[begin..end].Trim());
    }
}
