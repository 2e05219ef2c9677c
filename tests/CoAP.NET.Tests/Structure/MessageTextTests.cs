using System.Text.RegularExpressions;

namespace CoAP.NET.Tests.Structure;

/// <summary>Texts for users, in all of src, are idiomatic English: messages, exceptions, logs, help and errors of configuration.</summary>
public sealed partial class MessageTextTests
{
    // What to write instead is the second part.
    private static readonly (Regex Pattern, string Instead)[] s_refused =
    [
        (IsNo(), "is not a ..."),
        (IsNone(), "is not a ..., or does not exist"),
        (IsGone(), "no longer exists, ended, disconnected"),
        (Anyone(), "caller, user, peer, client, server"),
        (Anew(), "again"),
        (Perhaps(), "Did you mean ...?"),
        (DoNotGoTogether(), "cannot be combined"),
        (ShowsACertificate(), "presents a certificate"),
        (GaveNull(), "returned"),
        (ButAfterAnd(), "..., but a ..."),
    ];

    [Fact]
    public void No_text_has_an_unidiomatic_phrase()
    {
        List<string> wrong = [];
        int count = 0;
        foreach (string file in SourceTree.Files)
        {
            foreach ((int line, string text) in StringLiterals.Of(File.ReadAllText(file)))
            {
                count++;
                wrong.AddRange(s_refused.Where(refused => refused.Pattern.IsMatch(text))
                    .Select(refused => $"{Path.GetRelativePath(SourceTree.Root, file)}:{line}: '{text}' Write: {refused.Instead}"));
            }
        }

        Assert.InRange(count, 5000, int.MaxValue);
        Assert.True(wrong.Count == 0, string.Join('\n', wrong));
    }

    [Theory]
    [InlineData("'x' is no option.")]
    [InlineData("The bytes are no certificate.")]
    [InlineData("'a' of --b is none, or repeats a name.")]
    [InlineData("The file is gone.")]
    [InlineData("Somebody removed it.")]
    [InlineData("Begin anew.")]
    [InlineData("coap get, perhaps?")]
    [InlineData("--a and --b do not go together.")]
    [InlineData("The server showed no certificate.")]
    [InlineData("The factory gave null.")]
    [InlineData("{} names a resource, and a proxy is a host.")]
    public void Each_listed_text_is_recognized_as_unidiomatic(string text) =>
        Assert.Contains(s_refused, refused => refused.Pattern.IsMatch(text));

    [Theory]
    [InlineData("There is no room.")]
    [InlineData("The peer is no longer reachable.")]
    [InlineData("coaps needs keys, but there are none.")]
    public void Idiomatic_texts_are_accepted(string text) => Assert.DoesNotContain(s_refused, refused => refused.Pattern.IsMatch(text));

    [Fact]
    public void Texts_are_found_across_lines_and_in_interpolations()
    {
        const string Code = """
            // "a comment"
            string a = $"is {(b ? "in" : 'x')} " /* "no" */
                + "option";
            char c = '"'; string d = @"a ""b"" ";
            """;

        Assert.Equal(["is {} ", "in", "option", "a \"b\" "], StringLiterals.Of(Code).Select(found => found.Text));
        Assert.Equal(["is no option"], StringLiterals.Of("\"is no \"\n    + $\"option\"").Select(found => found.Text));
    }

    [GeneratedRegex(@"(?<!\b[Tt]here )\b(is|are|was|were) no (?!longer\b)\w")]
    private static partial Regex IsNo();

    [GeneratedRegex(@"(?<!\b[Tt]here )\b(is|are|was|were) none\b(?! of)")]
    private static partial Regex IsNone();

    [GeneratedRegex(@"\b(is|are) gone\b")]
    private static partial Regex IsGone();

    [GeneratedRegex(@"\b(somebody|anybody|everybody|nobody|whoever)\b", RegexOptions.IgnoreCase)]
    private static partial Regex Anyone();

    [GeneratedRegex(@"\banew\b", RegexOptions.IgnoreCase)]
    private static partial Regex Anew();

    [GeneratedRegex(@", perhaps\?")]
    private static partial Regex Perhaps();

    [GeneratedRegex(@"\bdo not go together\b")]
    private static partial Regex DoNotGoTogether();

    [GeneratedRegex(@"\b(show|shows|showed|showing) (a|no|this|its|one) (raw public key|certificate)", RegexOptions.IgnoreCase)]
    private static partial Regex ShowsACertificate();

    [GeneratedRegex(@"\bgave (null|an? )")]
    private static partial Regex GaveNull();

    [GeneratedRegex(@", and a (client|proxy|request|group|session|body) (is|has|uses|gives|shows|takes)\b")]
    private static partial Regex ButAfterAnd();
}
