namespace CoAP.NET.Cli.Tests.Recording;

/// <summary>Puts fixed values where each run has others: ports, paths, times, Message IDs, tokens, entity-tags.</summary>
/// <param name="server">The URI of the server.</param>
/// <param name="directory">The folder that is shared.</param>
internal sealed class Normalizer(string server, string directory)
{
    private readonly Dictionary<string, string> _messageIds = [];
    private readonly Dictionary<string, string> _sequence = [];

    public string Of(string text)
    {
        string port = server[(server.LastIndexOf(':') + 1)..];
        string result = text
            .Replace(directory, "/home/me/data")
            .Replace(server, "coap://127.0.0.1")
            .Replace($"127.0.0.1:{port}", "127.0.0.1:5683");
        result = Regex.Replace(result, @"127\.0\.0\.1:(?!5683\b)\d+", "127.0.0.1:40000");
        result = Regex.Replace(result, @"\b\d\d:\d\d:\d\d\.\d{3}\b", "12:00:00.000");
        result = Regex.Replace(result, @"^([<>*]) \d+\.\d{3} ", "$1 0.001 ", RegexOptions.Multiline);
        result = Regex.Replace(result, @"\b\d+\.\d+ ms", "0.5 ms");
        result = Regex.Replace(result, @"\b(CON|NON|ACK|RST) (\d+)(?=  )",
            match => $"{match.Groups[1].Value} {Map(_messageIds, match.Groups[2].Value, 4711)}");
        result = Regex.Replace(result, @"token [0-9a-f]{8}\b", "token a1b2c3d4");
        result = Regex.Replace(result, @"(?<=ETag:? )[0-9a-f]{16}\b", "8f14e45fceea167a");
        result = Regex.Replace(result, @"(?<=  #|Observe: )\d+", match => Map(_sequence, match.Value, 1));
        return Regex.Replace(result, @"(100% \S+ \w+) .*$", "$1 1.2 MiB/s 00:00:00", RegexOptions.Multiline);
    }

    /// <summary>What stays of a display that is drawn again and again.</summary>
    public static string LastFrame(string terminal)
    {
        string plain = Regex.Replace(terminal, @"\x1b\[[0-9;?]*[A-Za-z]", "");
        string[] lines = [
            .. plain.Split('\n', '\r').Select(line => Regex.Replace(line.Trim(), " {2,}", " ")).Where(line => line.Length > 0)];
        string[] moving = [.. lines.Where(line => line.Contains('%')).GroupBy(line => line.Split(' ')[0])
            .Select(group => group.Last())];
        return string.Join('\n',
            [.. moving, .. lines.Where(line => !line.Contains('%'))
                .Select(line => line.Replace("ETag ", " ETag "))]) + "\n";
    }

    private static string Map(Dictionary<string, string> known, string value, int first)
    {
        if (!known.TryGetValue(value, out string? shown))
        {
            known.Add(value, shown = (first + known.Count).ToString(System.Globalization.CultureInfo.InvariantCulture));
        }

        return shown;
    }
}
