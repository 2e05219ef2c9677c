namespace CoAP.NET.Cli.Tests.Recording;

/// <summary>The picture of the tool shows what docs/cli.md recorded. docs/record-cli.sh draws it again.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed partial class TerminalPictureTests
{
    private const int Sessions = 2;

    [Fact]
    public async Task The_picture_shows_the_sessions_recorded_on_the_page()
    {
        string page = (await File.ReadAllTextAsync(Path.Combine(Repository.Root, "docs", "cli.md"))).ReplaceLineEndings("\n");
        string[] sessions = [.. Session().Matches(page).Take(Sessions).Select(match => match.Groups[1].Value.TrimEnd('\n'))];
        Assert.Equal(Sessions, sessions.Length);
        string picture = TerminalPicture.Draw(string.Join("\n\n", sessions).Split('\n'));
        string path = Path.Combine(Repository.Root, "docs", "images", "coap.svg");

        if (Environment.GetEnvironmentVariable("COAP_RECORD") == "1")
        {
            await File.WriteAllTextAsync(path, picture);
            return;
        }

        Assert.Equal(picture, (await File.ReadAllTextAsync(path)).ReplaceLineEndings("\n"));
    }

    [Fact]
    public void Terminal_output_is_escaped_as_text_in_the_picture()
    {
        string picture = TerminalPicture.Draw(["$ coap get coap://[::1]/<script>", "a & b"]);

        picture.Mentions("&lt;script&gt;");
        picture.Mentions("a\u00a0&amp;\u00a0b");
    }

    [GeneratedRegex("```console\n(.*?)```", RegexOptions.Singleline)]
    private static partial Regex Session();
}
