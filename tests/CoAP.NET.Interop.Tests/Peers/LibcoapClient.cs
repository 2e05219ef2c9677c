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

    /// <summary>Does one request, or what the arguments say, and waits for the end.</summary>
    /// <param name="arguments">The arguments, the URI last. A time limit of 5 seconds is added unless there is one (<c>-B</c>): its own is
    /// 90.</param>
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
        await using PeerProcess process = PeerProcess.Start(SecureProgram, ["-B", "5", .. arguments]);
        return await process.WaitForExitAsync();
    }

    /// <summary>
    /// The same by any of them, with a time limit of 10 seconds unless there is one: a handshake that loses datagrams takes some.
    /// </summary>
    /// <param name="program">Which one.</param>
    /// <param name="arguments">As for <see cref="RunAsync"/>.</param>
    public static async Task<PeerResult> RunProgramAsync(string program, params string[] arguments)
    {
        await using PeerProcess process = PeerProcess.Start(program, arguments.Contains("-B") ? arguments : ["-B", "10", .. arguments]);
        return await process.WaitForExitAsync();
    }

    /// <summary>Does one request with a body of any bytes, in both directions.</summary>
    /// <param name="body">The body to send; null for none.</param>
    /// <param name="arguments">As for <see cref="RunAsync"/>, but with a time limit of a minute.</param>
    /// <returns>The body of the response, empty when there was none, and what the program wrote.</returns>
    public static Task<(byte[] Body, PeerResult Result)> TransferAsync(byte[]? body, params string[] arguments) =>
        TransferByAsync(Program, body, arguments);

    /// <summary>The same by any of them.</summary>
    /// <param name="program">Which one.</param>
    /// <param name="body">The body to send; null for none.</param>
    /// <param name="arguments">As for <see cref="RunAsync"/>, but with a time limit of a minute.</param>
    /// <returns>The body of the response, empty when there was none, and what the program wrote.</returns>
    public static async Task<(byte[] Body, PeerResult Result)> TransferByAsync(string program, byte[]? body, params string[] arguments)
    {
        using TemporaryDirectory directory = new();
        string output = directory.PathOf("response");
        List<string> all = ["-B", "60", "-o", output];
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
        PeerProcess.Start(Program, arguments.Contains("-B") ? arguments : ["-B", 5.ToString(CultureInfo.InvariantCulture), .. arguments]);
}
