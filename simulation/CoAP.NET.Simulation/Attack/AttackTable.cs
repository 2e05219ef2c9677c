using CoAP.NET.Stateless;

namespace CoAP.NET.Simulation.Attack;

/// <summary>The table of the campaign's report.</summary>
internal static class AttackTable
{
    private static readonly (string Attack, string Why)[] s_notClaimed =
    [
        ("Relay (a near-field presumption broken)", "out of protocol"),
        ("Amplification after an address change under OSCORE", "who has the keys is no address: it is verified for each"),
        ("Request smuggling through a proxy or an HTTP mapping", "no mapping of HTTP on the wire here"),
        ("Replay of 0-RTT data", "no DTLS 1.3"),
        ("Responses of the wrong server of a security group", "no Group OSCORE"),
        ("Proxy loop", "tests of CoAP.NET.Proxy: loops end by Hop-Limit"),
        ("Metadata in tokens of a proxy", "nothing of clients is in tokens of the proxy; tokens of `CoapStatelessClient` are encrypted"),
        ("Impersonation by a group's pre-shared key",
            "no Group OSCORE; a pre-shared key that several devices share makes them one identity"),
    ];

    // Attacks on sessions of DTLS. A campaign in one process has no OpenSSL in virtual time, so tests over sockets show them.
    private static readonly (string Attack, string Test)[] s_shownByTests =
    [
        ("Amplification after an address change under a Connection ID (RFC 9146 section 6)",
            "At_most_three_times_the_bytes_received_from_a_new_address_are_sent_to_that_address"),
        ("Replayed and forged records of DTLS", "Forged_modified_truncated_and_replayed_datagrams_end_no_session"),
        ("Nonces used again after a restart or a crash of a server with DTLS",
            "A_record_number_is_never_reused_across_crashes_at_any_point"),
        ("Oracles through error codes of the handshake: which identities exist",
            "A_wrong_key_and_an_unknown_identity_are_refused_alike_for_the_client"),
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
            string measured = string.Join("<br>", run.Figures.Select(figure => figure.Holds ? figure.What : $"**{figure.What}**"));
            string bounds = string.Join("<br>", run.Figures.Select(figure => figure.Bound));
            text.AppendLine($"| {run.Row.Attack} (`{run.Row.Name}`) | {run.Done} | {measured} | {bounds} | {run.Row.Rows} |");
        }

        if (all)
        {
            foreach ((string attack, string why) in s_notClaimed)
            {
                text.AppendLine($"| {attack} | not claimed: {why} | | | |");
            }

            foreach ((string attack, string test) in s_shownByTests)
            {
                text.AppendLine($"| {attack} | shown by a test of `CoAP.NET.Dtls.Tests` | `{test}` | | |");
            }
        }

        foreach (string table in runs.SelectMany(run => run.Appended))
        {
            text.AppendLine().Append(table);
        }

        return text.ToString();
    }
}
