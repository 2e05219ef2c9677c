using System.Text.RegularExpressions;
using CoAP.NET.Testing.Peers;

namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>
/// The conversation of a row. Steps stand between semicolons:
/// <list type="table">
/// <item><term><c>&gt; bytes</c></term><description>the hostile peer sends; as in <see cref="DatagramBytePattern"/>, with
/// <c>[61*256]</c> for 256 bytes 61</description></item>
/// <item><term><c>&lt; pattern</c></term><description>the next thing it receives</description></item>
/// <item><term><c>~ 2.5</c></term><description>so many seconds pass</description></item>
/// <item><term><c>word ...</c></term><description>something else that the world knows, such as <c>get /x</c></description></item>
/// </list>
/// <c>b</c> or <c>c</c> before an arrow: another port of the same host, another host. <c>10x</c> before an arrow: ten times. Nothing that
/// no step names may be received.
/// </summary>
internal static partial class HostileScript
{
    public static IEnumerable<HostileStep> Parse(string script)
    {
        foreach (string part in script.Split(';', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries))
        {
            Match arrow = Arrow().Match(part);
            if (arrow.Success)
            {
                yield return new HostileStep(
                    arrow.Groups["do"].Value,
                    Expand(arrow.Groups["rest"].Value.Trim()),
                    arrow.Groups["peer"].Value is { Length: 1 } peer ? peer[0] : 'a',
                    arrow.Groups["times"].Success ? int.Parse(arrow.Groups["times"].Value, CultureInfo.InvariantCulture) : 1);
                continue;
            }

            int blank = part.IndexOf(' ', StringComparison.Ordinal);
            yield return blank < 0
                ? new HostileStep(part, "", 'a', 1)
                : new HostileStep(part[..blank], part[(blank + 1)..], 'a', 1);
        }
    }

    /// <summary>Writes out <c>[61*256]</c>.</summary>
    public static string Expand(string text) => Repeated().Replace(text, match =>
        new StringBuilder().Insert(0, match.Groups[1].Value, int.Parse(match.Groups[2].Value, CultureInfo.InvariantCulture)).ToString());

    [GeneratedRegex(@"^(?<peer>[abc])?(?:(?<times>\d+)x)?\s*(?<do>[<>~=])(?<rest>.*)$",
        RegexOptions.Singleline | RegexOptions.ExplicitCapture)]
    private static partial Regex Arrow();

    [GeneratedRegex(@"\[([^*\]]+)\*(\d+)\]")]
    private static partial Regex Repeated();
}

/// <summary>A step of a row's conversation.</summary>
/// <param name="Do">An arrow, <c>~</c>, <c>=</c>, or a word.</param>
/// <param name="Rest">What follows.</param>
/// <param name="Peer">Which hostile peer.</param>
/// <param name="Times">How many times.</param>
internal sealed record HostileStep(string Do, string Rest, char Peer, int Times);
