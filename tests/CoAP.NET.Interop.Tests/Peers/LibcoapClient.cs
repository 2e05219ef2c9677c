using System.Globalization;

namespace CoAP.NET.Interop.Tests.Peers;

/// <summary>libcoap's example client.</summary>
internal static class LibcoapClient
{
    public const string Program = "coap-client-notls";

    /// <summary>Does one request, or what the arguments say, and waits for the end.</summary>
    /// <param name="arguments">The arguments, the URI last. A time limit of 5 seconds is added unless there is one (<c>-B</c>): its own is 90.</param>
    /// <returns>What it came to. The exit status is 0 for 4.04, refused and time-out alike.</returns>
    public static async Task<PeerResult> RunAsync(params string[] arguments)
    {
        await using PeerProcess process = Start(arguments);
        return await process.WaitForExitAsync();
    }

    /// <summary>Starts it, for tests that answer it themselves.</summary>
    /// <param name="arguments">As for <see cref="RunAsync"/>.</param>
    public static PeerProcess Start(params string[] arguments) =>
        PeerProcess.Start(Program, arguments.Contains("-B") ? arguments : ["-B", 5.ToString(CultureInfo.InvariantCulture), .. arguments]);
}
