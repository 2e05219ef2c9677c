using System.Text;

namespace CoAP.NET.Simulation.Attack;

/// <summary>The table of docs/reliability.md.</summary>
internal static class AttackTable
{
    private static readonly (string Attack, string Why)[] s_notClaimed =
    [
        ("Relay (a near-field presumption broken)", "out of protocol"),
        ("Amplification after an address change under a Connection ID or OSCORE", "neither DTLS nor OSCORE is there"),
        ("Request smuggling through a proxy or an HTTP mapping", "no proxy, no HTTP mapping"),
        ("Replay of 0-RTT data or within a lost window, nonce reuse after a restart", "neither DTLS nor OSCORE is there"),
        ("Responses of the wrong server of a security group", "no Group OSCORE"),
        ("Proxy loop, open proxy", "no proxy: Proxy-Uri and Proxy-Scheme are answered 5.05"),
        ("Metadata in tokens of a proxy", "no proxy; tokens of `CoapStatelessClient` are encrypted"),
        ("Poisoning of a Resource Directory", "no Resource Directory"),
        ("Impersonation by a group's pre-shared key, oracles through error codes of a security layer", "neither DTLS nor OSCORE is there"),
    ];

    /// <summary>Prints what rows measured.</summary>
    /// <param name="runs">The rows.</param>
    /// <param name="all">Whether these are all, so that it is said what is not claimed.</param>
    public static string Print(IEnumerable<AttackRun> runs, bool all)
    {
        StringBuilder text = new();
        text.AppendLine("| attack | what was done | what was measured | bound | rows |");
        text.AppendLine("|---|---|---|---|---|");
        foreach (AttackRun run in runs)
        {
            string measured = string.Join("<br>", run.Figures.Select(static figure => figure.Holds ? figure.What : $"**{figure.What}**"));
            string bounds = string.Join("<br>", run.Figures.Select(static figure => figure.Bound));
            text.AppendLine($"| {run.Row.Attack} (`{run.Row.Name}`) | {run.Done} | {measured} | {bounds} | {run.Row.Rows} |");
        }

        if (all)
        {
            foreach ((string attack, string why) in s_notClaimed)
            {
                text.AppendLine($"| {attack} | not claimed: {why} | | | |");
            }
        }

        foreach (string table in runs.SelectMany(static run => run.Appended))
        {
            text.AppendLine().Append(table);
        }

        return text.ToString();
    }
}
