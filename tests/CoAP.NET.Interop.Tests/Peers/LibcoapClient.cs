using System.Globalization;

namespace CoAP.NET.Interop.Tests.Peers;

/// <summary>libcoap's example client.</summary>
internal static class LibcoapClient
{
    public const string Program = "coap-client-notls";

    /// <summary>The same with OpenSSL.</summary>
    public const string SecureProgram = "coap-client-openssl";

    /// <summary>The same with GnuTLS.</summary>
    public const string GnuTlsProgram = "coap-client-gnutls";

    /// <summary>
    /// For <c>-B</c>, in seconds: longer than any exchange takes on a busy machine, and shorter than the guard against hanging. Who is
    /// answered does not wait for it.
    /// </summary>
    public const string Patience = "100";

    // The last one also suffices for a transfer that is slow, or whose messages are lost more than once in succession.
    private static readonly string[] s_patienceOfGets = ["20", "20", "20", "20", "20", Patience];

    /// <summary>Does one request, or what the arguments say, and waits for the end.</summary>
    /// <param name="arguments">
    /// The arguments, the URI last. <see cref="Patience"/> is added unless they have a time limit (<c>-B</c>).
    /// </param>
    /// <returns>What it came to. The exit status is 0 for 4.04, refused and time-out alike.</returns>
    public static async Task<PeerResult> RunAsync(params string[] arguments)
    {
        await using PeerProcess process = Start(arguments);
        return await process.WaitForExitAsync();
    }

    /// <summary>The same by the one with OpenSSL.</summary>
    /// <param name="arguments">As for <see cref="RunAsync"/>; certificates too.</param>
    public static async Task<PeerResult> RunSecureAsync(params string[] arguments)
    {
        await using PeerProcess process = PeerProcess.Start(SecureProgram, ["-B", Patience, .. arguments]);
        return await process.WaitForExitAsync();
    }

    /// <summary>The same by any of them.</summary>
    /// <param name="program">Which one.</param>
    /// <param name="arguments">As for <see cref="RunAsync"/>.</param>
    public static async Task<PeerResult> RunProgramAsync(string program, params string[] arguments)
    {
        await using PeerProcess process = PeerProcess.Start(program,
            arguments.Contains("-B") ? arguments : ["-B", Patience, .. arguments]);
        return await process.WaitForExitAsync();
    }

    /// <summary>
    /// Has the client ask a server that refuses it until the server has failed to make so many handshakes. A client that is not told why
    /// would go on for its time limit.
    /// </summary>
    /// <param name="program">Which one.</param>
    /// <param name="server">The server.</param>
    /// <param name="failures">How many handshakes have failed then, with those of others.</param>
    /// <param name="arguments">As for <see cref="RunAsync"/>.</param>
    /// <returns>What it wrote.</returns>
    public static async Task<string> RunUntilRefusedAsync(string program, StreamServer server, int failures, params string[] arguments)
    {
        PeerProcess process = PeerProcess.Start(program, ["-B", Patience, .. arguments]);
        await using (process)
        {
            await server.WaitForFailuresAsync(failures);
        }

        return process.Output + process.Errors;
    }

    /// <summary>
    /// Has the client observe for a few seconds, and for a minute where these were too short for a busy machine: it ends an observation
    /// only when the time that it was given (<c>-s</c>) is over.
    /// </summary>
    /// <param name="seconds">Enough on most machines.</param>
    /// <param name="observe">Starts the client with so many seconds, and fails as <see cref="PeerProcess.WaitForLineAsync"/> does when it
    /// ends before it has seen everything.</param>
    public static async Task ObserveForAsync(int seconds, Func<string, Task> observe)
    {
        try
        {
            await observe(seconds.ToString(CultureInfo.InvariantCulture));
        }
        catch (InvalidOperationException)
        {
            await observe("60");
        }
    }

    /// <summary>
    /// Does one request with a body of any bytes, in both directions. A GET that its time limit ended is repeated, with what has come of
    /// the body or without: on a busy machine the first block may come in a separate response (RFC 7252 section 5.2.2), after which libcoap
    /// 4.3.1 never asks for the second one; and a client that loses one message twice waits for 14 s.
    /// </summary>
    /// <param name="body">The body to send; null for a GET.</param>
    /// <param name="arguments">As for <see cref="RunAsync"/>, but without a time limit.</param>
    /// <returns>The body of the response, empty when there was none, and what the program wrote.</returns>
    public static Task<(byte[] Body, PeerResult Result)> TransferAsync(byte[]? body, params string[] arguments) =>
        TransferByAsync(Program, body, arguments);

    /// <summary>The same by any of them.</summary>
    /// <param name="program">Which one.</param>
    /// <param name="body">The body to send; null for a GET.</param>
    /// <param name="arguments">As for <see cref="RunAsync"/>, but without a time limit.</param>
    /// <returns>The body of the response, empty when there was none, and what the program wrote.</returns>
    public static async Task<(byte[] Body, PeerResult Result)> TransferByAsync(string program, byte[]? body, params string[] arguments)
    {
        (byte[] Body, PeerResult Result) last = default;
        foreach (string patience in body is null ? s_patienceOfGets : [Patience])
        {
            long start = TimeProvider.System.GetTimestamp();
            last = await TransferOnceAsync(program, patience, body, arguments);

            // Its exit status and its output do not say whether the time limit ended it.
            if (TimeProvider.System.GetElapsedTime(start).TotalSeconds < int.Parse(patience, CultureInfo.InvariantCulture))
            {
                break;
            }
        }

        return last;
    }

    private static async Task<(byte[] Body, PeerResult Result)> TransferOnceAsync(string program, string patience, byte[]? body,
        string[] arguments)
    {
        using TemporaryDirectory directory = new();
        string output = directory.PathOf("response");
        List<string> all = ["-B", patience, "-o", output];
        if (body is not null)
        {
            string input = directory.PathOf("request");
            await File.WriteAllBytesAsync(input, body);
            all.AddRange(["-f", input]);
        }

        await using PeerProcess process = PeerProcess.Start(program, [.. all, .. arguments]);
        PeerResult result = await process.WaitForExitAsync(PeerProcess.TransferHangLimit);
        return (File.Exists(output) ? await File.ReadAllBytesAsync(output) : [], result);
    }

    /// <summary>Starts it, for tests that answer it themselves.</summary>
    /// <param name="arguments">As for <see cref="RunAsync"/>.</param>
    public static PeerProcess Start(params string[] arguments) =>
        PeerProcess.Start(Program, arguments.Contains("-B") ? arguments : ["-B", Patience, .. arguments]);
}
