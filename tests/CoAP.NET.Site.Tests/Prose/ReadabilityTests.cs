using CoAP.NET.Site.Prose;

namespace CoAP.NET.Site.Tests.Prose;

/// <summary>The command <c>readability</c>: it finds sentences in pages and comments, and measures them.</summary>
public sealed class ReadabilityTests
{
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
