using CoAP.NET.Site.Prose;
using CoAP.NET.Tests.Structure;

namespace CoAP.NET.Tests.Guides;

/// <summary>Pages and comments are in the English that CONTRIBUTING.md describes.</summary>
public sealed class WordsTests
{
    // Written by a program from other sources.
    private static readonly string[] s_generated = ["docs/conformance.md", "docs/rfc-rows.md"];

    [Fact]
    public void No_page_has_one_of_the_worst_patterns()
    {
        string[] found =
        [
            .. from page in Site.Repository.Pages()
               where !s_generated.Contains(page)
               from sentence in MarkdownProse.Sentences(File.ReadAllText(Path.Combine(SourceTree.Root, page)))
               from hit in Vocabulary.Find(sentence)
               select $"{page}: \"{hit.Found}\" in \"{sentence}\": {hit.Advice}",
        ];

        Assert.True(found.Length == 0, string.Join('\n', found));
    }

    // "What the request waited for." is a phrase and reads well; the patterns cannot tell it from a sentence. Hence a few.
    [Fact]
    public void Comments_of_the_libraries_have_few_of_the_worst_patterns()
    {
        const int Phrases = 40;
        string[] found =
        [
            .. from file in Directory.EnumerateFiles(Path.Combine(SourceTree.Root, "src"), "*.cs", SearchOption.AllDirectories)
               let path = Path.GetRelativePath(SourceTree.Root, file).Replace('\\', '/')
               where !path.Contains("/obj/", StringComparison.Ordinal) && !path.Contains("/bin/", StringComparison.Ordinal)
               from sentence in CSharpProse.Sentences(File.ReadAllText(file))
               from hit in Vocabulary.Find(sentence)
               select $"{path}: \"{hit.Found}\" in \"{sentence}\": {hit.Advice}",
        ];

        Assert.True(found.Length is > 0 and <= Phrases, $"{found.Length} patterns:\n{string.Join('\n', found)}");
    }

    [Fact]
    public void Pages_have_short_sentences_in_the_active_voice()
    {
        Assert.All(Site.Repository.Pages().Where(static page => !s_generated.Contains(page)), page =>
        {
            string[] sentences = [.. MarkdownProse.Sentences(File.ReadAllText(Path.Combine(SourceTree.Root, page)))];
            Readability readability = Readability.Of(sentences);
            Assert.True(readability.WordsPerSentence <= 20, $"{page}: {readability.WordsPerSentence:F1} words a sentence");
            Assert.True(sentences.Length < 20 || readability.Passive <= 0.25, $"{page}: {readability.Passive:P0} passive");
        });
    }

    [Theory]
    [InlineData("Counts what came. For all threads.", "For all threads")]
    [InlineData("What most requests have nothing of.", "What")]
    [InlineData("Whoever asks closes it.", "Whoever")]
    [InlineData("The server drops it; nobody is told.", "nobody")]
    [InlineData("Of a session there is no half.", "Of a")]
    [InlineData("Has the memory of the peers fetched.", "Has the memory of the peers fetched")]
    [InlineData("It is opened anew.", "anew")]
    [InlineData("The snippets are compiled by tests.", "are compiled by tests")]
    public void A_hard_pattern_is_found(string text, string expected) =>
        Assert.Contains(MarkdownProse.Sentences(text).SelectMany(Vocabulary.Find), hit => hit.Found == expected && hit.Advice.Length > 0);

    [Theory]
    [InlineData("What does the server do?")]
    [InlineData("Thread-safe. The caller disposes it.")]
    [InlineData("```\nWhat waits is told anew\n```")]
    [InlineData("| what it is | `nobody` |")]
    public void Plain_English_and_code_are_left_alone(string text) =>
        Assert.Empty(MarkdownProse.Sentences(text).SelectMany(Vocabulary.Find));

    [Fact]
    public void Sentences_are_measured_without_markup()
    {
        string[] sentences =
            [.. MarkdownProse.Sentences("# A title is skipped\n\nThe **server** drops the [message](x.md). It is\nlogged by `it` once.\n")];

        Assert.Equal("The server drops the message.|It is logged by code once.", string.Join('|', sentences));
        Assert.Equal(0.5, Readability.Of(sentences).Passive);
        Assert.Equal(5.5, Readability.Of(sentences).WordsPerSentence);
    }

    [Fact]
    public void Comments_of_code_are_measured_without_their_elements()
    {
        const string Code = """
            /// <summary>Sends a <see cref="Message"/> to the peer.</summary>
            /// <param name="x">The message to send.</param>
            int x = 1; // not a comment of its own
            """;

        Assert.Equal("Sends a code to the peer.|The message to send.", string.Join('|', CSharpProse.Sentences(Code)));
    }
}
